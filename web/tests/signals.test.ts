// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { BlockBuilder } from '../src/data/block_builder';
import { decodeFrameBlock, frameOf } from '../src/data/frame_block';
import { signalSeries } from '../src/data/series';
import { groupedSignals } from '../src/data/signals';
import { MemorySource } from './support/memory_source';
import { encodeBlock } from './support/encode_block';
import { syntheticRun } from './support/synthetic_run';

const names = ['pd.effort_elbow [N m]', 'pd.effort_wrist [N m]', 'pd.error [rad]', 'gate.gap', 'gate.force', 'bare'];

describe('signals', () => {
  it('are plotted together where they are of one controller and unit', () => {
    expect(groupedSignals(names).map(({ title, unit, labels, columns }) => [title, unit, labels, columns])).toEqual([
      ['pd', 'N m', ['effort_elbow', 'effort_wrist'], [0, 1]], ['pd', 'rad', ['error'], [2]],
      ['gate, gap', '', ['gap'], [3]], ['gate, force', '', ['force'], [4]], ['bare', '', ['bare'], [5]]]);
    expect(groupedSignals([])).toEqual([]);
  });

  const run = () => {
    const made = syntheticRun({ frames: 5, bodies: 2, world: 'planar' });
    const frame = made.frame.bind(made);
    made.frame = (index: number) => ({ ...frame(index), signals: Float32Array.from([index, -index, NaN]) });
    return made;
  };

  it('come through a block', () => {
    const made = run();
    const block = decodeFrameBlock(encodeBlock([0, 1, 2].map((i) => made.frame(i)), { bodies: 3, entries: 6 }));
    expect(block.signalNumbers).toBe(3);
    expect([...frameOf(block, 2).signals]).toEqual([2, -2, NaN]);
    const builder = new BlockBuilder();
    builder.add(frameOf(block, 1));
    expect([...builder.build({ first: 1, stride: 1 }).signals]).toEqual([1, -1, NaN]);
  });

  it('are curves with gaps where there is no number', async () => {
    const { time, values } = await signalSeries(new MemorySource(run()), [1, 2]);
    expect(time).toHaveLength(5);
    expect(values).toEqual([[-0, -1, -2, -3, -4], [null, null, null, null, null]]);
  });
});
