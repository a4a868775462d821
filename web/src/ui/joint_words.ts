// SPDX-License-Identifier: Apache-2.0
// Joints in words and numbers.
import { isTurning, jointLayout, jointNumbers, rateCount } from '../data/joints';
import type { Description, Frame, JointJson, ModelJson } from '../data/types';
import { coordinatesOf } from '../scene/joint_motion';
import { number, quantity } from './format';

const degrees = (value: number): string => `${number((value * 180) / Math.PI, 4)}°`;

// A coordinate: an angle in degrees, or a length.
export function coordinateText(value: number, turning: boolean): string {
  return turning ? degrees(value) : quantity(value, 'm');
}

export function limitsText(joint: JointJson, freedom: number): string {
  const { lower, upper } = joint.freedoms[freedom];
  if (lower === null && upper === null) return 'none';
  const turning = isTurning(joint.kind, freedom);
  const one = (value: number | null) => (value === null ? '∞' : coordinateText(value, turning));
  return lower === null ? `up to ${one(upper)}` : upper === null ? `from ${one(lower)}` : `${one(lower)} to ${one(upper)}`;
}

const bodyOf = (description: Description, body: number): string =>
    body < 0 ? 'world' : description.bodies[body]?.name ?? `body ${body}`;

// Rows for tooltip and inspector.
export function jointRows(joint: JointJson, j: number, model: ModelJson, description: Description,
                          frame: Frame): [string, string][] {
  const { kind, bodies } = joint;
  const n = rateCount(kind);
  const rows: [string, string][] = [
    ['kind', kind], ['between', bodies.map((body) => bodyOf(description, body)).join(' – ')],
  ];
  const numbers = jointNumbers(frame, model);
  if (!numbers) return rows;
  const columns = jointLayout(model).joints[j];
  const each = (first: number, units: [string, string]): string | null => {
    const values = Array.from({ length: n }, (_, k) => numbers[first + k]);
    if (n === 0) return null;
    return values.map((value, k) => quantity(value, units[Number(isTurning(kind, k))])).join(', ');
  };
  const add = (name: string, text: string | null) => text !== null && rows.push([name, text]);
  const q = coordinatesOf(kind, numbers.subarray(columns.position));
  add('coordinate', n === 0 ? null : q.map((value, k) => isTurning(kind, k)
    ? `${quantity(value, 'rad')} (${degrees(value)})` : quantity(value, 'm')).join(', '));
  joint.freedoms.forEach(({ lower, upper }, k) =>
      add(n > 1 ? `limits ${k}` : 'limits', lower === null && upper === null ? null : limitsText(joint, k)));
  add('rate', each(columns.rate, ['m/s', 'rad/s']));
  const effort: [string, string] = ['N', 'N m'];
  add('motor', joint.freedoms.some(({ motor }) => motor !== 'none') ? each(columns.motor, effort) : null);
  add('friction', joint.freedoms.some(({ friction, damping }) => friction > 0 || damping > 0)
    ? each(columns.friction, effort) : null);
  add('limit load', joint.freedoms.some(({ lower, upper }) => lower !== null || upper !== null)
    ? each(columns.limit, effort) : null);
  for (const [name, first, unit] of [['force', columns.force, 'N'], ['moment', columns.moment, 'N m']] as const) {
    const vector = numbers.subarray(first, first + 3);
    const size = Math.hypot(...vector);
    const parts = Array.from(vector, (value) => number(Math.abs(value) < 1e-9 * size ? 0 : value, 3));
    add(name, `${quantity(size, unit)} (${parts.join(', ')})`);
  }
  model.couplings?.forEach(({ name, joints: [a, b], ratio }) => {
    if (a === j || b === j)
      rows.push(['coupling', `${name}: ${model.joints![b].name} = ${number(ratio, 4)} ${model.joints![a].name}`]);
  });
  return rows;
}
