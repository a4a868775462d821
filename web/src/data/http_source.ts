// SPDX-License-Identifier: Apache-2.0
// Runs from the server that sent the page. The addresses are relative to the page's own, which holds
// the token.
import { BlockBuilder } from './block_builder';
import { parseDescription, parseModel } from './description';
import { parseEvents, type EventPiece } from './events';
import { decodeFrameBlock, frameOf } from './frame_block';
import { parseGrasp, type GraspAnswer } from './grasp';
import { frameBytes, runList, velocityEntries, type BlockRange, type FrameQuery, type RunList,
  type RunSource } from './source';
import type { Description, FrameBlock, ModelJson } from './types';

const blockTarget = 3 << 20; // bytes

// The answer to a request, or an Error with what the server says is wrong.
export async function answer(address: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { signal, cache: 'no-store' });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error('the server does not answer; is “vinci view” still running?');
  }
  if (response.ok) return response;
  let reason = `the server answered ${response.status} ${response.statusText}`.trimEnd();
  try {
    const json = (await response.json()) as { error?: unknown };
    if (typeof json.error === 'string') reason = json.error;
  } catch {
    // no JSON in the answer: the status has to do
  }
  throw new Error(reason);
}

export async function jsonAnswer(address: string, signal?: AbortSignal): Promise<unknown> {
  const text = await (await answer(address, signal)).text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the server sent something that cannot be read');
  }
}

export async function httpRuns(): Promise<RunList> {
  const list = await jsonAnswer('api/runs');
  if (!Array.isArray(list)) throw new Error('the server sent no list of runs');
  return runList(list, (json, index) => new HttpSource(index, parseDescription(json)));
}

export class HttpSource implements RunSource {
  readonly mayGrow = true;
  readonly knownGrasps = null;
  private readonly framesPerBlock: number;

  constructor(private readonly run: number, public description: Description) {
    const fit = Math.floor(blockTarget / frameBytes(description));
    this.framesPerBlock = Math.min(2048, Math.max(1, fit));
  }

  async refresh(): Promise<Description> {
    this.description = parseDescription(await jsonAnswer(`api/runs/${this.run}`));
    return this.description;
  }

  async model(version: number): Promise<ModelJson> {
    return parseModel(await jsonAnswer(`api/runs/${this.run}/models/${version}`), this.description);
  }

  async events(first: number, signal?: AbortSignal): Promise<EventPiece> {
    return parseEvents(await jsonAnswer(`api/runs/${this.run}/events?first=${first}`, signal));
  }

  async grasp(frame: number, body: number, signal?: AbortSignal): Promise<GraspAnswer> {
    return parseGrasp(await jsonAnswer(`api/runs/${this.run}/grasp?frame=${frame}&object=${body}`, signal));
  }

  blockRange(frame: number, stride: number): BlockRange {
    const span = this.framesPerBlock * stride;
    const first = Math.floor(frame / span) * span;
    const left = Math.ceil((this.description.frames - first) / stride);
    return { first, count: Math.min(this.framesPerBlock, left), stride };
  }

  // The server may send fewer frames than asked for at a time; then the rest is asked for again.
  async frames(query: FrameQuery, signal?: AbortSignal): Promise<FrameBlock> {
    const begin = await this.part(query, 0, signal);
    if (begin.frames >= query.count) return begin;
    const builder = new BlockBuilder();
    let block = begin;
    for (let have = 0; ; block = await this.part(query, have, signal)) {
      for (let i = 0; i < block.frames; ++i) builder.add(frameOf(block, i));
      have += block.frames;
      if (have >= query.count) break;
    }
    return builder.build({ first: query.first, stride: query.stride });
  }

  private async part(query: FrameQuery, have: number, signal?: AbortSignal): Promise<FrameBlock> {
    const contacts = typeof query.contacts === 'string' ? query.contacts : query.contacts.join('.');
    const joints = typeof query.joints === 'string' ? query.joints : query.joints.join('.');
    const signals = query.signals?.join('.') || 'none';
    const first = query.first + have * query.stride;
    const address = `api/runs/${this.run}/frames?first=${first}&count=${query.count - have}` +
        `&stride=${query.stride}&poses=${query.poses}&velocities=${query.velocities}` +
        `&contacts=${contacts}&joints=${joints}&signals=${signals}`;
    const buffer = await (await answer(address, signal)).arrayBuffer();
    const { bodies, models } = this.description;
    const limits = { bodies: bodies.length, entries: velocityEntries(this.description), models };
    const block = decodeFrameBlock(buffer, limits);
    if (block.first !== first || block.stride !== query.stride || block.frames > query.count - have)
      throw new Error('the server sent other frames than were asked for');
    if (block.frames === 0) throw new Error('the server sent no frames; the recording may be damaged');
    if (query.poses === 'all' && block.bodies !== bodies.length)
      throw new Error('the server sent frames without poses');
    return block;
  }
}
