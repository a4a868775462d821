// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { decodeFrameBlock, frameOf } from '../src/data/frame_block';
import { encodeBlock } from './support/encode_block';
import { syntheticRun } from './support/synthetic_run';

const run = syntheticRun({ world: 'spatial', bodies: 3, frames: 80 });
const frames = Array.from({ length: 60 }, (_, i) => run.frame(i + 10));
const limits = { bodies: 4, entries: 18, models: 1 };
const good = () => encodeBlock(frames, { bodies: 4, entries: 18 });

// A block with one word of its header, or one at a byte offset, replaced.
function damaged(word: number, value: number): ArrayBuffer {
  const block = good();
  new Uint32Array(block)[word] = value;
  return block;
}

describe('a good frame block', () => {
  it('gives back every frame as it was', () => {
    const block = decodeFrameBlock(good(), limits);
    expect(block.frames).toBe(60);
    expect(block.first).toBe(10);
    frames.forEach((frame, i) => expect(frameOf(block, i)).toEqual(frame));
  });

  it('without poses, velocities and contacts has empty ones', () => {
    const bytes = encodeBlock(frames, { bodies: 4, entries: 18, poses: false, velocities: false, contacts: false });
    const frame = frameOf(decodeFrameBlock(bytes, limits), 5);
    expect(frame.time).toBe(frames[5].time);
    expect([frame.poses.length, frame.velocities.length, frame.contacts.count]).toEqual([0, 0, 0]);
  });

  it('may hold no frame at all', () => {
    expect(decodeFrameBlock(encodeBlock([], { bodies: 4, entries: 18 }), limits).frames).toBe(0);
  });

  it('of one body with a stride keeps its frame numbers', () => {
    const one = frames.filter((_, i) => i % 5 === 0).map((frame) =>
      ({ ...frame, poses: frame.poses.subarray(7, 14), velocities: frame.velocities.subarray(0, 6) }));
    const bytes = encodeBlock(one, { bodies: 1, entries: 6, stride: 5, bodyFilter: 1, contacts: false });
    const block = decodeFrameBlock(bytes, limits);
    expect(frameOf(block, 3).index).toBe(25);
    expect(frameOf(block, 3).poses).toEqual(one[3].poses);
  });
});

describe('a damaged frame block is told, not believed:', () => {
  it('cut off at any place', () => {
    const block = good();
    for (let length = 0; length < block.byteLength; length += 8)
      expect(() => decodeFrameBlock(block.slice(0, length), limits)).toThrow(/cut off/);
  });

  it('with bytes behind its end', () => {
    const longer = new Uint8Array(good().byteLength + 8);
    longer.set(new Uint8Array(good()));
    expect(() => decodeFrameBlock(longer.buffer, limits)).toThrow(/8 bytes too many/);
  });

  it('with another magic or version', () => {
    expect(() => decodeFrameBlock(damaged(0, 7), limits)).toThrow(/no frame block/);
    expect(() => decodeFrameBlock(damaged(1, 1), limits)).toThrow(/version 1/);
  });

  it('with absurd counts', () => {
    for (const word of [2, 3, 4, 5])
      expect(() => decodeFrameBlock(damaged(word, 0xffffffff), limits)).toThrow(/cut off|more|do not fill/);
    expect(() => decodeFrameBlock(damaged(7, 0), limits)).toThrow(/stride of 0/);
  });

  it('with contacts that run backwards, or beyond the rows', () => {
    const starts = 16 + 2 * 6 * 60 + 5 * 60; // words before the column
    expect(() => decodeFrameBlock(damaged(starts + 3, 4_000_000_000), limits)).toThrow(/backwards/);
    expect(() => decodeFrameBlock(damaged(starts + 60, 1), limits)).toThrow(/do not fill|backwards/);
    expect(() => decodeFrameBlock(damaged(starts, 1), limits)).toThrow(/do not fill/);
  });

  it('with a time that is no number or runs backwards', () => {
    const bytes = good();
    new Float64Array(bytes, 64)[4] = NaN;
    expect(() => decodeFrameBlock(bytes, limits)).toThrow(/time/);
  });

  it('with a body or a model that the run does not have', () => {
    expect(() => decodeFrameBlock(good(), { ...limits, bodies: 3 })).toThrow(/4 bodies, the run 3/);
    const wrongModel = encodeBlock([{ ...frames[0], model: 1 }], { bodies: 4, entries: 18 });
    expect(() => decodeFrameBlock(wrongModel, limits)).toThrow(/model/);
    const contacts = { ...frames[59].contacts, bodies: frames[59].contacts.bodies.map(() => 9) };
    const wrongBody = encodeBlock([{ ...frames[59], contacts }], { bodies: 4, entries: 18 });
    expect(() => decodeFrameBlock(wrongBody, limits)).toThrow(/contact names a body/);
  });
});
