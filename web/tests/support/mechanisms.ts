// SPDX-License-Identifier: Apache-2.0
// Mechanisms made by formula, for tests of joints.
import { jointLayout } from '../../src/data/joints';
import type { Frame, JointFreedom, JointJson, JointKind, ModelJson, PoseJson, Vector3 } from '../../src/data/types';

export const freely: JointFreedom = {
  lower: null, upper: null, friction: 0, damping: 0, stiffness: 0, motor: 'none', motor_limit: null,
};

export const at = (x = 0, y = 0, z = 0, rotation: PoseJson['rotation'] = [1, 0, 0, 0]): PoseJson =>
    ({ position: [x, y, z], rotation });

export function joint(kind: JointKind, name: string, bodies: [number, number], frames: [PoseJson, PoseJson],
                      freedoms: Partial<JointFreedom>[] = [{}]): JointJson {
  return { name, kind, bodies, frames, pitch: 0, freedoms: freedoms.map((one) => ({ ...freely, ...one })) };
}

export function mechanism(bodies: number, joints: JointJson[], couplings: ModelJson['couplings'] = []): ModelJson {
  return {
    title: '', world: 'spatial', gravity: [0, 0, 0], parameters: {}, materials: [], surfaces: [], shapes: [],
    elements: [], joints, couplings,
    bodies: Array.from({ length: bodies }, (_, i) => ({
      name: `body ${i}`, freedom: 'spatial' as const, velocity_offset: 0, velocity_size: 6, mass: 1,
      center: [0, 0, 0] as Vector3,
    })),
  };
}

// A frame with these poses (x y z, w x y z each) and coordinates of all joints.
export function frameOf(model: ModelJson, poses: number[], coordinates: number[]): Frame {
  const joints = new Float32Array(jointLayout(model).width);
  joints.set(coordinates);
  return { index: 0, time: 0, model: 0, poses: Float32Array.from(poses), velocities: new Float32Array(),
           contacts: { count: 0 }, joints } as unknown as Frame;
}

// A four-bar linkage in the plane z = 0: bodies lie from their first joint along x.
export interface FourBar {
  ground: number;
  crank: number;
  coupler: number;
  rocker: number;
}

export function fourBar({ ground, crank, coupler, rocker }: FourBar, limits: Partial<JointFreedom> = {}): ModelJson {
  return mechanism(3, [
    joint('revolute', 'A', [-1, 0], [at(), at()]),
    joint('revolute', 'B', [0, 1], [at(crank), at()]),
    joint('revolute', 'D', [-1, 2], [at(ground), at()], [limits]),
    joint('revolute', 'C', [1, 2], [at(coupler), at(rocker)]),
  ]);
}

// Angles of coupler and rocker against x, of the branch whose coupler and rocker meet above the
// diagonal: the triangle of the diagonal, the coupler and the rocker.
export function fourBarAngles({ ground, crank, coupler, rocker }: FourBar, angle: number): { coupler: number; rocker: number } {
  const [x, y] = [crank * Math.cos(angle), crank * Math.sin(angle)];
  const diagonal = Math.hypot(ground - x, y);
  const slope = Math.atan2(-y, ground - x);
  const corner = Math.acos((coupler ** 2 + diagonal ** 2 - rocker ** 2) / (2 * coupler * diagonal));
  const meets = [x + coupler * Math.cos(slope + corner), y + coupler * Math.sin(slope + corner)];
  return { coupler: slope + corner, rocker: Math.atan2(meets[1], meets[0] - ground) };
}

export function fourBarFrame(model: ModelJson, sizes: FourBar, angle: number): Frame {
  const { coupler, rocker } = fourBarAngles(sizes, angle);
  const pose = (x: number, y: number, turn: number) => [x, y, 0, Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)];
  const { crank, ground } = sizes;
  return frameOf(model, [...pose(0, 0, angle),
    ...pose(crank * Math.cos(angle), crank * Math.sin(angle), coupler), ...pose(ground, 0, rocker)],
    [angle, coupler - angle, rocker, rocker - coupler]);
}
