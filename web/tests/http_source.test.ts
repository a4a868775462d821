// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, it, vi } from 'vitest';
import { frameOf } from '../src/data/frame_block';
import { httpRuns } from '../src/data/http_source';
import type { FrameQuery, RunSource } from '../src/data/source';
import { encodeBlock } from './support/encode_block';
import { syntheticRun } from './support/synthetic_run';

const run = syntheticRun({ world: 'planar', bodies: 3, frames: 500 });
const most = 40; // frames that the server sends at a time

function frames(address: URL): Response {
  const asked = (name: string) => Number(address.searchParams.get(name));
  const [first, stride] = [asked('first'), asked('stride')];
  const count = Math.min(most, asked('count'));
  const list = Array.from({ length: count }, (_, i) => run.frame(first + i * stride));
  return new Response(encodeBlock(list, { first, stride, bodies: 4, entries: 9 }));
}

// A server that answers as the real one does; `other` comes first.
function serve(other: (path: string) => Response | null = () => null): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    const address = new URL(path, 'http://127.0.0.1/');
    const answer = other(path);
    if (answer) return answer;
    if (path === 'api/runs') return Response.json([run.description]);
    if (path === 'api/runs/0') return Response.json(run.description);
    if (path === 'api/runs/0/models/0') return Response.json(run.models[0]);
    if (address.pathname === '/api/runs/0/frames') return frames(address);
    return Response.json({ error: 'there is nothing here' }, { status: 404 });
  });
  return asked;
}

const query: FrameQuery = { first: 10, count: 100, stride: 3, poses: 'all', velocities: 'all', contacts: 'all', joints: 'all' };
const source = async (): Promise<RunSource> => (await httpRuns()).sources[0];

afterEach(() => vi.unstubAllGlobals());

describe('a run from a server', () => {
  it('joins the parts in which the server sends a long answer', async () => {
    const asked = serve();
    const block = await (await source()).frames(query);
    expect(asked.filter((path) => path.includes('/frames')).length).toBe(3);
    expect(block).toMatchObject({ first: 10, frames: 100, stride: 3 });
    for (const i of [0, 39, 40, 99]) expect(frameOf(block, i)).toEqual(run.frame(10 + 3 * i));
  });

  it('names bodies and contacts in its questions', async () => {
    const asked = serve();
    await (await source()).frames({ ...query, count: 1, contacts: [0, 2, 7, 4294967295] });
    expect(asked.at(-1)).toBe('api/runs/0/frames?first=10&count=1&stride=3&poses=all&velocities=all' +
        '&contacts=0.2.7.4294967295&joints=all&signals=none');
  });

  it('asks for blocks that partition the run, of a few megabytes at most', async () => {
    serve();
    const small = await source();
    expect(small.blockRange(499, 1)).toEqual({ first: 0, count: 500, stride: 1 });
    const { bodies } = run.description;
    const large = { ...run.description, frames: 10_000, bodies: Array.from({ length: 2000 }, () => bodies[1]) };
    serve((path) => (path === 'api/runs' ? Response.json([large]) : null));
    const { count } = (await source()).blockRange(5000, 1);
    expect(count * 2000 * (28 + 12)).toBeLessThan(4 << 20);
    expect(count).toBeGreaterThan(10);
    expect((await source()).blockRange(9999, 16)).toMatchObject({ stride: 16 });
  });

  it('says what the server says is wrong', async () => {
    serve((path) => (path.includes('/frames') ? Response.json({ error: 'run.h5: is damaged' }, { status: 500 }) : null));
    await expect((await source()).frames(query)).rejects.toThrow(/^run.h5: is damaged$/);
  });

  it('says that the server is gone', async () => {
    serve();
    const opened = await source();
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(opened.refresh()).rejects.toThrow(/does not answer/);
  });

  it('refuses other frames than it asked for, none at all, and what is no block', async () => {
    const wrong = [
      encodeBlock([run.frame(0)], { first: 0, stride: 3, bodies: 4, entries: 9 }),
      encodeBlock([], { first: 10, stride: 3, bodies: 4, entries: 9 }),
      new TextEncoder().encode('<!doctype html>'.repeat(9)).buffer,
    ];
    const sentences = [/other frames/, /no frames/, /no frame block/];
    for (const [i, bytes] of wrong.entries()) {
      serve((path) => (path.includes('/frames') ? new Response(bytes) : null));
      await expect((await source()).frames(query)).rejects.toThrow(sentences[i]);
    }
  });

  it('that is damaged or not begun does not keep the others from being shown', async () => {
    const list = [{ name: 'bad.h5', error: 'is cut short' }, run.description,
                  { name: 'next.h5', error: 'has not begun yet', waiting: true }, 7];
    serve((path) => (path === 'api/runs' ? Response.json(list) : null));
    const { sources, absent } = await httpRuns();
    expect(sources.length).toBe(1);
    expect(absent.map(({ name, waiting }) => [name, waiting]))
      .toEqual([['bad.h5', false], ['next.h5', true], ['run 4', false]]);
  });

  it('that is no JSON is told', async () => {
    serve(() => new Response('<html>'));
    await expect(httpRuns()).rejects.toThrow(/cannot be read/);
  });
});
