// SPDX-License-Identifier: Apache-2.0
// A few frames over all of a run, so that the scene knows where bodies come to and how large forces
// are before the run has been played.
import { frameOf } from '../data/frame_block';
import { frameBytes, type RunSource } from '../data/source';
import type { Frame } from '../data/types';

const mostFrames = 24;
const mostBytes = 8 << 20;

export async function surveyFrames(source: RunSource, signal?: AbortSignal): Promise<Frame[]> {
  const { description } = source;
  if (description.frames < 2) return [];
  const affordable = Math.floor(mostBytes / frameBytes(description));
  const count = Math.min(mostFrames, description.frames, Math.max(2, affordable));
  const stride = Math.max(1, Math.floor((description.frames - 1) / (count - 1)));
  const query = {
    first: 0,
    count,
    stride,
    poses: 'all',
    velocities: 'none',
    contacts: 'all',
    joints: 'all',
  } as const;
  const block = await source.frames(query, signal);
  return Array.from({ length: block.frames }, (_, i) => frameOf(block, i));
}
