// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { webmFile, type EncodedPicture } from '../src/ui/webm_writer';

interface Element { id: number; data: Uint8Array; children: Element[] }
const masters = new Set([0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1f43b675]);

// Reads EBML back: every element, with the elements inside.
function parsed(bytes: Uint8Array): Element[] {
  const all: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const idLength = Math.clz32(bytes[at]) - 23;
    let id = 0;
    for (let i = 0; i < idLength; ++i) id = id * 256 + bytes[at + i];
    at += idLength;
    const sizeLength = Math.clz32(bytes[at]) - 23;
    let size = bytes[at] & (0xff >> sizeLength);
    for (let i = 1; i < sizeLength; ++i) size = size * 256 + bytes[at + i];
    at += sizeLength;
    expect(at + size).toBeLessThanOrEqual(bytes.length);
    const data = bytes.subarray(at, at + size);
    all.push({ id, data, children: masters.has(id) ? parsed(data) : [] });
    at += size;
  }
  return all;
}

const picture = (i: number): EncodedPicture =>
  ({ time: i * 40, key: i % 10 === 0, data: Uint8Array.of(i, i + 1, i + 2) });

describe('a WebM file', () => {
  it('holds its pictures in order, in clusters that begin with a key picture', async () => {
    const pictures = Array.from({ length: 25 }, (_, i) => picture(i));
    const blob = webmFile({ codec: 'V_VP9', width: 640, height: 360, duration: 1000 }, pictures);
    const [head, segment] = parsed(new Uint8Array(await blob.arrayBuffer()));
    expect(new TextDecoder().decode(head.children.find(({ id }) => id === 0x4282)!.data)).toBe('webm');
    const clusters = segment.children.filter(({ id }) => id === 0x1f43b675);
    expect(clusters.map(({ children }) => children.length - 1)).toEqual([10, 10, 5]);
    const times = clusters.flatMap(({ children: [stamp, ...blocks] }) => {
      const start = new DataView(stamp.data.buffer, stamp.data.byteOffset).getUint32(0);
      expect(blocks[0].data[3]).toBe(0x80);
      return blocks.map(({ data }) => start + data[1] * 256 + data[2]);
    });
    expect(times).toEqual(pictures.map(({ time }) => time));
    const last = clusters[2].children.at(-1)!;
    expect(Array.from(last.data.subarray(4))).toEqual([24, 25, 26]);
  });

  it('splits a long stretch without key pictures, whose times would not fit', async () => {
    const pictures = [0, 20_000, 40_000, 70_000].map((time, i) => ({ ...picture(i), time, key: i === 0 }));
    const blob = webmFile({ codec: 'V_VP8', width: 2, height: 2, duration: 70_040 }, pictures);
    const [, segment] = parsed(new Uint8Array(await blob.arrayBuffer()));
    const clusters = segment.children.filter(({ id }) => id === 0x1f43b675);
    expect(clusters.map(({ children }) => children.length - 1)).toEqual([2, 2]);
  });
});
