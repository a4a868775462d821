// SPDX-License-Identifier: Apache-2.0
// The scalars of a run over all of it: times, energies, residuals. Short runs are held frame by
// frame; of long ones every stride-th frame, and the times between are refined from loaded blocks.
import type { RunSource } from './source';
import type { FrameBlock } from './types';

export const overviewLimit = 20000; // samples held
const requestLimit = 5000; // samples a request

const columns = ['time', 'kinetic', 'potential', 'residual', 'penetration', 'status', 'uniqueness'] as const;
export type OverviewColumn = (typeof columns)[number];

export class Overview {
  stride = 1;
  length = 0; // samples: frames 0, stride, 2 stride, ...
  frames = 0; // of the run, when last extended
  private data = emptyData();
  private last: { index: number; time: number } | null = null; // the run's last frame
  private running: Promise<void> | null = null;

  column(name: OverviewColumn): Float64Array {
    return this.data[name].subarray(0, this.length);
  }

  get startTime(): number {
    return this.length > 0 ? this.data.time[0] : 0;
  }

  get endTime(): number {
    return this.last?.time ?? this.startTime;
  }

  // Frames of the run that are known to be readable.
  get reach(): number {
    return this.last ? this.last.index + 1 : 0;
  }

  // Learns of the frames that are there now. Concurrent calls share one pass.
  extend(source: RunSource): Promise<void> {
    this.running ??= this.pass(source).finally(() => (this.running = null));
    return this.running;
  }

  private async pass(source: RunSource): Promise<void> {
    const frames = source.description.frames;
    while (frames > overviewLimit * this.stride) this.thin();
    try {
      await this.readSamples(source, frames);
      if (frames > 0 && this.last?.index !== frames - 1) {
        const shown = this.length > 0 ? (this.length - 1) * this.stride : -1;
        const time = shown === frames - 1 ? this.data.time[this.length - 1]
          : (await source.frames(scalars(frames - 1, 1, 1))).time[0];
        this.last = { index: frames - 1, time };
      }
    } catch (error) {
      if (this.length > 0 && !(this.last && this.last.index >= (this.length - 1) * this.stride))
        this.last = { index: (this.length - 1) * this.stride, time: this.data.time[this.length - 1] };
      throw error;
    }
    this.frames = frames;
  }

  // In parts that become smaller where one fails, so that all frames before a damaged one are known.
  private async readSamples(source: RunSource, frames: number): Promise<void> {
    for (let most = requestLimit;;) {
      const first = this.length * this.stride;
      const count = Math.min(most, Math.ceil((frames - first) / this.stride));
      if (count <= 0) return;
      try {
        this.append(await source.frames(scalars(first, count, this.stride)));
      } catch (error) {
        if (count === 1) throw error;
        most = Math.floor(count / 2);
      }
    }
  }

  private thin(): void {
    this.stride *= 2;
    this.length = Math.ceil(this.length / 2);
    for (const name of columns)
      for (let i = 0; i < this.length; ++i) this.data[name][i] = this.data[name][2 * i];
  }

  private append(block: FrameBlock): void {
    const needed = this.length + block.frames;
    for (const name of columns) {
      if (needed > this.data[name].length) {
        const larger = new Float64Array(Math.max(needed, 2 * this.data[name].length));
        larger.set(this.data[name]);
        this.data[name] = larger;
      }
      this.data[name].set(block[name], this.length);
    }
    this.length = needed;
  }

  // The last frame at or before a time, exact where every frame is held, else by interpolation.
  frameAt(time: number): number {
    if (this.length === 0) return 0;
    if (this.last && time >= this.last.time) return this.last.index;
    const times = this.data.time;
    const sample = lastAtOrBefore(times, this.length, time);
    if (this.stride === 1) return sample;
    const next = sample + 1 < this.length
      ? { index: (sample + 1) * this.stride, time: times[sample + 1] } : this.last;
    const index = sample * this.stride;
    if (!next || next.time <= times[sample]) return index;
    const part = Math.max(0, (time - times[sample]) / (next.time - times[sample]));
    return Math.min(next.index - 1, index + Math.floor(part * (next.index - index) + 1e-6));
  }

  // The time of a frame, exact where it is held.
  timeOf(frame: number): number {
    if (this.length === 0) return 0;
    if (this.last && frame >= this.last.index) return this.last.time;
    const times = this.data.time;
    const sample = Math.min(this.length - 1, Math.max(0, Math.floor(frame / this.stride)));
    const index = sample * this.stride;
    if (index >= frame) return times[sample];
    const next = sample + 1 < this.length
      ? { index: (sample + 1) * this.stride, time: times[sample + 1] } : this.last;
    if (!next || next.index <= index) return times[sample];
    return times[sample] + (next.time - times[sample]) * ((frame - index) / (next.index - index));
  }
}

function emptyData(): Record<OverviewColumn, Float64Array> {
  return Object.fromEntries(columns.map((name) => [name, new Float64Array(64)])) as
      Record<OverviewColumn, Float64Array>;
}

function scalars(first: number, count: number, stride: number) {
  return { first, count, stride, poses: 'none', velocities: 'none', contacts: 'none', joints: 'none' } as const;
}

// Index of the last of `length` ascending times that is at or before `time`; 0 if none is. A time
// that lies before a frame by rounding alone counts as that frame.
export function lastAtOrBefore(times: ArrayLike<number>, length: number, time: number): number {
  const close = time + 1e-9 * Math.max(1e-3, Math.abs(time));
  let low = 0, high = length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= close) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
