// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { BlockCache } from '../src/data/block_cache';
import { FrameStore } from '../src/data/frame_store';
import type { FrameBlock } from '../src/data/types';
import { MemorySource } from './support/memory_source';
import { syntheticRun } from './support/synthetic_run';

async function storeOf(frames: number, capacity = 1 << 28) {
  const run = syntheticRun({ world: 'planar', bodies: 2, frames, step: 0.001 });
  const source = new MemorySource(run);
  const cache = new BlockCache<FrameBlock>(capacity);
  const store = new FrameStore(source, 'run', cache, () => undefined);
  await store.overview.extend(source);
  source.queries.length = 0;
  return { run, source, store, cache };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('the frame store', () => {
  it('answers at once what it has, and loads the block of what it has not', async () => {
    const { run, source, store } = await storeOf(1000);
    expect(store.frame(250)).toBeNull();
    expect(store.frame(251)).toBeNull();
    await settled();
    expect(source.queries.map(({ first, count }) => [first, count])).toEqual([[200, 100]]);
    expect(store.frame(250)).toEqual(run.frame(250));
  });

  it('reads ahead in the direction of play', async () => {
    const { source, store } = await storeOf(1000);
    store.readAhead(250, 1);
    expect(source.queries.map(({ first }) => first)).toEqual([300, 400, 500]);
    await settled();
    source.queries.length = 0;
    store.readAhead(250, -1);
    store.readAhead(999, 1);
    store.readAhead(0, -1);
    expect(source.queries.map(({ first }) => first)).toEqual([100, 0]);
  });

  it('asks for few blocks at a time, however wildly one scrubs', async () => {
    const { source, store } = await storeOf(5000);
    for (let i = 0; i < 50; ++i) store.frame(i * 100);
    expect(source.queries.length).toBeLessThanOrEqual(3);
    await settled();
    store.frame(4900);
    await settled();
    expect(store.frame(4900)?.index).toBe(4900);
  });

  it('skips frames when play is faster than blocks can come, and not otherwise', async () => {
    const { run, source, store } = await storeOf(5000);
    expect([1, 60, 250, 1000, 10_000].map((rate) => store.strideFor(rate))).toEqual([1, 1, 1, 16, 128]);
    expect(store.frame(2000, 16)).toBeNull();
    await settled();
    expect(source.queries[0]).toMatchObject({ first: 1600, count: 100, stride: 16 });
    expect(store.frame(2007, 16)).toEqual(run.frame(2000));
    expect(store.frame(2007)).toBeNull();
    await settled();
    expect(store.frame(2007, 16)).toEqual(run.frame(2007));
  });

  it('stays within its bytes while a whole run is played', async () => {
    const { store, cache } = await storeOf(3000, 200_000);
    for (let i = 0; i < 3000; i += 10) await store.load(i);
    expect(cache.bytes).toBeLessThanOrEqual(200_000);
    expect(cache.size).toBeGreaterThan(1);
  });

  it('loads the end of a growing run again when it has grown', async () => {
    const { run, source, store } = await storeOf(150);
    await store.load(149);
    source.description.frames = 180;
    expect(store.frame(170)).toBeNull();
    await settled();
    expect(store.frame(170)).toEqual(run.frame(170));
    expect(store.frame(180)).toBeNull();
  });

  it('keeps what went wrong, does not ask again in a hurry, and retries when told', async () => {
    const { source, store } = await storeOf(150);
    source.failure = 'the disk is gone';
    expect(store.frame(0)).toBeNull();
    await settled();
    expect(store.error).toBe('the disk is gone');
    store.frame(0);
    expect(source.queries.length).toBe(1);
    source.failure = null;
    store.retry();
    store.frame(0);
    await settled();
    expect([store.error, store.frame(0)?.index]).toEqual([null, 0]);
    await expect(store.load(9999)).rejects.toThrow(/no frame 9999/);
  });

  it('finds frames of a long run by time, corrected where step sizes vary', async () => {
    const { run, source } = await storeOf(0);
    const uneven = { ...run, description: { ...run.description, frames: 60_000 },
                     frame: (i: number) => ({ ...run.frame(i), time: 0.001 * i + 0.0009 * Math.sin(i) }) };
    expect(source.queries.length).toBe(0);
    const long = new MemorySource(uneven);
    const store = new FrameStore(long, 'long', new BlockCache<FrameBlock>(1 << 28), () => undefined);
    await store.overview.extend(long);
    for (const index of [12_345, 40_001, 40_099]) {
      const time = 0.001 * index + 0.0009 * Math.sin(index);
      await store.load(store.indexAt(time));
      await store.load(store.indexAt(time));
      expect(store.indexAt(time)).toBe(index);
    }
  });
});
