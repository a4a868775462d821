// SPDX-License-Identifier: Apache-2.0
// Where the frames of a run come from: a server, or the page itself. Both answer the same questions.
import type { EventPiece } from './events';
import type { GraspAnswer } from './grasp';
import type { ContactKey, Description, FrameBlock, ModelJson } from './types';

export interface FrameQuery {
  first: number;
  count: number; // frames to return
  stride: number;
  poses: 'all' | 'none' | number; // a number is a body
  velocities: 'all' | 'none' | number; // the same body as in poses, if both name one
  contacts: 'all' | 'none' | ContactKey;
  joints: 'all' | 'none' | number[]; // numbers: columns, ascending
  signals?: number[]; // columns, ascending; none if not given
}

export interface RunSource {
  // Whether refresh() can tell anything new.
  readonly mayGrow: boolean;
  // As last heard of.
  readonly description: Description;
  // Asks again: frames grow while a run is being written.
  refresh(): Promise<Description>;
  model(version: number): Promise<ModelJson>;
  // Exactly the frames asked for, or an Error that can be shown.
  frames(query: FrameQuery, signal?: AbortSignal): Promise<FrameBlock>;
  // The frames that are best fetched together with this one: blocks of a stride partition the run.
  // A stride is a wish, for play that is faster than every frame can be fetched.
  blockRange(frame: number, stride: number): BlockRange;
  // Those from number `first` on, as many as come at a time; null where there are none.
  events(first: number, signal?: AbortSignal): Promise<EventPiece | null>;
  // What holds a body in a frame; null where nobody can tell, with frames that can be asked about.
  grasp(frame: number, body: number, signal?: AbortSignal): Promise<GraspAnswer | null>;
  readonly knownGrasps: readonly { frame: number; body: number }[] | null; // null: all
}

export interface BlockRange {
  first: number;
  count: number;
  stride: number;
}

// A run that cannot be shown: damaged, or not begun.
export interface AbsentRun {
  name: string;
  error: string;
  waiting: boolean; // it may come
}

export interface RunList {
  sources: RunSource[];
  absent: AbsentRun[];
}

// The runs of a list of descriptions; one that is damaged does not keep the others from being shown.
export function runList(descriptions: unknown[], open: (json: unknown, index: number) => RunSource): RunList {
  const runs: RunList = { sources: [], absent: [] };
  descriptions.forEach((json, index) => {
    const fields = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;
    try {
      if (typeof fields.error === 'string') throw new Error(fields.error);
      runs.sources.push(open(json, index));
    } catch (error) {
      const name = typeof fields.name === 'string' ? fields.name : `run ${index + 1}`;
      runs.absent.push({ name, error: message(error), waiting: fields.waiting === true });
    }
  });
  return runs;
}

// Bytes of one frame in a block, from what the description says of its size.
export function frameBytes(description: Description): number {
  const entries = description.bodies.reduce((sum, body) => sum + body.velocity_size, 0);
  return 72 + 28 * description.bodies.length + 4 * entries +
      116 * Math.max(1, description.summary.contacts_mean ?? 0);
}

export function velocityEntries(description: Description): number {
  return description.bodies.reduce((sum, body) => sum + body.velocity_size, 0);
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
