// SPDX-License-Identifier: Apache-2.0
// The frames of one run, by number or by time: from the cache at once, else loaded meanwhile. Reads
// ahead in the direction of play.
import { BlockCache } from './block_cache';
import { frameOf } from './frame_block';
import { Overview, lastAtOrBefore } from './overview';
import { message, type RunSource } from './source';
import type { Frame, FrameBlock, ModelJson } from './types';

const retryDelay = 2000; // ms before a block that failed is asked for again by itself

export class FrameStore {
  readonly overview = new Overview();
  error: string | null = null; // of the last load that failed, until one succeeds
  private readonly loading = new Map<string, Promise<FrameBlock>>();
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

  // The frame if it is here; if not, its block is loaded.
  frame(index: number): Frame | null {
    if (!(index >= 0 && index < this.frames)) return null;
    const block = this.cached(index);
    if (block) return frameOf(block, index - block.first);
    this.request(index);
    return null;
  }

  async load(index: number): Promise<Frame> {
    if (!(index >= 0 && index < this.frames)) throw new Error(`the run has no frame ${index}`);
    const block = this.cached(index) ?? (await this.fetchBlock(index));
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

  // Loads what play comes to next: this block's neighbour in the direction (+1, -1).
  readAhead(index: number, direction: number): void {
    if (this.frames === 0 || this.loading.size > 1) return;
    const { first, count } = this.source.blockRange(Math.min(Math.max(index, 0), this.frames - 1));
    const next = direction >= 0 ? first + count : first - 1;
    if (next >= 0 && next < this.frames && !this.cached(next)) this.request(next);
  }

  // Forgets failures, so that what failed is asked for again at once.
  retry(): void {
    this.failedAt.clear();
    this.error = null;
  }

  private key(first: number): string {
    return `${this.name}:${first}`;
  }

  // A block that was loaded while the run was shorter may lack the frame.
  private cached(index: number): FrameBlock | undefined {
    const block = this.cache.get(this.key(this.source.blockRange(index).first));
    return block && index < block.first + block.frames ? block : undefined;
  }

  private request(index: number): void {
    const key = this.key(this.source.blockRange(index).first);
    const failed = this.failedAt.get(key);
    if (this.loading.has(key)) return;
    if (failed !== undefined && performance.now() - failed < retryDelay) return;
    this.fetchBlock(index).catch(() => undefined); // kept in `error`
  }

  private fetchBlock(index: number): Promise<FrameBlock> {
    const { first, count } = this.source.blockRange(index);
    const key = this.key(first);
    const running = this.loading.get(key);
    if (running && index < first + count) return running;
    const promise = this.fetchNow(key, first, count);
    this.loading.set(key, promise);
    return promise;
  }

  private async fetchNow(key: string, first: number, count: number): Promise<FrameBlock> {
    try {
      const block = await this.source.frames(
          { first, count, stride: 1, poses: 'all', velocities: 'all', contacts: 'all' });
      for (const version of new Set(block.model)) await this.loadModel(version);
      this.cache.set(key, block);
      this.failedAt.delete(key);
      this.error = null;
      return block;
    } catch (error) {
      this.failedAt.set(key, performance.now());
      this.error = message(error);
      throw error;
    } finally {
      this.loading.delete(key);
      this.arrived();
    }
  }
}
