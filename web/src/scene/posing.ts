// SPDX-License-Identifier: Apache-2.0
// Poses a mechanism by hand. Joints make trees from the world, fixed bodies, and the first body of what
// hangs on neither, which stay where they are. What closes loops, and couplings, are equations: some
// coordinates are free, the others follow by Newton's method from where they are. A coordinate moves in
// small pieces, so that the mechanism stays on its branch, and stops where it cannot be closed or where
// another one meets its limit.
import { Quaternion, Vector3 } from 'three';

import { isTurning, jointLayout, jointNumbers, rateCount } from '../data/joints';
import type { CouplingJson, Frame, JointJson, ModelJson } from '../data/types';
import { freeColumns, leastSquares } from './equations';
import { composed, coordinatesOf, inverted, jointPlace, openings, origin, type Place, placeOf,
  readCoordinates } from './joint_motion';

export interface Coordinate {
  joint: number;
  freedom: number;
  turning: boolean;
  lower: number; // what a slider reaches
  upper: number;
  limited: boolean; // these are the joint's limits
  free: boolean; // else it follows the free ones
}

interface Link {
  joint: number;
  body: number; // that the joint places
  from: number; // by this one; -1: the world
  asA: boolean; // the placed body is the joint's first
}

const tolerance = 1e-9; // m or rad, of closed loops
const pieces = { turning: 0.05, shifting: 0.01 }; // rad, m
const mostIterations = 30;
const halvings = 20;

export class Posing {
  readonly coordinates: Coordinate[] = [];
  readonly values: number[] = []; // of the coordinates
  readonly poses: Float32Array; // of the bodies, 7 each
  readonly closing: number[] = []; // joints that close loops
  note = ''; // what is to be said of the last move
  private readonly joints: JointJson[];
  private readonly couplings: CouplingJson[];
  private readonly offsets: number[];
  private readonly frames: [Place, Place][];
  private readonly first: number[] = []; // coordinate of each joint
  private readonly links: Link[] = [];
  private readonly placing: boolean[] = []; // joints that place a body
  private readonly unknowns: number[] = []; // coordinates of these
  private readonly start: { values: number[]; poses: Float32Array };
  private places: Place[];

  constructor(model: ModelJson, frame: Frame) {
    this.joints = model.joints ?? [];
    this.couplings = model.couplings ?? [];
    this.frames = this.joints.map(({ frames }) => [placeOf(frames[0]), placeOf(frames[1])]);
    this.poses = frame.poses.slice();
    this.places = model.bodies.map((_, body) => this.recordedPlace(body));
    this.makeTree(model);
    this.readStart(model, frame);
    const layout = jointLayout(model);
    const numbers = jointNumbers(frame, model);
    this.offsets = this.couplings.map((coupling, i) =>
        coupling.breakaway !== null && numbers ? numbers[layout.couplings + i] : coupling.offset);
    this.unknowns.push(...this.coordinates.flatMap(({ joint }, i) => (this.placing[joint] ? [i] : [])));
    this.start = { values: [...this.values], poses: frame.poses.slice() };
    this.findFree();
  }

  private recordedPlace(body: number): Place {
    const [x, y, z, w, i, j, k] = this.poses.subarray(7 * body, 7 * body + 7);
    return { p: new Vector3(x, y, z), r: new Quaternion(i, j, k, w).normalize() };
  }

  private makeTree(model: ModelJson): void {
    const seen = model.bodies.map(({ freedom }) => freedom === 'fixed');
    const queue = [-1, ...model.bodies.flatMap((_, body) => (seen[body] ? [body] : []))];
    this.placing.push(...this.joints.map(() => false));
    const used = new Set<number>();
    for (let next = 0; ; ) {
      while (queue.length > 0) this.hang(queue.shift()!, seen, used, queue);
      while (next < seen.length && seen[next]) ++next;
      if (next >= seen.length) break;
      seen[next] = true;
      queue.push(next);
    }
    this.joints.forEach((_, joint) => !this.placing[joint] && this.closing.push(joint));
  }

  private hang(from: number, seen: boolean[], used: Set<number>, queue: number[]): void {
    this.joints.forEach(({ bodies: [a, b] }, joint) => {
      if (used.has(joint) || (a !== from && b !== from)) return;
      const body = a === from ? b : a;
      if (body < 0 || seen[body]) return;
      used.add(joint);
      seen[body] = this.placing[joint] = true;
      this.links.push({ joint, body, from, asA: body === a });
      queue.push(body);
    });
  }

  // Coordinates as recorded; where they are not, as the bodies stand.
  private readStart(model: ModelJson, frame: Frame): void {
    const layout = jointLayout(model);
    const numbers = jointNumbers(frame, model);
    const reach = 2 * Math.max(0.25, ...this.frames.flat().map(({ p }) => p.length()));
    this.joints.forEach((joint, j) => {
      const { kind } = joint;
      this.first.push(this.values.length);
      const values = numbers ? coordinatesOf(kind, numbers.subarray(layout.joints[j].position))
        : readCoordinates(kind, this.relative(j), [0, 0, 0]);
      values.forEach((value, freedom) => {
        const { lower, upper } = joint.freedoms[freedom];
        const turning = isTurning(kind, freedom);
        const middle = turning ? 2 * Math.PI * Math.round(value / (2 * Math.PI)) : 0;
        const range = turning ? Math.PI : Math.max(reach, 2 * Math.abs(value));
        this.values.push(value);
        this.coordinates.push({
          joint: j, freedom, turning, free: true, limited: lower !== null && upper !== null,
          lower: Math.min(lower ?? Math.min(middle - range, (upper ?? Infinity) - 2 * range), value),
          upper: Math.max(upper ?? Math.max(middle + range, (lower ?? -Infinity) + 2 * range), value),
        });
      });
    });
  }

  // Frame B of a joint against its frame A, as the bodies stand.
  private relative(j: number): Place {
    const [a, b] = this.joints[j].bodies.map((body, k) =>
        composed(body < 0 ? origin() : this.places[body], this.frames[j][k]));
    return composed(inverted(a), b);
  }

  // Places the bodies by the coordinates of their joints, and reads those of the joints that close loops.
  private place(values: number[]): void {
    for (const { joint, body, from, asA } of this.links) {
      const [a, b] = this.frames[joint];
      const q = values.slice(this.first[joint], this.first[joint] + rateCount(this.joints[joint].kind));
      const step = jointPlace(this.joints[joint], q);
      const base = from < 0 ? origin() : this.places[from];
      this.places[body] = asA ? composed(composed(base, b), composed(inverted(step), inverted(a)))
        : composed(composed(base, a), composed(step, inverted(b)));
    }
    for (const joint of this.closing) {
      const at = this.first[joint];
      const { kind } = this.joints[joint];
      readCoordinates(kind, this.relative(joint), values.slice(at, at + 3))
        .forEach((value, k) => (values[at + k] = value));
    }
  }

  // All equations at these coordinates: loops, then couplings.
  private errors(values: number[]): number[] {
    this.place(values);
    const loops = this.closing.flatMap((joint) =>
        openings(this.joints[joint], this.relative(joint), values[this.first[joint]] ?? 0));
    const coupled = this.couplings.map(({ joints: [a, b], freedoms: [i, j], ratio }, k) =>
        values[this.first[b] + j] - ratio * values[this.first[a] + i] - this.offsets[k]);
    return [...loops, ...coupled];
  }

  // One column per coordinate of `columns`, by central differences.
  private slopes(values: number[], columns: number[]): number[][] {
    const h = 1e-6;
    return columns.map((column) => {
      const [above, below] = [h, -h].map((step) => {
        const moved = [...values];
        moved[column] += step;
        return this.errors(moved);
      });
      return above.map((value, i) => (value - below[i]) / (2 * h));
    });
  }

  // Free are as many as the equations leave: motors first, then hinges and slides before joints of
  // several freedoms, those near the root first; what a coupling drives is not if possible.
  private findFree(): void {
    const followers = new Set(this.couplings.map(({ joints: [, b], freedoms: [, j] }) => this.first[b] + j));
    const wish = (i: number): number => {
      const { joint, freedom } = this.coordinates[i];
      if (followers.has(i)) return -1;
      const { freedoms } = this.joints[joint];
      return freedoms[freedom].motor === 'none' ? 3 - freedoms.length : 3;
    };
    // The first in this order follow if they can.
    const order = [...this.unknowns].reverse().sort((a, b) => wish(a) - wish(b));
    const free = new Set(freeColumns(this.slopes(this.values, order)).map((i) => order[i]));
    this.coordinates.forEach((coordinate, i) => (coordinate.free = free.has(i)));
    this.place(this.values);
  }

  get freeCount(): number {
    return this.coordinates.filter(({ free }) => free).length;
  }

  // Closes everything by changing `columns`; null where it cannot be.
  private closed(values: number[], columns: number[]): number[] | null {
    const found = [...values];
    for (let i = 0; i < mostIterations; ++i) {
      const errors = this.errors(found);
      const size = Math.max(0, ...errors.map(Math.abs));
      if (!Number.isFinite(size)) return null;
      if (size <= tolerance) return found;
      if (columns.length === 0) return null;
      const step = leastSquares(this.slopes(found, columns), errors);
      const largest = Math.max(...step.map(Math.abs));
      const cut = Math.min(1, 0.3 / Math.max(largest, 1e-300));
      columns.forEach((column, k) => (found[column] -= cut * step[k]));
    }
    return null;
  }

  // A coordinate that is further beyond its limit than before.
  private beyond(values: number[], moved: number): Coordinate | null {
    const overrun = (i: number, value: number): number => {
      const { lower, upper } = this.joints[this.coordinates[i].joint].freedoms[this.coordinates[i].freedom];
      return Math.max((lower ?? -Infinity) - value, value - (upper ?? Infinity), 0);
    };
    const found = values.findIndex((value, i) =>
        i !== moved && overrun(i, value) > overrun(i, this.values[i]) + 1e-6);
    return found < 0 ? null : this.coordinates[found];
  }

  // Moves a free coordinate to a value, or as far as it gets; what follows follows.
  set(index: number, wanted: number): void {
    const { lower, upper, turning } = this.coordinates[index];
    const target = Math.min(upper, Math.max(lower, wanted));
    this.note = '';
    if (!Number.isFinite(wanted)) return;
    const piece = turning ? pieces.turning : pieces.shifting;
    const far = target - this.values[index];
    const steps = this.equationCount === 0 ? 1 : Math.min(400, Math.max(1, Math.ceil(Math.abs(far) / piece)));
    const from = this.values[index];
    for (let i = 1; i <= steps; ++i) if (!this.advance(index, from + (far * i) / steps)) break;
    this.errors(this.values);
    this.write();
  }

  private get equationCount(): number {
    return this.closing.length + this.couplings.length;
  }

  // One piece; where it fails, as much of it as works.
  private advance(index: number, target: number): boolean {
    if (this.tryTo(index, target)) return true;
    const reason = this.note;
    let [good, bad] = [this.values[index], target];
    for (let i = 0; i < halvings; ++i) {
      const middle = (good + bad) / 2;
      if (this.tryTo(index, middle)) good = middle;
      else bad = middle;
    }
    this.note = reason;
    return false;
  }

  private tryTo(index: number, target: number): boolean {
    const wanted = [...this.values];
    wanted[index] = target;
    const following = this.unknowns.filter((i) => !this.coordinates[i].free);
    let values = this.closed(wanted, following);
    // At a singular place more coordinates look free than are: then all others may move.
    const others = this.unknowns.filter((i) => i !== index);
    const together = values === null && others.length > following.length;
    if (together) values = this.closed(wanted, others);
    const name = this.nameOf(index);
    const open = this.joints[this.closing[0]]?.name;
    if (values === null) {
      this.note = `${name} stops here: ${open ? `the loop at ${open}` : 'the couplings'} cannot be closed any further.`;
      return false;
    }
    const limit = this.beyond(values, index);
    if (limit) {
      this.note = `${name} stops here: ${this.joints[limit.joint].name} is at its limit.`;
      return false;
    }
    this.values.splice(0, this.values.length, ...values);
    if (together) this.findFree();
    return true;
  }

  nameOf(index: number): string {
    const { joint, freedom } = this.coordinates[index];
    const { name, kind } = this.joints[joint];
    return rateCount(kind) > 1 ? `${name}[${freedom}]` : name;
  }

  private write(): void {
    const moved = new Set(this.links.map(({ body }) => body));
    this.places.forEach(({ p, r }, body) => {
      if (moved.has(body)) this.poses.set([p.x, p.y, p.z, r.w, r.x, r.y, r.z], 7 * body);
    });
  }

  // As the frame has it.
  reset(): void {
    this.values.splice(0, this.values.length, ...this.start.values);
    this.poses.set(this.start.poses);
    this.note = '';
    this.places = this.places.map((_, body) => this.recordedPlace(body));
    this.findFree();
  }

  // Coordinates of a joint, one per freedom.
  valuesOf(joint: number): number[] {
    return this.values.slice(this.first[joint], this.first[joint] + rateCount(this.joints[joint].kind));
  }

  // Whether a coupling drives the joint: the scene then knows where it begins.
  isDriven(joint: number): boolean {
    return this.couplings.some(({ joints }) => joints[1] === joint);
  }
}
