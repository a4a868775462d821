// SPDX-License-Identifier: Apache-2.0
// The frames of one run, by number or by time: from the cache at once, else loaded meanwhile. Reads
// ahead in the direction of play.
import { BlockCache } from './block_cache';
import { frameOf } from './frame_block';
import { Overview, lastAtOrBefore } from './overview';
import { message, type BlockRange, type RunSource } from './source';
import type { Frame, FrameBlock, ModelJson } from './types';

const retryDelay = 2000; // ms before a block that failed is asked for again by itself
const loadsAtOnce = 3;
const blocksAhead = 4;
const picturesPerSecond = 60;
const blocksPerSecond = 3; // that play may ask for before it skips frames

export class FrameStore {
  readonly overview = new Overview();
  error: string | null = null; // of the last load that failed, until one succeeds
  private readonly loading = new Map<string, { count: number; block: Promise<FrameBlock> }>();
  private readonly failedAt = new Map<string, number>();
  private readonly modelList = new Map<number, ModelJson>();

  // `arrived` is called after each block that was loaded or failed.
  constructor(readonly source: RunSource, private readonly name: string,
              private readonly cache: BlockCache<FrameBlock>, private readonly arrived: () => void) {}

  get frames(): number {
    return this.source.description.frames;
  }

  // A model that a frame given out by this store uses; such models are loaded before their frames.
  model(version: number): ModelJson {
    const model = this.modelList.get(version) ?? this.modelList.values().next().value;
    if (!model) throw new Error('the run has no model');
    return model;
  }

  async loadModel(version: number): Promise<void> {
    if (this.modelList.has(version)) return;
    this.modelList.set(version, await this.source.model(version));
  }

  // The frame if it is here; if not, its block is loaded. With a stride that play may skip by, a
  // frame up to that much earlier will do.
  frame(index: number, stride = 1): Frame | null {
    if (!(index >= 0 && index < this.frames)) return null;
    const block = this.cached(index) ?? (stride > 1 ? this.cached(index, stride) : undefined);
    if (block) return frameOf(block, Math.floor((index - block.first) / block.stride));
    this.request(index, stride);
    return null;
  }

  async load(index: number): Promise<Frame> {
    if (!(index >= 0 && index < this.frames)) throw new Error(`the run has no frame ${index}`);
    const block = this.cached(index) ?? (await this.fetchBlock(this.source.blockRange(index, 1)));
    return frameOf(block, index - block.first);
  }

  // The last frame at or before a time, if it is known: the guess of the overview corrected by the
  // times of loaded blocks.
  indexAt(time: number): number {
    let index = this.overview.frameAt(time);
    if (this.overview.stride === 1) return index;
    for (let tries = 0; tries < 4; ++tries) {
      const block = this.cached(index);
      if (!block) return index;
      const inside = block.first + lastAtOrBefore(block.time, block.frames, time);
      if (block.time[0] > time && block.first > 0) index = block.first - 1;
      else if (inside === block.first + block.frames - 1 && inside + 1 < this.frames &&
               this.cached(inside + 1)?.time[0]! <= time) index = inside + 1;
      else return inside;
    }
    return index;
  }

  timeOf(index: number): number {
    const block = this.overview.stride === 1 ? undefined : this.cached(index);
    return block ? block.time[index - block.first] : this.overview.timeOf(index);
  }

  // Loads what play comes to next in the direction (+1, -1): a few blocks beyond this frame's.
  readAhead(index: number, direction: number, stride = 1): void {
    let at = index;
    for (let ahead = 0; ahead < blocksAhead && this.loading.size < loadsAtOnce; ++ahead) {
      if (!(at >= 0 && at < this.overview.reach)) return;
      const range = this.source.blockRange(at, stride);
      at = direction >= 0 ? range.first + range.count * range.stride : range.first - 1;
      if (at >= 0 && at < this.overview.reach && !this.cached(at, stride)) this.request(at, stride);
    }
  }

  // How many frames play may skip by: 1 unless it runs through blocks faster than they can come.
  strideFor(framesPerSecond: number): number {
    if (this.frames === 0 || !(framesPerSecond > picturesPerSecond)) return 1;
    const { count } = this.source.blockRange(0, 1);
    if (framesPerSecond / count <= blocksPerSecond) return 1;
    return 2 ** Math.floor(Math.log2(framesPerSecond / picturesPerSecond));
  }

  // Forgets failures, so that what failed is asked for again at once.
  retry(): void {
    this.failedAt.clear();
    this.error = null;
  }

  private key(range: BlockRange): string {
    return `${this.name}:${range.first}:${range.stride}`;
  }

  // A block that was loaded while the run was shorter may lack the frame.
  private cached(index: number, stride = 1): FrameBlock | undefined {
    const block = this.cache.get(this.key(this.source.blockRange(index, stride)));
    return block && index < block.first + block.frames * block.stride ? block : undefined;
  }

  // Few at a time: what is no longer wanted when it is its turn is never asked for.
  private request(index: number, stride: number): void {
    const range = this.source.blockRange(index, stride);
    const failed = this.failedAt.get(this.key(range));
    if (this.loading.has(this.key(range)) || this.loading.size >= loadsAtOnce) return;
    if (failed !== undefined && performance.now() - failed < retryDelay) return;
    this.fetchBlock(range).catch(() => undefined); // kept in `error`
  }

  private fetchBlock(range: BlockRange): Promise<FrameBlock> {
    const key = this.key(range);
    const running = this.loading.get(key);
    if (running && running.count >= range.count) return running.block;
    const load = { count: range.count, block: this.fetchNow(key, range) };
    this.loading.set(key, load);
    const ended = () => {
      if (this.loading.get(key) === load) this.loading.delete(key);
      this.arrived();
    };
    load.block.then(ended, ended);
    return load.block;
  }

  private async fetchNow(key: string, range: BlockRange): Promise<FrameBlock> {
    try {
      const block = await this.source.frames(
          { ...range, poses: 'all', velocities: 'all', contacts: 'all', joints: 'all' });
      for (const version of new Set(block.model)) await this.loadModel(version);
      if (!((this.cache.get(key)?.frames ?? 0) > block.frames)) this.cache.set(key, block);
      this.failedAt.delete(key);
      this.error = null;
      return block;
    } catch (error) {
      this.failedAt.set(key, performance.now());
      this.error = message(error);
      throw error;
    }
  }
}
