// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { EmbeddedSource, unpacked, type EmbeddedBlock } from '../src/data/embedded_source';
import { frameOf } from '../src/data/frame_block';
import { packedBlock, pageWithRuns, runsMarker } from './support/embedded_page';
import { syntheticRun } from './support/synthetic_run';

const run = syntheticRun({ world: 'planar', bodies: 4, frames: 130 });

function blocks(size = 50): EmbeddedBlock[] {
  const all: EmbeddedBlock[] = [];
  for (let first = 0; first < 130; first += size) {
    const count = Math.min(size, 130 - first);
    all.push({ first, count, text: () => packedBlock(run, first, count) });
  }
  return all;
}

const source = () => new EmbeddedSource(run.description, run.models, blocks());
const everything = { poses: 'all', velocities: 'all', contacts: 'all', joints: 'all' } as const;

describe('a run inside the page', () => {
  it('gives back the frames that were put in', async () => {
    const { first, count } = source().blockRange(70);
    expect([first, count]).toEqual([50, 50]);
    const block = await source().frames({ first, count, stride: 1, ...everything });
    for (let i = 0; i < count; ++i) expect(frameOf(block, i)).toEqual(run.frame(first + i));
  });

  it('answers questions across its blocks', async () => {
    const block = await source().frames({ first: 1, count: 13, stride: 10, ...everything });
    expect(frameOf(block, 12)).toEqual(run.frame(121));
  });

  it('picks one body, and one contact', async () => {
    const block = await source().frames(
      { first: 0, count: 130, stride: 1, poses: 2, velocities: 2, contacts: [0, 2, 0, 1], joints: 'none' });
    const frame = frameOf(block, 129);
    expect(frame.poses).toEqual(run.frame(129).poses.slice(14, 21));
    expect(frame.velocities).toEqual(run.frame(129).velocities.slice(3, 6));
    expect(Array.from(frame.contacts.key)).toEqual([0, 2, 0, 1]);
  });

  it('that lacks frames is refused', () => {
    expect(() => new EmbeddedSource(run.description, run.models, blocks().slice(0, 2))).toThrow(/holds 100 of 130 frames/);
    expect(() => new EmbeddedSource(run.description, run.models, blocks().slice(1))).toThrow(/frame 0 is missing/);
  });

  it('whose blocks are damaged says so', async () => {
    const texts = ['', '%%%', btoa('no gzip at all'), packedBlock(run, 0, 50).slice(0, 400), packedBlock(run, 50, 50)];
    for (const text of texts) {
      const [, ...rest] = blocks();
      const broken = new EmbeddedSource(run.description, run.models, [{ first: 0, count: 50, text: () => text }, ...rest]);
      await expect(broken.frames({ first: 0, count: 1, stride: 1, ...everything })).rejects.toThrow(/damaged/);
    }
  });

  it('without its model says so', async () => {
    await expect(new EmbeddedSource(run.description, [], blocks()).model(0)).rejects.toThrow(/model/);
  });

  it('unpacks base64 that is broken into lines', async () => {
    const text = packedBlock(run, 0, 50).replace(/(.{76})/g, '$1\n');
    expect((await unpacked(text)).byteLength).toBeGreaterThan(1000);
  });
});

describe('a page with runs', () => {
  it('holds no text that could end a script early', () => {
    const evil = { ...run, description: { ...run.description, title: '</script><script>' } };
    const page = pageWithRuns(`<body>${runsMarker}</body>`, [evil]);
    expect(page.match(/<script/g)!.length).toBe(page.match(/<\/script>/g)!.length);
  });
});
