// SPDX-License-Identifier: Apache-2.0
import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import type { JointKind } from '../src/data/types';
import { freeColumns, leastSquares } from '../src/scene/equations';
import { composed, inverted, jointPlace, openings, type Place, placeOf, readCoordinates } from '../src/scene/joint_motion';
import { Posing } from '../src/scene/posing';
import { poseYaml } from '../src/ui/pose_yaml';
import { at, fourBar, fourBarAngles, fourBarFrame, frameOf, joint, mechanism } from './support/mechanisms';

const sizes = { ground: 0.4, crank: 0.15, coupler: 0.35, rocker: 0.3 };
const angleOf = (poses: Float32Array, body: number): number =>
    2 * Math.atan2(poses[7 * body + 6], poses[7 * body + 3]);
const turned = (difference: number): number => Math.abs(Math.atan2(Math.sin(difference), Math.cos(difference)));

describe('a joint', () => {
  const kinds: [JointKind, number[]][] = [
    ['revolute', [0.7]], ['prismatic', [-0.2]], ['screw', [2.5]], ['cylindrical', [0.4, 0.3]],
    ['universal', [0.5, -0.8]], ['ball', [0.3, -0.4, 0.9]], ['planar', [0.1, -0.2, 1.1]], ['fixed', []],
  ];
  it.each(kinds)('%s: coordinates lead to a place that has them, without an opening', (kind, q) => {
    const one = { ...joint(kind, 'j', [-1, 0], [at(), at()], q.map(() => ({}))), pitch: 0.05 };
    const place = jointPlace(one, q);
    expect(readCoordinates(kind, place, q)).toHaveLength(q.length);
    readCoordinates(kind, place, q).forEach((value, k) => expect(value).toBeCloseTo(q[k], 12));
    for (const opening of openings(one, place, q[0] ?? 0)) expect(Math.abs(opening)).toBeLessThan(1e-14);
  });

  it.each(kinds)('%s: what it forbids opens it', (kind, q) => {
    const one = { ...joint(kind, 'j', [-1, 0], [at(), at()], q.map(() => ({}))), pitch: 0.05 };
    const forbidden = 6 - q.length;
    // Small motions of B by one unit direction each; as many of them stay closed as there are freedoms.
    const columns = Array.from({ length: 6 }, (_, k) => {
      const [p, r] = [new Vector3(), new Vector3()];
      (k < 3 ? p : r).setComponent(k % 3, 1e-6);
      const small: Place = { p, r: new Quaternion(r.x / 2, r.y / 2, r.z / 2, 1).normalize() };
      return openings(one, composed(jointPlace(one, q), small), q[0] ?? 0).map((value) => value / 1e-6);
    });
    expect(6 - freeColumns(columns.map((column) => column.map((value) => Math.round(value * 1e4) / 1e4))).length)
      .toBe(forbidden);
  });

  it('counts turns', () => {
    expect(readCoordinates('revolute', jointPlace(joint('revolute', 'j', [-1, 0], [at(), at()]), [7]), [6.5])[0])
      .toBeCloseTo(7, 12);
  });
});

describe('a tree', () => {
  // Two links of 0.5 m and 0.3 m; the second joint names its bodies the other way round.
  const model = mechanism(2, [
    joint('revolute', 'base', [-1, 0], [at(0, 0, 1), at()], [{ lower: -1, upper: 1 }]),
    joint('revolute', 'elbow', [1, 0], [at(), at(0.5)]),
  ]);
  const frame = frameOf(model, [0, 0, 1, 1, 0, 0, 0, 0.5, 0, 1, 1, 0, 0, 0], [0, 0]);

  it('is posed by its coordinates, by forward kinematics', () => {
    const posing = new Posing(model, frame);
    posing.set(0, 0.6);
    posing.set(1, 0.8);
    expect([posing.poses[7], posing.poses[8], posing.poses[9]].map((x) => Math.round(x * 1e6) / 1e6))
      .toEqual([0.5 * Math.cos(0.6), 0.5 * Math.sin(0.6), 1].map((x) => Math.round(x * 1e6) / 1e6));
    // b is the first link: the second one stands 0.8 rad behind it.
    expect(angleOf(posing.poses, 1)).toBeCloseTo(0.6 - 0.8, 6);
    expect(posing.freeCount).toBe(2);
  });

  it('stops at limits, and goes back to the frame', () => {
    const posing = new Posing(model, frame);
    posing.set(0, 2);
    expect(posing.values[0]).toBe(1);
    posing.reset();
    expect(Array.from(posing.poses)).toEqual(Array.from(frame.poses));
    expect(posing.values).toEqual([0, 0]);
    posing.set(0, NaN);
    expect(posing.values).toEqual([0, 0]);
  });

  it('leaves bodies alone that no joint holds', () => {
    const more = { ...model, bodies: [...model.bodies, { ...model.bodies[0], name: 'ball' }] };
    const posing = new Posing(more, frameOf(more, [...frame.poses, 1, 2, 3, 1, 0, 0, 0], [0, 0]));
    posing.set(0, 0.5);
    expect(Array.from(posing.poses.subarray(14))).toEqual([1, 2, 3, 1, 0, 0, 0]);
  });

  it('of a base that floats turns about the base', () => {
    const floating = mechanism(2, [joint('revolute', 'j', [0, 1], [at(0.5), at()])]);
    const posing = new Posing(floating, frameOf(floating, [3, 0, 0, 1, 0, 0, 0, 3.5, 0, 0, 1, 0, 0, 0], [0]));
    posing.set(0, 1);
    expect(Array.from(posing.poses.subarray(0, 3))).toEqual([3, 0, 0]);
    expect(angleOf(posing.poses, 1)).toBeCloseTo(1, 6);
  });
});

describe('a four-bar linkage', () => {
  it('has one free coordinate, and the others follow as the triangle says, round and round', () => {
    const model = fourBar(sizes);
    const posing = new Posing(model, fourBarFrame(model, sizes, 1));
    expect(posing.coordinates.map(({ free }) => free)).toEqual([true, false, false, false]);
    for (const angle of [1.5, 3, -3, 0.2, -1.2, 2.9]) {
      posing.set(0, angle);
      expect(posing.note).toBe('');
      const wanted = fourBarAngles(sizes, angle);
      expect(turned(angleOf(posing.poses, 0) - angle)).toBeLessThan(1e-6);
      expect(turned(angleOf(posing.poses, 1) - wanted.coupler)).toBeLessThan(1e-6);
      expect(turned(angleOf(posing.poses, 2) - wanted.rocker)).toBeLessThan(1e-6);
      expect(turned(posing.values[3] - (wanted.rocker - wanted.coupler))).toBeLessThan(1e-6);
    }
  });

  it('stops where it cannot be closed, and says so', () => {
    // The crank is too long to turn: it stops where coupler and rocker are in line.
    const stuck = { ground: 0.4, crank: 0.35, coupler: 0.2, rocker: 0.15 };
    const model = fourBar(stuck);
    const posing = new Posing(model, fourBarFrame(model, stuck, 0.6));
    posing.set(0, 3);
    const reach = stuck.coupler + stuck.rocker;
    const end = Math.acos((stuck.ground ** 2 + stuck.crank ** 2 - reach ** 2) / (2 * stuck.ground * stuck.crank));
    expect(posing.values[0]).toBeLessThanOrEqual(end + 1e-9);
    expect(posing.values[0]).toBeGreaterThan(end - 1e-4);
    expect(posing.note).toBe('A stops here: the loop at C cannot be closed any further.');
  });

  it('stops where a joint that follows meets its limit, and names it', () => {
    const begin = fourBarAngles(sizes, 1).rocker;
    const model = fourBar(sizes, { lower: begin - 0.1, upper: begin + 0.1 });
    const posing = new Posing(model, fourBarFrame(model, sizes, 1));
    posing.set(0, 2.5);
    expect(posing.note).toBe('A stops here: D is at its limit.');
    expect(Math.abs(posing.values[2] - begin)).toBeLessThan(0.1 + 2e-6);
    expect(Math.abs(posing.values[2] - begin)).toBeGreaterThan(0.0999);
    expect(turned(fourBarAngles(sizes, posing.values[0]).rocker - posing.values[2])).toBeLessThan(1e-6);
  });

  it('moves on from where it is flat', () => {
    // A parallelogram in line: every joint looks free there.
    const flat = { ground: 0.4, crank: 0.2, coupler: 0.4, rocker: 0.2 };
    const model = fourBar(flat);
    const posing = new Posing(model, frameOf(model, [0, 0, 0, 1, 0, 0, 0, 0.2, 0, 0, 1, 0, 0, 0, 0.4, 0, 0, 1, 0, 0, 0],
                                             [0, 0, 0, 0]));
    posing.set(0, 0.5);
    expect(posing.values[0]).toBeCloseTo(0.5, 9);
    const p = (body: number) => new Vector3().fromArray(posing.poses, 7 * body);
    const r = (body: number) => new Quaternion().fromArray(
        [4, 5, 6, 3].map((k) => posing.poses[7 * body + k]));
    const end = (body: number, x: number) => new Vector3(x, 0, 0).applyQuaternion(r(body)).add(p(body));
    expect(end(1, 0.4).distanceTo(end(2, 0.2))).toBeLessThan(1e-6);
    expect(posing.freeCount).toBe(1);
  });
});

describe('couplings', () => {
  const model = mechanism(2, [
    joint('revolute', 'knuckle', [-1, 0], [at(), at()], [{ motor: 'velocity' }]),
    joint('revolute', 'tip', [0, 1], [at(0.07), at()], [{ lower: 0, upper: 1 }]),
  ], [{ name: 'tendon', joints: [0, 1], freedoms: [0, 0], ratio: 1 / 3, offset: 0.6, breakaway: null }]);
  const frame = frameOf(model, [0, 0, 0, 1, 0, 0, 0, 0.07, 0, 0, Math.cos(0.3), 0, 0, Math.sin(0.3)], [0, 0, 0.6, 0, 0]);
  frame.joints.set([0, 0.6]);

  it('are followed, up to the limit of the follower', () => {
    const posing = new Posing(model, frame);
    expect(posing.coordinates.map(({ free }) => free)).toEqual([true, false]);
    posing.set(0, 0.9);
    expect(posing.values[1]).toBeCloseTo(0.9, 8);
    posing.set(0, 2);
    expect(posing.values[0]).toBeCloseTo(1.2, 5);
    expect(posing.note).toBe('knuckle stops here: tip is at its limit.');
  });

  it('that have slipped hold the offset that they have', () => {
    const slipping = { ...model, couplings: [{ ...model.couplings![0], breakaway: 0.2 }] };
    const slipped = { ...frame, joints: frame.joints.slice() };
    slipped.joints.set([0.3, 0.4, 0, 0, 0.3]); // 0.4 = 0.3/3 + 0.3
    const posing = new Posing(slipping, slipped);
    posing.set(0, 0.6);
    expect(posing.values[1]).toBeCloseTo(0.5, 6);
  });

  it('leave their followers out of the YAML', () => {
    const posing = new Posing(model, frame);
    posing.set(0, 0.25);
    expect(poseYaml(model, posing)).toBe('joints:\n  knuckle: {position: 0.25}\n');
  });
});

describe('a pose as YAML', () => {
  it('has one entry per joint, lists of several freedoms, and robots apart', () => {
    const model = mechanism(4, [
      joint('universal', 'wrist', [-1, 0], [at(), at()], [{}, {}]),
      joint('prismatic', 'arm.slide', [0, 1], [at(), at()]),
      joint('fixed', 'arm.flange', [1, 2], [at(), at()], []),
      joint('revolute', 'on', [2, 3], [at(), at()]),
    ]);
    const posing = new Posing(model, frameOf(model, [0, 0, 0, 1, 0, 0, 0].concat(...Array(3).fill([0, 0, 0, 1, 0, 0, 0])), []));
    posing.set(0, 0.5);
    posing.set(2, -0.125);
    expect(poseYaml(model, posing)).toBe('joints:\n  wrist: {position: [0.5, 0]}\n  "on": {position: 0}\n' +
        'robots:\n  arm:\n    joints:\n      slide: {position: -0.125}\n');
  });

  it('turns a ball along the axes of the first body', () => {
    // Frame A is turned by a quarter about x: a turn about its z is one about −y of the body.
    const quarter: [number, number, number, number] = [Math.SQRT1_2, Math.SQRT1_2, 0, 0];
    const model = mechanism(1, [joint('ball', 'hip', [-1, 0], [at(0, 0, 0, quarter), at(0, 0, 0, quarter)], [{}, {}, {}])]);
    const posing = new Posing(model, frameOf(model, [0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0]));
    posing.set(2, 1);
    const [w, x, y, z] = poseYaml(model, posing).match(/\[(.*)\]/)![1].split(', ').map(Number);
    expect([w, x, y, z].map((value) => Math.round(value * 1e9) / 1e9))
      .toEqual([Math.cos(0.5), 0, -Math.sin(0.5), 0].map((value) => Math.round(value * 1e9) / 1e9 + 0));
  });
});

describe('small equations', () => {
  it('are solved by the shortest x where many do', () => {
    leastSquares([[1, 0], [1, 0]], [2, 0]).forEach((value) => expect(value).toBeCloseTo(1, 5));
    leastSquares([[2, 1], [1, 3]], [5, 10]).forEach((value, i) => expect(value).toBeCloseTo([1, 3][i], 5));
  });

  it('leave as many columns free as they do not fix', () => {
    expect(freeColumns([[1, 0], [2, 0], [0, 1], [1, 1]])).toEqual([1, 3]);
    expect(freeColumns([[], []])).toEqual([0, 1]);
  });

  it('and places are undone by their inverse', () => {
    const place = placeOf(at(1, -2, 0.5, [0.5, 0.5, -0.5, 0.5]));
    const { p, r } = composed(place, inverted(place));
    expect(p.length()).toBeLessThan(1e-15);
    expect(Math.abs(r.w)).toBeCloseTo(1, 15);
  });
});
