// SPDX-License-Identifier: Apache-2.0
// A source that makes its frames when asked, counts the questions, and can grow or fail.
import { BlockBuilder, contactsWithKey, noContacts } from '../../src/data/block_builder';
import type { BlockRange, FrameQuery, RunSource } from '../../src/data/source';
import type { Description, FrameBlock, ModelJson } from '../../src/data/types';
import type { SyntheticRun } from './synthetic_run';

export class MemorySource implements RunSource {
  readonly mayGrow = true;
  readonly knownGrasps = [];
  readonly queries: FrameQuery[] = [];
  failure: string | null = null;

  constructor(private readonly run: SyntheticRun, private readonly framesPerBlock = 100) {}

  get description(): Description {
    return this.run.description;
  }

  async refresh(): Promise<Description> {
    return this.description;
  }

  async model(version: number): Promise<ModelJson> {
    return this.run.models[version];
  }

  async events(): Promise<null> {
    return null;
  }

  async grasp(): Promise<null> {
    return null;
  }

  blockRange(frame: number, stride: number): BlockRange {
    const span = this.framesPerBlock * stride;
    const first = Math.floor(frame / span) * span;
    const left = Math.ceil((this.description.frames - first) / stride);
    return { first, count: Math.min(this.framesPerBlock, left), stride };
  }

  async frames(query: FrameQuery): Promise<FrameBlock> {
    this.queries.push(query);
    if (this.failure) throw new Error(this.failure);
    const builder = new BlockBuilder();
    for (let i = 0; i < query.count; ++i) {
      const frame = this.run.frame(query.first + i * query.stride);
      const body = query.velocities === 'all' || query.velocities === 'none' ? null
        : this.description.bodies[query.velocities];
      builder.add({
        ...frame,
        poses: query.poses === 'all' ? frame.poses : query.poses === 'none' ? new Float32Array()
          : frame.poses.slice(query.poses * 7, query.poses * 7 + 7),
        velocities: query.velocities === 'all' ? frame.velocities : !body ? new Float32Array()
          : frame.velocities.slice(body.velocity_offset, body.velocity_offset + body.velocity_size),
        contacts: query.contacts === 'all' ? frame.contacts : query.contacts === 'none' ? noContacts()
          : contactsWithKey(frame.contacts, query.contacts),
        joints: query.joints === 'all' ? frame.joints : query.joints === 'none' ? new Float32Array()
          : Float32Array.from(query.joints, (column) => frame.joints[column]),
        signals: Float32Array.from(query.signals ?? [], (column) => frame.signals[column]),
      });
    }
    return builder.build({ first: query.first, stride: query.stride });
  }
}
