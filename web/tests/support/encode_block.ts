// SPDX-License-Identifier: Apache-2.0
// Writes frame blocks as the server does, for tests: the inverse of src/data/frame_block.ts.
import { allBodies, blockMagic, blockVersion } from '../../src/data/frame_block';
import type { Frame } from '../../src/data/types';

export interface EncodeOptions {
  first?: number;
  stride?: number;
  bodies: number; // in each frame's poses
  entries: number; // velocities in each frame
  poses?: boolean;
  velocities?: boolean;
  contacts?: boolean;
  bodyFilter?: number;
}

type Numbers = ArrayLike<number>;

class ByteWriter {
  private readonly parts: Uint8Array[] = [];
  private length = 0;

  column(array: Float64Array | Float32Array | Int32Array | Uint32Array): void {
    const padded = new Uint8Array(Math.ceil(array.byteLength / 8) * 8);
    padded.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    this.parts.push(padded);
    this.length += padded.length;
  }

  bytes(): ArrayBuffer {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      all.set(part, at);
      at += part.length;
    }
    return all.buffer;
  }
}

export function encodeBlock(frames: Frame[], options: EncodeOptions): ArrayBuffer {
  const { poses = true, velocities = true, contacts = true } = options;
  const joints = frames.some((frame) => frame.joints.length > 0);
  const signals = frames.some((frame) => frame.signals.length > 0);
  const writer = new ByteWriter();
  const starts = [0];
  for (const frame of frames)
    starts.push(starts[starts.length - 1] + (contacts ? frame.contacts.count : 0));
  const header = new Uint32Array(16);
  header.set([blockMagic, blockVersion, frames.length, options.bodies, options.entries,
              starts[frames.length], options.first ?? frames[0]?.index ?? 0, options.stride ?? 1,
              Number(poses) | (Number(velocities) << 1) | (Number(contacts) << 2) |
                (Number(contacts) << 3) | (Number(joints) << 4) | (Number(signals) << 5),
              options.bodyFilter ?? allBodies, frames[0]?.joints.length ?? 0, frames[0]?.signals.length ?? 0]);
  writer.column(header);
  for (const name of ['time', 'step', 'kinetic', 'potential', 'residual', 'penetration'] as const)
    writer.column(Float64Array.from(frames, (frame) => frame[name]));
  for (const name of ['status', 'iterations', 'active', 'model', 'uniqueness'] as const)
    writer.column(Int32Array.from(frames, (frame) => frame[name]));
  writer.column(Uint32Array.from(starts));
  const joined = (pick: (frame: Frame) => Numbers) => frames.flatMap((f) => Array.from(pick(f)));
  if (poses) writer.column(Float32Array.from(joined((f) => f.poses)));
  if (velocities) writer.column(Float32Array.from(joined((f) => f.velocities)));
  if (contacts) writeContacts(writer, joined);
  if (joints) writer.column(Float32Array.from(joined((f) => f.joints)));
  if (signals) writer.column(Float32Array.from(joined((f) => f.signals)));
  return writer.bytes();
}

function writeContacts(writer: ByteWriter,
                       joined: (pick: (frame: Frame) => Numbers) => number[]): void {
  writer.column(Uint32Array.from(joined((f) => f.contacts.key)));
  writer.column(Int32Array.from(joined((f) => f.contacts.bodies)));
  for (const name of ['pointA', 'pointB', 'normal', 'tangent1', 'tangent2', 'impulse', 'velocity',
                      'gap', 'friction', 'friction2', 'moment', 'turning'] as const)
    writer.column(Float32Array.from(joined((f) => f.contacts[name])));
}
