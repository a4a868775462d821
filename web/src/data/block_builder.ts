// SPDX-License-Identifier: Apache-2.0
// Makes one block out of chosen frames of others: what a query asks of an embedded run, or the parts
// in which a server sends a long answer.
import type { Contacts, ContactKey, Frame, FrameBlock } from './types';

export interface BlockShape {
  first: number;
  stride: number;
}

// The scalar columns of a frame, copied so that its block may be dropped.
type Scalars = Omit<Frame, 'index' | 'poses' | 'velocities' | 'contacts' | 'joints' | 'signals'>;

export class BlockBuilder {
  private readonly scalars: Scalars[] = [];
  private readonly poses: Float32Array[] = [];
  private readonly velocities: Float32Array[] = [];
  private readonly contacts: Contacts[] = [];
  private readonly joints: Float32Array[] = [];
  private readonly signals: Float32Array[] = [];

  // The arrays of the frame are kept, not copied: pass slices where the rest of a block may go.
  add(frame: Frame): void {
    const { time, step, kinetic, potential, residual, penetration, status, iterations, active, model,
      uniqueness } = frame;
    this.scalars.push(
        { time, step, kinetic, potential, residual, penetration, status, iterations, active, model, uniqueness });
    this.poses.push(frame.poses);
    this.velocities.push(frame.velocities);
    this.contacts.push(frame.contacts);
    this.joints.push(frame.joints);
    this.signals.push(frame.signals);
  }

  build(shape: BlockShape): FrameBlock {
    const frames = this.scalars.length;
    const floats = (pick: (s: Scalars) => number) => Float64Array.from(this.scalars, pick);
    const whole = (pick: (s: Scalars) => number) => Int32Array.from(this.scalars, pick);
    const contactStart = new Uint32Array(frames + 1);
    this.contacts.forEach((c, i) => (contactStart[i + 1] = contactStart[i] + c.count));
    const poses = joinedFloats(this.poses);
    const velocities = joinedFloats(this.velocities);
    const contacts = joinedContacts(this.contacts);
    const joints = joinedFloats(this.joints);
    const signals = joinedFloats(this.signals);
    return {
      ...shape, frames,
      bodies: frames > 0 ? this.poses[0].length / 7 : 0,
      entries: frames > 0 ? this.velocities[0].length : 0,
      time: floats((s) => s.time),
      step: floats((s) => s.step),
      kinetic: floats((s) => s.kinetic),
      potential: floats((s) => s.potential),
      residual: floats((s) => s.residual),
      penetration: floats((s) => s.penetration),
      status: whole((s) => s.status),
      iterations: whole((s) => s.iterations),
      active: whole((s) => s.active),
      model: whole((s) => s.model),
      uniqueness: whole((s) => s.uniqueness),
      contactStart, poses, velocities, contacts, joints,
      jointNumbers: frames > 0 ? this.joints[0].length : 0,
      signals,
      signalNumbers: frames > 0 ? this.signals[0].length : 0,
      bytes: 72 * frames + poses.byteLength + velocities.byteLength + joints.byteLength + signals.byteLength +
          116 * contacts.count,
    };
  }
}

// The rows of `all` with this key, copied.
export function contactsWithKey(all: Contacts, key: ContactKey): Contacts {
  const rows: Contacts[] = [];
  for (let row = 0; row < all.count; ++row)
    if (key.every((part, i) => all.key[row * 4 + i] === part)) rows.push(copiedRow(all, row));
  return joinedContacts(rows);
}

export function noContacts(): Contacts {
  return joinedContacts([]);
}

function copiedRow(all: Contacts, row: number): Contacts {
  const vector = (column: Float32Array) => column.slice(row * 3, row * 3 + 3);
  return {
    count: 1,
    key: all.key.slice(row * 4, row * 4 + 4),
    bodies: all.bodies.slice(row * 2, row * 2 + 2),
    pointA: vector(all.pointA),
    pointB: vector(all.pointB),
    normal: vector(all.normal),
    tangent1: vector(all.tangent1),
    tangent2: vector(all.tangent2),
    impulse: vector(all.impulse),
    velocity: vector(all.velocity),
    gap: all.gap.slice(row, row + 1),
    friction: all.friction.slice(row, row + 1),
    friction2: all.friction2.slice(row, row + 1),
    moment: vector(all.moment),
    turning: vector(all.turning),
  };
}

function joinedContacts(parts: Contacts[]): Contacts {
  const floats = (pick: (c: Contacts) => Float32Array) => joinedFloats(parts.map(pick));
  return {
    count: parts.reduce((sum, c) => sum + c.count, 0),
    key: joined(Uint32Array, parts.map((c) => c.key)),
    bodies: joined(Int32Array, parts.map((c) => c.bodies)),
    pointA: floats((c) => c.pointA),
    pointB: floats((c) => c.pointB),
    normal: floats((c) => c.normal),
    tangent1: floats((c) => c.tangent1),
    tangent2: floats((c) => c.tangent2),
    impulse: floats((c) => c.impulse),
    velocity: floats((c) => c.velocity),
    gap: floats((c) => c.gap),
    friction: floats((c) => c.friction),
    friction2: floats((c) => c.friction2),
    moment: floats((c) => c.moment),
    turning: floats((c) => c.turning),
  };
}

function joinedFloats(parts: Float32Array[]): Float32Array {
  return joined(Float32Array, parts);
}

function joined<T extends { length: number; set(from: T, at: number): void }>(
    type: new (length: number) => T, parts: T[]): T {
  const all = new type(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
