// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Overview } from '../src/data/overview';
import { bodySeries, coneUsage, contactSeries, overviewSeries, seriesPoints, strideFor } from '../src/data/series';
import type { Contacts } from '../src/data/types';
import { MemorySource } from './support/memory_source';
import { syntheticRun } from './support/synthetic_run';

describe('curves for plots', () => {
  it('take every frame of a short run, and no more than their limit of a long one', () => {
    expect(strideFor(1500)).toBe(1);
    expect(strideFor(2001)).toBe(2);
    for (const frames of [1, 2000, 2001, 9999, 1_234_567])
      expect(Math.ceil(frames / strideFor(frames))).toBeLessThanOrEqual(seriesPoints);
  });

  it('of a body follow its position and velocity', async () => {
    const run = syntheticRun({ world: 'planar', bodies: 3, frames: 5000, step: 0.001 });
    const source = new MemorySource(run);
    const { position, velocity } = await bodySeries(source, 2);
    expect(source.queries[0]).toMatchObject({ poses: 2, velocities: 2, contacts: 'none', stride: 3 });
    expect(position.time.length).toBe(1667);
    const frame = run.frame(300);
    expect(position.values.map((curve) => curve[100])).toEqual(Array.from(frame.poses.subarray(14, 17)));
    expect(velocity.values.map((curve) => curve[100])).toEqual(Array.from(frame.velocities.subarray(3, 6)));
  });

  it('of a fixed body have no velocity', async () => {
    const source = new MemorySource(syntheticRun({ world: 'planar', bodies: 1, frames: 10 }));
    expect((await bodySeries(source, 0)).velocity.values).toEqual([]);
  });

  it('of a contact are empty while it is away', async () => {
    const run = syntheticRun({ world: 'planar', bodies: 1, frames: 200 });
    const { gap, impulse, usage } = await contactSeries(new MemorySource(run), [0, 1, 0, 1]);
    expect(gap.values[0][0]).toBeNull();
    expect(impulse.values[0][199]).toBeCloseTo((9.81 * 0.01) / 2, 6);
    expect(usage.values[0].filter((value) => value !== null && value > 1.001)).toEqual([]);
    expect(usage.values[0][199]).toBeCloseTo(0.4, 5);
  });

  it('of the overview keep the worst step of a long run', async () => {
    const run = syntheticRun({ world: 'planar', bodies: 0, frames: 15_000, step: 0.001 });
    const spiked = { ...run, frame: (i: number) => ({ ...run.frame(i), residual: i === 7777 ? 0.5 : 1e-9 }) };
    const overview = new Overview();
    await overview.extend(new MemorySource(spiked));
    const { time, values } = overviewSeries(overview, [(column) => column('residual')]);
    expect(time.length).toBeLessThanOrEqual(seriesPoints);
    expect(Math.max(...values[0].map(Number))).toBe(0.5);
    expect(time.every((t, i) => i === 0 || t > time[i - 1])).toBe(true);
  });

  it('leave out what is not finite', async () => {
    const run = syntheticRun({ world: 'planar', bodies: 0, frames: 3 });
    const overview = new Overview();
    await overview.extend(new MemorySource({ ...run, frame: (i) => ({ ...run.frame(i), kinetic: NaN }) }));
    expect(overviewSeries(overview, [(column) => column('kinetic')]).values[0]).toEqual([null, null, null]);
  });

  it('use a cone fully where friction slides', () => {
    const used = (impulse: number[], friction: number, friction2 = friction) =>
        coneUsage({ impulse: Float32Array.from(impulse), friction: Float32Array.of(friction),
                    friction2: Float32Array.of(friction2) } as Contacts, 0);
    expect(used([2, 0.6, 0], 0.3)).toBeCloseTo(1, 6);
    expect(used([1, 0.12, 0.4], 0.2, 0.5)).toBeCloseTo(1, 6);
    expect(used([1, 0, 0.25], 0, 0.5)).toBeCloseTo(0.5, 6);
    expect(used([0, 0, 0], 0.3)).toBeNaN();
    expect(used([1, 0, 0], 0)).toBeNaN();
  });
});
