// SPDX-License-Identifier: Apache-2.0
// Runs inside the page: script elements that hold descriptions, models, and frame blocks as base64 of
// gzip. A block is decoded when it is needed.
import { BlockBuilder, contactsWithKey, noContacts } from './block_builder';
import { BlockCache } from './block_cache';
import { parseDescription, parseModel } from './description';
import { parseEvents, type EventPiece } from './events';
import { decodeFrameBlock, frameOf } from './frame_block';
import { parseGrasp, type GraspAnswer } from './grasp';
import { runList, velocityEntries, type BlockRange, type FrameQuery, type RunList, type RunSource } from './source';
import type { Description, Frame, FrameBlock, ModelJson } from './types';

const cacheBytes = 96 << 20;
const decodedLimit = 1 << 30; // a block never grows beyond: gzip of hostile pages expands a thousandfold

export interface EmbeddedBlock {
  first: number;
  count: number;
  text: () => string; // base64 of gzip
}

export interface EmbeddedGrasp {
  frame: number;
  answer: GraspAnswer;
}

// null: the page holds no runs, so a server has to be asked.
export function embeddedRuns(page: Document): RunList | null {
  const list = page.getElementById('vinci-runs');
  if (!list) return null;
  const descriptions = parsedJson(list.textContent, 'the list of runs in this page');
  if (!Array.isArray(descriptions)) throw new Error('the list of runs in this page is damaged');
  return runList(descriptions, (json, run) => {
    const models = page.querySelector(`script.vinci-models[data-run="${run}"]`);
    const blocks = page.querySelectorAll<HTMLElement>(`script.vinci-block[data-run="${run}"]`);
    const events = page.querySelector(`script.vinci-events[data-run="${run}"]`);
    return new EmbeddedSource(
        parseDescription(json), parsedJson(models?.textContent ?? '[]', 'the model in this page'),
        Array.from(blocks, (element) => ({
          first: Number(element.dataset.first),
          count: Number(element.dataset.count),
          text: () => element.textContent ?? '',
        })),
        Array.from(page.querySelectorAll<HTMLElement>(`script.vinci-grasp[data-run="${run}"]`),
                   (element) => ({ frame: Number(element.dataset.frame),
                                   answer: parseGrasp(parsedJson(element.textContent, 'the grasp in this page')) })),
        events ? () => parseEvents(parsedJson(events.textContent, 'the list of events in this page')) : null);
  });
}

function parsedJson(text: string | null, what: string): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new Error(`${what} is damaged`);
  }
}

export class EmbeddedSource implements RunSource {
  readonly mayGrow = false;
  private readonly cache = new BlockCache<FrameBlock>(cacheBytes);
  private readonly blocks: EmbeddedBlock[];
  private readonly modelList: unknown[];

  constructor(readonly description: Description, models: unknown, blocks: EmbeddedBlock[],
              private readonly grasps: EmbeddedGrasp[] = [],
              private readonly piece: (() => EventPiece) | null = null) {
    this.modelList = Array.isArray(models) ? models : [];
    this.blocks = [...blocks].sort((a, b) => a.first - b.first);
    let next = 0;
    for (const block of this.blocks) {
      if (block.first !== next || !(block.count >= 1))
        throw new Error(`the page is damaged: its frame ${next} is missing`);
      next += block.count;
    }
    if (next !== description.frames)
      throw new Error(`the page is cut off: it holds ${next} of ${description.frames} frames`);
  }

  refresh(): Promise<Description> {
    return Promise.resolve(this.description);
  }

  async model(version: number): Promise<ModelJson> {
    return parseModel(this.modelList[version], this.description);
  }

  // All that the page holds come at once.
  async events(first: number): Promise<EventPiece | null> {
    if (!this.piece) return null;
    const all = this.piece();
    return first === 0 ? all : { ...all, first, events: all.events.slice(first) };
  }

  get knownGrasps(): { frame: number; body: number }[] {
    return this.grasps.map(({ frame, answer }) => ({
      frame, body: this.description.bodies.findIndex(({ name }) => name === answer.object),
    }));
  }

  async grasp(frame: number, body: number): Promise<GraspAnswer | null> {
    const at = this.knownGrasps.findIndex((known) => known.frame === frame && known.body === body);
    return this.grasps[at]?.answer ?? null;
  }

  // All frames of a block are unpacked anyway: the stride is of no use here.
  blockRange(frame: number): BlockRange {
    const { first, count } = this.blockWith(frame);
    return { first, count, stride: 1 };
  }

  async frames(query: FrameQuery, signal?: AbortSignal): Promise<FrameBlock> {
    const holder = this.blockWith(query.first);
    const all = !query.signals &&
        [query.poses, query.velocities, query.contacts, query.joints].every((one) => one === 'all');
    if (all && query.stride === 1 && holder.first === query.first && holder.count === query.count)
      return this.decoded(holder);
    const builder = new BlockBuilder();
    for (let i = 0; i < query.count; ++i) {
      const index = query.first + i * query.stride;
      const from = this.blockWith(index);
      const block = await this.decoded(from);
      signal?.throwIfAborted();
      builder.add(this.asked(frameOf(block, index - from.first), query));
    }
    return builder.build({ first: query.first, stride: query.stride });
  }

  private blockWith(frame: number): EmbeddedBlock {
    let low = 0, high = this.blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.blocks[middle].first <= frame) low = middle;
      else high = middle - 1;
    }
    const block = this.blocks[low];
    if (!block || frame < block.first || frame >= block.first + block.count)
      throw new Error(`the page has no frame ${frame}`);
    return block;
  }

  private async decoded(holder: EmbeddedBlock): Promise<FrameBlock> {
    const key = String(holder.first);
    const cached = this.cache.get(key);
    if (cached) return cached;
    const { bodies, models } = this.description;
    const entries = velocityEntries(this.description);
    const block = decodeFrameBlock(
        await unpacked(holder.text()), { bodies: bodies.length, entries, models });
    if (block.first !== holder.first || block.frames !== holder.count || block.stride !== 1 ||
        block.bodies !== bodies.length || block.entries !== entries)
      throw new Error(`the page is damaged: the block of frame ${holder.first} holds something else`);
    this.cache.set(key, block);
    return block;
  }

  // The part of a frame that the query asks for, copied.
  private asked(frame: Frame, query: FrameQuery): Frame {
    const body = (index: number) => this.description.bodies[index];
    return {
      ...frame,
      poses: query.poses === 'all' ? frame.poses.slice()
        : query.poses === 'none' ? new Float32Array()
        : frame.poses.slice(query.poses * 7, query.poses * 7 + 7),
      velocities: query.velocities === 'all' ? frame.velocities.slice()
        : query.velocities === 'none' ? new Float32Array()
        : frame.velocities.slice(
              body(query.velocities).velocity_offset,
              body(query.velocities).velocity_offset + body(query.velocities).velocity_size),
      contacts: query.contacts === 'all' ? frame.contacts
        : query.contacts === 'none' ? noContacts()
        : contactsWithKey(frame.contacts, query.contacts),
      joints: query.joints === 'all' ? frame.joints.slice()
        : query.joints === 'none' ? new Float32Array()
        : Float32Array.from(query.joints, (column) => frame.joints[column] ?? NaN),
      signals: Float32Array.from(query.signals ?? [], (column) => frame.signals[column] ?? NaN),
    };
  }
}

// The bytes behind base64 of gzip.
export async function unpacked(text: string): Promise<ArrayBuffer> {
  try {
    const letters = atob(text.replace(/\s+/g, ''));
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return await collected(stream.getReader());
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error('a frame block of this page is damaged: it does not unpack');
  }
}

async function collected(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length > decodedLimit) {
      await reader.cancel();
      throw new RangeError('a frame block of this page unpacks to more than a gigabyte');
    }
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.buffer;
}
