// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { EventList, parseEvents } from '../src/data/events';

// A ball that touches twice, and a machine that changes once between.
const answer = () => ({
  first: 0, total: 5,
  subjects: [{ name: 'ball on floor', kind: 'contact', key: [0, 1, 0, 0] },
             { name: 'maze', kind: 'machine', key: [4294967290, 0, 0, 0] }],
  states: ['free', 'contact', 'outer', 'inner'], kinds: ['touch', 'release', 'parting', 'slide', 'stick', 'transition', 'other'],
  start: [[0, 0], [1, 2]],
  time: [0.25, 0.25, 0.5, 1, 1.5], step: [3, 3, 5, 10, 15], subject: [0, 0, 1, 0, 0], kind: [0, 2, 5, 0, 2],
  from: [0, 1, 2, 0, 1], to: [1, 0, 3, 1, 0], gap: [0, 0, null, 0, 0], gap_rate: [-2, 1, 0, -1, 0.5],
  force: [[8, 0, 0], [0, 0, 0], [0, 0, 0], [4, 0, 0], [0, 0, 0]],
});

function filled(): EventList {
  const list = new EventList();
  list.add(parseEvents(answer()));
  return list;
}

describe('events', () => {
  it('have names, kinds and states in words', () => {
    const { events } = parseEvents(answer());
    expect(events.map(({ kind }) => kind)).toEqual(['touch', 'parting', 'transition', 'touch', 'parting']);
    expect(events[2]).toMatchObject({ time: 0.5, from: 'outer', to: 'inner', gap: NaN });
    expect(events[0].force).toEqual([8, 0, 0]);
  });

  it('say what acts at a time', () => {
    const list = filled();
    const states = (time: number) => [0, 1].map((subject) => list.stateAt(subject, time));
    expect(states(0)).toEqual(['free', 'outer']);
    expect(states(0.25)).toEqual(['free', 'outer']); // touched and left at once
    expect(states(0.75)).toEqual(['free', 'inner']);
    expect(states(1.2)).toEqual(['contact', 'inner']);
    expect(states(9)).toEqual(['free', 'inner']);
  });

  it('know what acted before the first of them where the start does not say it', () => {
    const list = new EventList();
    list.add(parseEvents({ ...answer(), start: [] }));
    expect(list.stateAt(1, 0.1)).toBe('outer');
  });

  it('are found by their time', () => {
    const list = filled();
    expect(list.countUntil(0.2)).toBe(0);
    expect(list.countUntil(0.25)).toBe(2);
    expect(list.near(0.52, 0.05)?.to).toBe('inner');
    expect(list.near(0.6, 0.05)).toBeNull();
    expect(new EventList().near(1, 9)).toBeNull();
  });

  it('come in pieces whose subjects may be numbered anew', () => {
    const whole = answer();
    const part = (begin: number, end: number) => {
      const cut = <T>(values: T[]) => values.slice(begin, end);
      return { ...whole, first: begin, time: cut(whole.time), step: cut(whole.step), subject: cut(whole.subject),
               kind: cut(whole.kind), from: cut(whole.from), to: cut(whole.to), gap: cut(whole.gap),
               gap_rate: cut(whole.gap_rate), force: cut(whole.force) };
    };
    const list = new EventList();
    list.add(parseEvents(part(0, 2)));
    const later = part(2, 5);
    list.add(parseEvents({ ...later, subjects: [...later.subjects].reverse(), start: [],
                           subject: later.subject.map((one) => 1 - one) }));
    expect(list.events).toEqual(filled().events);
    expect(list.subjects).toHaveLength(2);
    expect(() => list.add(parseEvents(part(2, 5)))).toThrow('missing');
  });

  it.each([
    ['no object', null], ['a list', []],
    ['columns of unlike length', { ...answer(), gap: [1] }],
    ['an unknown state', { ...answer(), to: [9, 0, 0, 0, 0] }],
    ['an unknown subject', { ...answer(), subject: [2, 0, 0, 0, 0] }],
    ['a time that runs backwards', { ...answer(), time: [1, 0, 2, 3, 4] }],
    ['no forces', { ...answer(), force: [1, 2, 3, 4, 5] }],
    ['words that are numbers', { ...answer(), states: [1, 2, 3, 4] }],
  ])('that are damaged are told: %s', (_name, value) => {
    expect(() => parseEvents(value)).toThrow('damaged');
  });
});
