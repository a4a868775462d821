// SPDX-License-Identifier: Apache-2.0
// Joints of a model, checked, and where their numbers stand in a frame: the coordinates of all joints,
// their rates, the offsets of couplings, then per joint motor, friction and limit along its freedoms,
// force and moment.
import type { CouplingJson, JointFreedom, JointJson, JointKind, ModelJson, PoseJson } from './types';

const rateCounts: Record<JointKind, number> = {
  fixed: 0, revolute: 1, prismatic: 1, screw: 1, cylindrical: 2, universal: 2, ball: 3, planar: 3,
};

export const rateCount = (kind: JointKind): number => rateCounts[kind];
export const positionCount = (kind: JointKind): number => (kind === 'ball' ? 4 : rateCounts[kind]);

// Whether a freedom turns (rad, N m) or shifts (m, N).
export function isTurning(kind: JointKind, freedom: number): boolean {
  if (kind === 'prismatic') return false;
  if (kind === 'cylindrical') return freedom === 0;
  return kind === 'planar' ? freedom === 2 : true;
}

// First column of each part of a joint.
export interface JointColumns {
  position: number;
  rate: number;
  motor: number;
  friction: number;
  limit: number;
  force: number;
  moment: number;
}

export interface JointLayout {
  width: number;
  joints: JointColumns[];
  couplings: number; // first column of their offsets
}

const layouts = new WeakMap<ModelJson, JointLayout>();

export function jointLayout(model: ModelJson): JointLayout {
  const known = layouts.get(model);
  if (known) return known;
  const joints = model.joints ?? [];
  let at = 0;
  const take = (count: number): number => (at += count) - count;
  const position = joints.map(({ kind }) => take(positionCount(kind)));
  const rate = joints.map(({ kind }) => take(rateCount(kind)));
  const couplings = take(model.couplings?.length ?? 0);
  const columns = joints.map(({ kind }, i) => {
    const n = rateCount(kind);
    return { position: position[i], rate: rate[i], motor: take(n), friction: take(n), limit: take(n),
             force: take(3), moment: take(3) };
  });
  const layout = { width: at, joints: columns, couplings };
  layouts.set(model, layout);
  return layout;
}

// All columns of a joint, part by part.
export function partsOf(columns: JointColumns, { kind }: JointJson): Record<keyof JointColumns, number[]> {
  const n = rateCount(kind);
  const list = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
  return {
    position: list(columns.position, positionCount(kind)), rate: list(columns.rate, n),
    motor: list(columns.motor, n), friction: list(columns.friction, n), limit: list(columns.limit, n),
    force: list(columns.force, 3), moment: list(columns.moment, 3),
  };
}

// The numbers of a frame, if they are those of the model's joints.
export function jointNumbers(frame: { joints: Float32Array }, model: ModelJson): Float32Array | null {
  const { width } = jointLayout(model);
  return width > 0 && frame.joints.length === width ? frame.joints : null;
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
const isFinite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isIndex = (value: unknown, least: number, end: number): boolean =>
    Number.isInteger(value) && (value as number) >= least && (value as number) < end;
const numbers = (value: unknown, count: number): value is number[] =>
    Array.isArray(value) && value.length === count && value.every(isFinite);

function isPose(value: unknown): value is PoseJson {
  return isObject(value) && numbers(value.position, 3) && numbers(value.rotation, 4) &&
      Math.abs(Math.hypot(...value.rotation) - 1) < 1e-6;
}

// Models of older recordings have none.
export function parseJoints(value: unknown, bodies: number): JointJson[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error('a model of the run is damaged: its joints are no list');
  return value.map((json: unknown, index): JointJson => {
    const joint = isObject(json) ? json : {};
    const name = typeof joint.name === 'string' && joint.name ? joint.name : `joint ${index}`;
    const fail = (what: string): never => {
      throw new Error(`a model of the run is damaged: the joint “${name}” ${what}`);
    };
    const kind = joint.kind as JointKind;
    if (!(typeof kind === 'string' && Object.hasOwn(rateCounts, kind))) fail('has a kind that is not known');
    const { bodies: pair, frames, freedoms } = joint;
    if (!Array.isArray(pair) || pair.length !== 2 || !pair.every((body) => isIndex(body, -1, bodies)))
      fail('holds a body that is not there');
    if (!Array.isArray(frames) || frames.length !== 2 || !frames.every(isPose)) fail('has frames that are no poses');
    if (!Array.isArray(freedoms) || freedoms.length !== rateCount(kind) || !freedoms.every(isObject))
      fail('has not one entry per freedom');
    return {
      name, kind, bodies: pair as [number, number], frames: frames as [PoseJson, PoseJson],
      pitch: isFinite(joint.pitch) ? joint.pitch : 0, freedoms: (freedoms as Fields[]).map(parseFreedom),
    };
  });
}

function parseFreedom(json: Fields): JointFreedom {
  const some = (value: unknown) => (isFinite(value) ? value : null);
  return {
    lower: some(json.lower), upper: some(json.upper), friction: some(json.friction) ?? 0,
    damping: some(json.damping) ?? 0, stiffness: some(json.stiffness) ?? 0,
    motor: typeof json.motor === 'string' ? json.motor : 'none', motor_limit: some(json.motor_limit),
  };
}

export function parseCouplings(value: unknown, joints: readonly JointJson[]): CouplingJson[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error('a model of the run is damaged: its couplings are no list');
  return value.map((json: unknown, index): CouplingJson => {
    const found = isObject(json) ? json : {};
    const pair = found.joints as [number, number];
    const freedoms = found.freedoms as [number, number];
    const good = Array.isArray(pair) && pair.length === 2 && pair.every((one) => isIndex(one, 0, joints.length)) &&
        Array.isArray(freedoms) && freedoms.length === 2 &&
        freedoms.every((one, i) => isIndex(one, 0, rateCount(joints[pair[i]].kind))) &&
        isFinite(found.ratio) && isFinite(found.offset);
    if (!good) throw new Error(`a model of the run is damaged: coupling ${index} couples no joints`);
    return {
      name: typeof found.name === 'string' ? found.name : `coupling ${index}`, joints: pair, freedoms,
      ratio: found.ratio as number, offset: found.offset as number,
      breakaway: isFinite(found.breakaway) ? found.breakaway : null,
    };
  });
}
