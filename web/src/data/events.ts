// SPDX-License-Identifier: Apache-2.0
// Events of event-driven runs: what changed when, and what acts at a time. They arrive in pieces, and
// more of them while a run is being written.

export interface EventSubject {
  name: string; // "ball on floor", a constraint, a machine
  kind: string; // contact, link, constraint, machine, ...
  key: number[];
}

export interface RunEvent {
  time: number; // s
  step: number;
  subject: number; // into the subjects
  kind: string; // touch, release, parting, slide, stick, transition, other
  from: string;
  to: string;
  gap: number; // m, or in the unit of a constraint
  gapRate: number; // per s
  force: [number, number, number]; // N along normal, tangent 1, tangent 2
}

// What a source sends: from number `first` on.
export interface EventPiece {
  first: number;
  total: number; // of the run
  subjects: EventSubject[];
  start: { subject: number; state: string }[]; // at the first frame
  events: RunEvent[];
}

type Fields = Record<string, unknown>;

function damaged(what: string): never {
  throw new Error(`the events of the run are damaged: ${what}`);
}

function list(json: Fields, name: string): unknown[] {
  const value = json[name];
  return Array.isArray(value) ? value : damaged(`'${name}' is no list`);
}

const words = (json: Fields, name: string): string[] =>
    list(json, name).map((word) => (typeof word === 'string' ? word : damaged(`'${name}' holds no words`)));

const whole = (value: unknown, what: string): number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : damaged(`${what} is no number`);

// Numbers that are not finite are null in JSON.
const real = (value: unknown): number => (typeof value === 'number' ? value : NaN);

export function parseEvents(value: unknown): EventPiece {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) damaged('they are no JSON object');
  const json = value as Fields;
  const subjects = list(json, 'subjects').map((one): EventSubject => {
    const { name, kind, key } = (typeof one === 'object' && one !== null ? one : {}) as Fields;
    return { name: typeof name === 'string' ? name : '', kind: typeof kind === 'string' ? kind : '',
             key: Array.isArray(key) ? key.map(Number) : [] };
  });
  const states = words(json, 'states');
  const kinds = words(json, 'kinds');
  const time = list(json, 'time');
  const column = (name: string): unknown[] => {
    const values = list(json, name);
    return values.length === time.length ? values : damaged(`'${name}' has another length than 'time'`);
  };
  const of = <T>(from: T[], index: unknown, what: string): T => from[whole(index, what)] ?? damaged(`${what} is unknown`);
  const subject = (index: unknown): number => {
    of(subjects, index, 'a subject');
    return index as number;
  };
  const columns = Object.fromEntries(['step', 'subject', 'kind', 'from', 'to', 'gap', 'gap_rate', 'force']
      .map((name) => [name, column(name)]));
  const events = time.map((at, i): RunEvent => {
    if (typeof at !== 'number') damaged('a time is no number');
    const force = columns.force[i];
    return {
      time: at as number, step: whole(columns.step[i], 'a step'), subject: subject(columns.subject[i]),
      kind: of(kinds, columns.kind[i], 'a kind'), from: of(states, columns.from[i], 'a state'),
      to: of(states, columns.to[i], 'a state'), gap: real(columns.gap[i]), gapRate: real(columns.gap_rate[i]),
      force: Array.isArray(force) && force.length === 3 ? (force.map(real) as [number, number, number]) : damaged('a force is no vector'),
    };
  });
  for (let i = 1; i < events.length; ++i)
    if (events[i].time < events[i - 1].time) damaged('time runs backwards');
  const start = list(json, 'start').map((one) => {
    const [index, state] = Array.isArray(one) ? one : [];
    return { subject: subject(index), state: of(states, state, 'a state') };
  });
  return { first: whole(json.first, 'the first number'), total: whole(json.total, 'their number'), subjects, start, events };
}

// All events that are known of a run.
export class EventList {
  readonly subjects: EventSubject[] = [];
  readonly events: RunEvent[] = [];
  total = 0; // that the run has
  private readonly known = new Map<string, number>();
  private readonly starts = new Map<number, string>();
  private readonly own: number[][] = []; // per subject its events, in order

  // A piece that begins where the list ends.
  add(piece: EventPiece): void {
    if (piece.first !== this.events.length) throw new Error('events of the run are missing');
    const numbers = piece.subjects.map((subject) => this.number(subject));
    for (const { subject, state } of piece.start) this.starts.set(numbers[subject], state);
    for (const event of piece.events) {
      const subject = numbers[event.subject];
      this.own[subject].push(this.events.length);
      this.events.push({ ...event, subject });
    }
    this.total = Math.max(piece.total, this.events.length);
  }

  private number(subject: EventSubject): number {
    const name = `${subject.kind} ${subject.name} ${subject.key.join('.')}`;
    const found = this.known.get(name);
    if (found !== undefined) return found;
    this.known.set(name, this.subjects.length);
    this.subjects.push(subject);
    this.own.push([]);
    return this.subjects.length - 1;
  }

  name(event: RunEvent): string {
    return this.subjects[event.subject].name;
  }

  // The number of events up to and with a time.
  countUntil(time: number): number {
    let low = 0, high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Of a subject at a time; null where nothing is known of it.
  stateAt(subject: number, time: number): string | null {
    const own = this.own[subject];
    const until = this.countUntil(time);
    let low = 0, high = own.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (own[middle] < until) low = middle + 1;
      else high = middle;
    }
    if (low > 0) return this.events[own[low - 1]].to;
    return this.starts.get(subject) ?? (own.length > 0 ? this.events[own[0]].from : null);
  }

  // The first event of those nearest to a time that lies within a reach of it.
  near(time: number, reach: number): RunEvent | null {
    const after = this.countUntil(time);
    const candidates = [this.events[after - 1], this.events[after]]
        .filter((event) => event && Math.abs(event.time - time) <= reach)
        .sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time));
    return candidates[0] ?? null;
  }
}
