// SPDX-License-Identifier: Apache-2.0
// From recorded poses to the matrices of instances. Plain loops over typed arrays: they run for
// every body in every picture, and allocate nothing.
import { largestLength } from './shapes';

// Writes 12 numbers per body (columns of the rotation, then the position; all 0 for a pose that is
// damaged) and returns how many poses were damaged. `poses`: x y z, quaternion w x y z.
export function bodyTransforms(poses: Float32Array, bodies: number, out: Float64Array): number {
  let damaged = 0;
  for (let body = 0, p = 0, o = 0; body < bodies; ++body, p += 7, o += 12) {
    const x = poses[p + 4];
    const y = poses[p + 5];
    const z = poses[p + 6];
    const w = poses[p + 3];
    const size = w * w + x * x + y * y + z * z;
    const far = Math.abs(poses[p]) + Math.abs(poses[p + 1]) + Math.abs(poses[p + 2]);
    if (!(far < largestLength && size > 1e-12 && size < 1e12)) {
      out.fill(0, o, o + 12);
      ++damaged;
      continue;
    }
    const s = 2 / size; // a quaternion that is not quite of unit length still gives a rotation
    out[o] = 1 - s * (y * y + z * z);
    out[o + 1] = s * (x * y + w * z);
    out[o + 2] = s * (x * z - w * y);
    out[o + 3] = s * (x * y - w * z);
    out[o + 4] = 1 - s * (x * x + z * z);
    out[o + 5] = s * (y * z + w * x);
    out[o + 6] = s * (x * z + w * y);
    out[o + 7] = s * (y * z - w * x);
    out[o + 8] = 1 - s * (x * x + y * y);
    out[o + 9] = poses[p];
    out[o + 10] = poses[p + 1];
    out[o + 11] = poses[p + 2];
  }
  return damaged;
}

export interface Instances {
  count: number;
  bodies: Int32Array; // body of each instance
  locals: Float64Array; // 12 an instance, into the body frame
}

// Writes 16 numbers per instance, column by column: body ∘ local. Instances of bodies that are not
// `visible` collapse to a point. `layers` (planar worlds) are added to z: what is drawn over what.
export function instanceMatrices(
  instances: Instances,
  transforms: Float64Array,
  visible: Uint8Array,
  layers: Float32Array | null,
  out: Float32Array,
): void {
  const { count, bodies, locals } = instances;
  for (let i = 0, o = 0, l = 0; i < count; ++i, o += 16, l += 12) {
    const body = bodies[i];
    if (!visible[body]) {
      out.fill(0, o, o + 15);
      out[o + 15] = 1;
      continue;
    }
    const t = 12 * body;
    for (let column = 0; column < 4; ++column) {
      const x = locals[l + 3 * column];
      const y = locals[l + 3 * column + 1];
      const z = locals[l + 3 * column + 2];
      const c = o + 4 * column;
      out[c] = transforms[t] * x + transforms[t + 3] * y + transforms[t + 6] * z;
      out[c + 1] = transforms[t + 1] * x + transforms[t + 4] * y + transforms[t + 7] * z;
      out[c + 2] = transforms[t + 2] * x + transforms[t + 5] * y + transforms[t + 8] * z;
      out[c + 3] = 0;
    }
    out[o + 12] += transforms[t + 9];
    out[o + 13] += transforms[t + 10];
    out[o + 14] += transforms[t + 11] + (layers ? layers[body] : 0);
    out[o + 15] = 1;
  }
}
