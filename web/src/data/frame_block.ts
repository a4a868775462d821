// SPDX-License-Identifier: Apache-2.0
// Decodes frame blocks: a header of sixteen uint32, then columns, each padded to eight bytes,
// little-endian. Every count is compared with the bytes that are there before a column is read, so
// that a damaged block is an Error with a sentence.
import type { Contacts, Frame, FrameBlock } from './types';

export const blockMagic = 0x31434e56; // "VNC1"
export const blockVersion = 4;
export const allBodies = 0xffffffff;
const headerBytes = 64;
const littleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

// What the description says of the run: a block that contradicts it is refused.
export interface BlockLimits {
  bodies: number;
  entries: number;
  models: number;
}

interface Column<T> {
  new (buffer: ArrayBuffer, offset: number, length: number): T;
  BYTES_PER_ELEMENT: number;
}

class ColumnReader {
  private offset = headerBytes;

  constructor(private readonly buffer: ArrayBuffer) {}

  take<T>(type: Column<T>, length: number, name: string): T {
    const bytes = length * type.BYTES_PER_ELEMENT;
    if (bytes > this.buffer.byteLength - this.offset)
      throw new Error(`the frame block is cut off: its column '${name}' needs ${bytes} bytes, ` +
          `${this.buffer.byteLength - this.offset} are left`);
    const column = new type(this.buffer, this.offset, length);
    this.offset += Math.ceil(bytes / 8) * 8;
    return column;
  }

  end(): void {
    if (this.offset > this.buffer.byteLength) throw new Error('the frame block is cut off');
    if (this.offset < this.buffer.byteLength)
      throw new Error(`the frame block has ${this.buffer.byteLength - this.offset} bytes too many`);
  }
}

export function decodeFrameBlock(buffer: ArrayBuffer, limits?: BlockLimits): FrameBlock {
  if (!littleEndian) throw new Error('this machine stores numbers in an order that is not supported');
  if (buffer.byteLength < headerBytes)
    throw new Error(`the frame block is cut off: ${buffer.byteLength} bytes are less than its header`);
  const [magic, version, frames, bodies, entries, rows, first, stride, flags, , jointNumbers, signalNumbers] =
      new Uint32Array(buffer, 0, 16);
  if (magic !== blockMagic) throw new Error('this is no frame block: it begins with other bytes');
  if (version !== blockVersion)
    throw new Error(`the frame block has version ${version}; this page reads version ${blockVersion}`);
  if (stride < 1) throw new Error('the frame block has a stride of 0');
  const has = (bit: number) => (flags & (1 << bit)) !== 0;
  const reader = new ColumnReader(buffer);
  const block: FrameBlock = {
    first, stride, frames,
    bodies: has(0) ? bodies : 0,
    entries: has(1) ? entries : 0,
    time: reader.take(Float64Array, frames, 'time'),
    step: reader.take(Float64Array, frames, 'step'),
    kinetic: reader.take(Float64Array, frames, 'kinetic'),
    potential: reader.take(Float64Array, frames, 'potential'),
    residual: reader.take(Float64Array, frames, 'residual'),
    penetration: reader.take(Float64Array, frames, 'penetration'),
    status: reader.take(Int32Array, frames, 'status'),
    iterations: reader.take(Int32Array, frames, 'iterations'),
    active: reader.take(Int32Array, frames, 'active'),
    model: reader.take(Int32Array, frames, 'model'),
    uniqueness: reader.take(Int32Array, frames, 'uniqueness'),
    contactStart: reader.take(Uint32Array, frames + 1, 'contact_start'),
    poses: reader.take(Float32Array, has(0) ? frames * bodies * 7 : 0, 'poses'),
    velocities: reader.take(Float32Array, has(1) ? frames * entries : 0, 'velocities'),
    contacts: takeContacts(reader, has(2) ? rows : 0, has(3)),
    jointNumbers: has(4) ? jointNumbers : 0,
    joints: reader.take(Float32Array, has(4) ? frames * jointNumbers : 0, 'joints'),
    signalNumbers: has(5) ? signalNumbers : 0,
    signals: reader.take(Float32Array, has(5) ? frames * signalNumbers : 0, 'signals'),
    bytes: buffer.byteLength,
  };
  reader.end();
  if (!has(2)) block.contactStart = new Uint32Array(frames + 1);
  check(block, limits);
  return block;
}

function takeContacts(reader: ColumnReader, count: number, moments: boolean): Contacts {
  const vectors = (name: string) => reader.take(Float32Array, count * 3, name);
  const further = (name: string) => (moments ? vectors(name) : new Float32Array(count * 3));
  return {
    count,
    key: reader.take(Uint32Array, count * 4, 'key'),
    bodies: reader.take(Int32Array, count * 2, 'bodies'),
    pointA: vectors('point_a'),
    pointB: vectors('point_b'),
    normal: vectors('normal'),
    tangent1: vectors('tangent_1'),
    tangent2: vectors('tangent_2'),
    impulse: vectors('impulse'),
    velocity: vectors('velocity'),
    gap: reader.take(Float32Array, count, 'gap'),
    friction: reader.take(Float32Array, count, 'friction'),
    friction2: reader.take(Float32Array, count, 'friction_2'),
    moment: further('moment'),
    turning: further('turning'),
  };
}

function check(block: FrameBlock, limits?: BlockLimits): void {
  const { contactStart, contacts, frames } = block;
  if (contactStart[0] !== 0 || contactStart[frames] !== contacts.count)
    throw new Error('the frame block is damaged: its contacts do not fill its contact rows');
  for (let i = 0; i < frames; ++i) {
    if (contactStart[i] > contactStart[i + 1])
      throw new Error(`the frame block is damaged: contacts of frame ${block.first + i} run backwards`);
    if (!(block.time[i] >= (i > 0 ? block.time[i - 1] : -Infinity)))
      throw new Error(`the frame block is damaged: time runs backwards at frame ${block.first + i}`);
  }
  if (!limits) return;
  if (block.bodies > 1 && block.bodies !== limits.bodies)
    throw new Error(`the frame block holds ${block.bodies} bodies, the run ${limits.bodies}`);
  if (block.entries > limits.entries)
    throw new Error(`the frame block holds ${block.entries} velocities a frame, the run ${limits.entries}`);
  if (block.model.some((version) => version < 0 || version >= limits.models))
    throw new Error('the frame block is damaged: it names a model that the run does not have');
  if (contacts.bodies.some((body) => body < 0 || body >= limits.bodies))
    throw new Error('the frame block is damaged: a contact names a body that the run does not have');
}

// Rows [begin, end) of contacts, as views.
export function contactRows(all: Contacts, begin: number, end: number): Contacts {
  return {
    count: end - begin,
    key: all.key.subarray(begin * 4, end * 4),
    bodies: all.bodies.subarray(begin * 2, end * 2),
    pointA: all.pointA.subarray(begin * 3, end * 3),
    pointB: all.pointB.subarray(begin * 3, end * 3),
    normal: all.normal.subarray(begin * 3, end * 3),
    tangent1: all.tangent1.subarray(begin * 3, end * 3),
    tangent2: all.tangent2.subarray(begin * 3, end * 3),
    impulse: all.impulse.subarray(begin * 3, end * 3),
    velocity: all.velocity.subarray(begin * 3, end * 3),
    gap: all.gap.subarray(begin, end),
    friction: all.friction.subarray(begin, end),
    friction2: all.friction2.subarray(begin, end),
    moment: all.moment.subarray(begin * 3, end * 3),
    turning: all.turning.subarray(begin * 3, end * 3),
  };
}

// Frame number i of the block (0 is its first).
export function frameOf(block: FrameBlock, i: number): Frame {
  return {
    index: block.first + i * block.stride,
    time: block.time[i],
    step: block.step[i],
    kinetic: block.kinetic[i],
    potential: block.potential[i],
    residual: block.residual[i],
    penetration: block.penetration[i],
    status: block.status[i],
    iterations: block.iterations[i],
    active: block.active[i],
    model: block.model[i],
    uniqueness: block.uniqueness[i],
    poses: block.poses.subarray(i * block.bodies * 7, (i + 1) * block.bodies * 7),
    velocities: block.velocities.subarray(i * block.entries, (i + 1) * block.entries),
    contacts: contactRows(block.contacts, block.contactStart[i], block.contactStart[i + 1]),
    joints: block.joints.subarray(i * block.jointNumbers, (i + 1) * block.jointNumbers),
    signals: block.signals.subarray(i * block.signalNumbers, (i + 1) * block.signalNumbers),
  };
}
