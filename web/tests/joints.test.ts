// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { parseGrasp } from '../src/data/grasp';
import { jointLayout, jointNumbers, parseCouplings, parseJoints, partsOf } from '../src/data/joints';
import { pixelUniforms } from '../src/scene/materials';
import { JointDrawing, type JointStyle } from '../src/scene/joint_drawing';
import { weakestWrench, wrenchShares } from '../src/scene/grasp_drawing';
import { jointRows } from '../src/ui/joint_words';
import { at, frameOf, joint, mechanism } from './support/mechanisms';

const model = mechanism(3, [
  joint('revolute', 'hinge', [-1, 0], [at(0, 0, 1), at()], [{ lower: -1, upper: 1, motor: 'position' }]),
  joint('ball', 'hip', [0, 1], [at(1), at()], [{}, {}, {}]),
  joint('fixed', 'weld', [1, 2], [at(), at()], []),
], [{ name: 'c', joints: [0, 1], freedoms: [0, 2], ratio: 2, offset: 0, breakaway: null }]);

describe('numbers of joints', () => {
  it('stand as recordings name them: coordinates, rates, couplings, then what each joint bore', () => {
    const layout = jointLayout(model);
    expect(layout.width).toBe(1 + 4 + (1 + 3) + 1 + (3 + 6) + (9 + 6) + 6);
    expect(layout.couplings).toBe(9);
    expect(partsOf(layout.joints[0], model.joints![0])).toEqual({
      position: [0], rate: [5], motor: [10], friction: [11], limit: [12], force: [13, 14, 15], moment: [16, 17, 18],
    });
    expect(partsOf(layout.joints[1], model.joints![1]).position).toEqual([1, 2, 3, 4]);
    expect(partsOf(layout.joints[2], model.joints![2])).toMatchObject({ position: [], motor: [], force: [34, 35, 36] });
  });

  it('of another length are not taken for those of the model', () => {
    expect(jointNumbers({ joints: new Float32Array(39) }, model)).toBeNull();
    expect(jointNumbers({ joints: new Float32Array(40) }, model)).not.toBeNull();
    expect(jointNumbers({ joints: new Float32Array() }, mechanism(1, []))).toBeNull();
  });

  it('are told in words', () => {
    const frame = frameOf(model, Array(3).fill([0, 0, 0, 1, 0, 0, 0]).flat(), [Math.PI / 6, 1, 0, 0, 0]);
    frame.joints[10] = -2.5;
    frame.joints.set([3, 0, 4], 13);
    const rows = Object.fromEntries(jointRows(model.joints![0], 0, model,
        { bodies: model.bodies } as never, frame).map(([name, text]) => [name, text.replace(/\u202f/g, ' ')]));
    expect(rows).toMatchObject({
      kind: 'revolute', between: 'world – body 0', coordinate: '0.5236 rad (30.00°)', limits: '−57.30° to 57.30°',
      motor: '−2.500 N m', force: '5.000 N (3.00, 0, 4.00)', coupling: 'c: hip = 2.000 hinge',
    });
  });
});

describe('damaged joints', () => {
  const good = JSON.parse(JSON.stringify(model.joints)) as Record<string, unknown>[];
  it.each([
    [{ kind: 'toString' }, /kind that is not known/], [{ kind: 7 }, /kind that is not known/],
    [{ bodies: [0, 9] }, /a body that is not there/], [{ bodies: [0] }, /a body that is not there/],
    [{ frames: [at()] }, /frames that are no poses/],
    [{ frames: [at(), at(0, 0, 0, [0, 0, 0, 0])] }, /frames that are no poses/],
    [{ freedoms: [] }, /one entry per freedom/], [{ freedoms: [null] }, /one entry per freedom/],
  ])('are told: %j', (change, message) => {
    expect(() => parseJoints([{ ...good[0], ...change }], 3)).toThrow(message);
  });

  it('are told where they are no list, and couplings that couple nothing', () => {
    expect(() => parseJoints({}, 1)).toThrow(/no list/);
    expect(parseJoints(good, 3)).toHaveLength(3);
    const joints = parseJoints(good, 3);
    expect(parseCouplings(model.couplings, joints)).toEqual(model.couplings);
    for (const bad of [{ joints: [0, 5] }, { freedoms: [0, 3] }, { ratio: null }])
      expect(() => parseCouplings([{ ...model.couplings![0], ...bad }], joints)).toThrow(/couples no joints/);
    expect(parseJoints(undefined, 1)).toEqual([]);
  });
});

describe('joints in the scene', () => {
  const style: JointStyle = { theme: 'light', ghost: false, hidden: new Set(), solo: null, joints: true, selectedJoint: null };
  const transforms = Float64Array.from(Array(3).fill([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1]).flat());
  const frame = frameOf(model, [], [0.2, 1, 0, 0, 0]);
  const drawn = (change: Partial<JointStyle>): boolean[] => {
    const drawing = new JointDrawing(model, new Float64Array([0.2, 0.1, 0]), false, pixelUniforms(), { turning: 0, shifting: 0 });
    drawing.update(transforms, frame, { ...style, ...change });
    return [0, 1, 2].map((j) => Number.isFinite(drawing.points[3 * j]));
  };

  it('are where their second body holds them', () => {
    const drawing = new JointDrawing(model, new Float64Array(3), false, pixelUniforms(), { turning: 0, shifting: 0 });
    drawing.update(transforms, frame, style);
    expect(Array.from(drawing.points)).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });

  it('are hidden with a body, and all of them where they are switched off or their run is a ghost', () => {
    expect(drawn({})).toEqual([true, true, true]);
    expect(drawn({ hidden: new Set([0]) })).toEqual([false, false, true]);
    expect(drawn({ solo: 2 })).toEqual([false, false, true]);
    expect(drawn({ joints: false })).toEqual([false, false, false]);
    expect(drawn({ ghost: true })).toEqual([false, false, false]);
  });
});

describe('what is told of a grasp', () => {
  const quality = { lower: 0.1, upper: 0.2, settled: true, weakest: [0, 0, 3, 0, 0.4, 0] };
  const answer = {
    object: 'ball', time: 1, center: [0, 0, 0], length: 0.1, contacts: [{ by: 'a' }, { by: 'a' }, { by: 'b' }],
    closed: true, proved: true, margin: 0.3, unresisted: null, friction_required: 0.2, quality_sum: quality,
    quality_each: quality, least_sum: { status: 'held', value: 4 },
  };

  it('names who holds, and the wrench from outside that it resists least', () => {
    const found = parseGrasp(answer);
    expect(found.by).toEqual(['a', 'b']);
    expect(found.contacts).toBe(3);
    expect(weakestWrench(found)).toEqual([0, 0, -3, 0, -0.4, 0]);
    const { force, torque } = wrenchShares(weakestWrench(found)!, found.length);
    expect(force).toEqual([0, 0, -0.6]);
    torque.forEach((value, k) => expect(value).toBeCloseTo([0, -0.8, 0][k], 12));
  });

  it('of an open grasp is what nothing resists, in the plane a torque about z', () => {
    const found = parseGrasp({ ...answer, closed: false, unresisted: [0, 1, 0.5], friction_required: null });
    expect(weakestWrench(found)).toEqual([0, -1, 0, 0, 0, -0.5]);
    expect(found.frictionRequired).toBeNull();
    expect(weakestWrench(parseGrasp({ ...answer, closed: false, unresisted: null }))).toBeNull();
  });

  it.each([null, 7, {}, { ...answer, center: [0, 0] }, { ...answer, contacts: 3 }, { ...answer, time: null }])(
      'that cannot be read is an error: %j', (json) => {
    expect(() => parseGrasp(json)).toThrow(/cannot be read/);
  });
});
