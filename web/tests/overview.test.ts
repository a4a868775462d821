// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Overview, lastAtOrBefore, overviewLimit } from '../src/data/overview';
import { MemorySource } from './support/memory_source';
import { syntheticRun } from './support/synthetic_run';

async function overviewOf(frames: number): Promise<{ overview: Overview; source: MemorySource }> {
  const source = new MemorySource(syntheticRun({ world: 'planar', bodies: 0, frames, step: 0.001 }));
  const overview = new Overview();
  await overview.extend(source);
  return { overview, source };
}

describe('the overview of a run', () => {
  it('knows the time of every frame of a short run', async () => {
    const { overview } = await overviewOf(1200);
    expect(overview.stride).toBe(1);
    for (const frame of [0, 1, 599, 1199]) {
      expect(overview.timeOf(frame)).toBeCloseTo(frame * 0.001, 12);
      expect(overview.frameAt(frame * 0.001)).toBe(frame);
    }
    expect(overview.frameAt(0.0105)).toBe(10);
    expect([overview.frameAt(-1), overview.frameAt(99)]).toEqual([0, 1199]);
  });

  it('asks for scalars only, in parts', async () => {
    const { source } = await overviewOf(12_000);
    expect(source.queries.every((query) => query.poses === 'none' && query.contacts === 'none')).toBe(true);
    expect(Math.max(...source.queries.map((query) => query.count))).toBeLessThanOrEqual(5000);
  });

  it('holds a bounded number of samples of a long run and interpolates between them', async () => {
    const { overview } = await overviewOf(90_001);
    expect(overview.stride).toBe(8);
    expect(overview.length).toBeLessThanOrEqual(overviewLimit);
    for (const frame of [0, 7, 8, 12_345, 89_999, 90_000]) {
      expect(overview.frameAt((frame + 0.3) * 0.001)).toBe(frame);
      expect(overview.timeOf(frame)).toBeCloseTo(frame * 0.001, 9);
    }
    expect(overview.endTime).toBeCloseTo(90, 9);
  });

  it('learns only of the new frames when a run grows, and thins out as it becomes long', async () => {
    const { overview, source } = await overviewOf(500);
    source.queries.length = 0;
    source.description.frames = 700;
    await Promise.all([overview.extend(source), overview.extend(source)]);
    expect(source.queries.map(({ first, count }) => [first, count])).toEqual([[500, 200]]);
    expect(overview.frameAt(0.6)).toBe(600);
    source.description.frames = 50_000;
    await overview.extend(source);
    expect(overview.stride).toBe(4);
    expect(overview.frameAt(31.2345)).toBe(31_234);
  });

  it('knows all frames before a damaged one', async () => {
    const run = syntheticRun({ world: 'planar', bodies: 0, frames: 9000, step: 0.001 });
    const frame = (i: number) => {
      if (i >= 1234) throw new Error('frame 1234 is damaged');
      return run.frame(i);
    };
    const source = new MemorySource({ ...run, frame });
    const overview = new Overview();
    await expect(overview.extend(source)).rejects.toThrow(/frame 1234 is damaged/);
    expect([overview.length, overview.reach]).toEqual([1234, 1234]);
    expect(overview.endTime).toBeCloseTo(1.233, 9);
    expect(overview.frameAt(5)).toBe(1233);
    expect(source.queries.length).toBeLessThan(40);
  });

  it('of a run without frames is empty', async () => {
    const { overview } = await overviewOf(0);
    expect([overview.length, overview.startTime, overview.endTime, overview.frameAt(1)]).toEqual([0, 0, 0, 0]);
  });
});

describe('the search for a time', () => {
  it('finds the last one at or before, forgiving rounding', () => {
    const times = Float64Array.of(0, 0.1, 0.2, 0.30000000000000004);
    expect([-1, 0, 0.05, 0.1, 0.3, 9].map((time) => lastAtOrBefore(times, 4, time))).toEqual([0, 0, 0, 1, 3, 3]);
  });
});
