// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { BlockCache } from '../src/data/block_cache';

describe('the block cache', () => {
  it('never holds more bytes than its capacity', () => {
    const cache = new BlockCache<{ bytes: number }>(100);
    for (let i = 0; i < 1000; ++i) {
      cache.set(String(i), { bytes: 1 + (i * 7) % 40 });
      expect(cache.bytes).toBeLessThanOrEqual(100);
    }
    expect(cache.size).toBeGreaterThan(1);
  });

  it('forgets what was used longest ago', () => {
    const cache = new BlockCache<{ bytes: number }>(30);
    for (const key of ['a', 'b', 'c']) cache.set(key, { bytes: 10 });
    cache.get('a');
    cache.set('d', { bytes: 10 });
    expect(['a', 'b', 'c', 'd'].map((key) => cache.has(key))).toEqual([true, false, true, true]);
  });

  it('keeps the newest one even if it alone is too large', () => {
    const cache = new BlockCache<{ bytes: number }>(30);
    cache.set('a', { bytes: 10 });
    cache.set('large', { bytes: 500 });
    expect(cache.has('large')).toBe(true);
    expect(cache.size).toBe(1);
    cache.set('b', { bytes: 10 });
    expect([cache.has('large'), cache.bytes]).toEqual([false, 10]);
  });

  it('counts a replaced value once', () => {
    const cache = new BlockCache<{ bytes: number }>(30);
    cache.set('a', { bytes: 10 });
    cache.set('a', { bytes: 20 });
    expect(cache.bytes).toBe(20);
    cache.delete('a');
    cache.delete('a');
    expect(cache.bytes).toBe(0);
  });

  it('drops the oldest at once when its limit is lowered', () => {
    const cache = new BlockCache<{ bytes: number }>(30);
    for (const key of ['a', 'b', 'c']) cache.set(key, { bytes: 10 });
    cache.limit = 15;
    expect([cache.limit, cache.bytes, cache.has('c')]).toEqual([15, 10, true]);
  });
});
