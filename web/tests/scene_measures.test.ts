// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { type Ball, SeenPlaces, sceneExtents, union, withoutOutliers } from '../src/scene/extents';
import { ForceReference, lengthText, LogHistogram, niceLength } from '../src/scene/scales';

describe('nice lengths', () => {
  it('are 1, 2 or 5 times a power of ten and never beyond the limit', () => {
    expect([1, 1.9, 2, 4.99, 5, 9.99, 0.07, 0.3, 1234].map(niceLength)).toEqual([
      1, 1, 2, 2, 5, 5, 0.05, 0.2, 1000,
    ]);
    for (let exponent = -9; exponent < 6; exponent += 0.037) {
      const limit = 10 ** exponent;
      expect(niceLength(limit)).toBeLessThanOrEqual(limit * (1 + 1e-9));
      expect(niceLength(limit)).toBeGreaterThan(limit / 2.5 - 1e-15);
    }
  });

  it('are read in the unit that suits them', () => {
    const texts = [2e-9, 5e-6, 1e-3, 0.005, 0.05, 0.5, 1, 200, 5000].map(lengthText);
    expect(texts).toEqual([
      '2 nm',
      '5 µm',
      '1 mm',
      '5 mm',
      '5 cm',
      '50 cm',
      '1 m',
      '200 m',
      '5 km',
    ]);
  });
});

describe('a histogram by size', () => {
  it('knows quantiles to a quarter of an octave over all magnitudes', () => {
    const histogram = new LogHistogram();
    for (let i = 1; i <= 1000; ++i) histogram.add(i * 1e-12);
    for (const share of [0.1, 0.5, 0.95]) {
      const error = histogram.quantile(share) / (share * 1e-9);
      expect(Math.abs(Math.log2(error))).toBeLessThanOrEqual(0.13);
    }
  });

  it('leaves out what is no positive number', () => {
    const histogram = new LogHistogram();
    [0, -1, NaN, Infinity].forEach((value) => histogram.add(value));
    expect(histogram.count).toBe(0);
    expect(histogram.quantile(0.5)).toBe(0);
  });
});

describe('the reference force of arrows', () => {
  const show = (reference: ForceReference, forces: number[]): number => {
    reference.beginFrame();
    forces.forEach((force) => reference.add(force));
    reference.endFrame();
    return reference.force;
  };

  it('is the force of a run at rest', () => {
    const reference = new ForceReference();
    for (let i = 0; i < 20; ++i) show(reference, [10, 10, 10]);
    expect(reference.force / 10).toBeCloseTo(1, 0);
  });

  it('stays with the usual forces through impacts a thousand times as strong', () => {
    const reference = new ForceReference();
    for (let i = 0; i < 100; ++i) show(reference, [i % 10 === 5 ? 1e4 : 10]);
    expect(reference.force).toBeLessThan(15);
  });

  it('changes by little from one frame to the next once frames have been seen', () => {
    const reference = new ForceReference();
    for (let i = 0; i < 50; ++i) show(reference, [1]);
    let before = reference.force;
    for (let i = 0; i < 300; ++i) {
      const now = show(reference, [1000]);
      expect(now / before).toBeLessThan(1.3);
      expect(now).toBeGreaterThanOrEqual(before * 0.999);
      before = now;
    }
    expect(before).toBeGreaterThan(500);
  });

  it('does not change in frames without contacts', () => {
    const reference = new ForceReference();
    show(reference, [7]);
    const before = reference.force;
    for (let i = 0; i < 10; ++i) expect(show(reference, [0, 0])).toBe(before);
  });
});

const ball = (x: number, y: number, z: number, radius = 0.1): Ball => ({
  centre: [x, y, z],
  radius,
});
const pile = Array.from({ length: 60 }, (_, i) =>
  ball((i % 4) * 0.2, (Math.floor(i / 4) % 4) * 0.2, Math.floor(i / 16) * 0.2),
);
const nothing = { free: [], fixed: [], seen: [], grounds: [], anchors: [] };

describe('what the camera shows', () => {
  it('is all of a pile', () => {
    expect(withoutOutliers(pile)).toHaveLength(pile.length);
    expect(sceneExtents({ ...nothing, free: pile })).toEqual(union(pile));
  });

  it('is not the body that fell off the world', () => {
    const fallen = [...pile, ball(0, 0, -4000), ball(0.1, 0, -5000)];
    expect(sceneExtents({ ...nothing, free: fallen })).toEqual(union(pile));
  });

  it('is not a ground huge against what stands on it, but the fixed things around it', () => {
    const peg = ball(1, 0, 0, 0.05);
    const extents = sceneExtents({ ...nothing, free: pile, fixed: [ball(0, 0, -500, 500), peg] });
    expect(extents).toEqual(union([...pile, peg]));
  });

  it('reaches down to the ground below', () => {
    const ground = { point: [5, 0, 0], normal: [0, 1, 0] } as const;
    const extents = sceneExtents({ ...nothing, free: [ball(0, 1, 0)], grounds: [ground] })!;
    expect(extents.lower[1]).toBe(0);
    expect(extents.upper[1]).toBeCloseTo(1.1, 12);
  });

  it('reaches to what bodies hang on, within reason', () => {
    const anchors = [[0, 3, 0], [0, 3000, 0]] as [number, number, number][];
    const extents = sceneExtents({ ...nothing, free: [ball(0, 0, 0)], anchors })!;
    expect([extents.lower[1], extents.upper[1]]).toEqual([-0.1, 3]);
  });

  it('reaches where bodies were in frames seen, within reason', () => {
    const seen = [ball(0, 1, 0), ball(0.5, 0.5, 0), ball(0, -1000, 0)];
    const extents = sceneExtents({ ...nothing, free: [ball(0, 0, 0)], seen })!;
    expect(extents.upper).toEqual([0.6, 1.1, 0.1]);
    expect(extents.lower[1]).toBe(-0.1);
  });

  it('is nothing when there is nothing, and the fixed bodies when nothing moves', () => {
    expect(sceneExtents(nothing)).toBeNull();
    expect(sceneExtents({ ...nothing, fixed: [ball(1, 2, 3)] })).toEqual(union([ball(1, 2, 3)]));
    expect(sceneExtents({ ...nothing, free: [ball(NaN, 0, 0)] })).toBeNull();
  });
});

describe('places seen', () => {
  const at = (x: number): Float64Array => new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1, x, 0, 0]);

  it('stay bounded and cover the whole run', () => {
    const places = new SeenPlaces();
    places.reset([0], [0.1]);
    for (let frame = 0; frame < 10000; ++frame) places.observe(frame, at(frame));
    const seen = places.balls().map(({ centre }) => centre[0]);
    expect(seen.length).toBeLessThanOrEqual(SeenPlaces.frames);
    expect(seen.length).toBeGreaterThan(SeenPlaces.frames / 3);
    expect(Math.max(...seen)).toBeGreaterThan(9000);
    expect(Math.min(...seen)).toBe(0);
  });

  it('are not counted twice', () => {
    const places = new SeenPlaces();
    places.reset([0], [0.1]);
    for (let i = 0; i < 10; ++i) places.observe(3, at(3));
    expect(places.balls()).toHaveLength(1);
  });
});
