// SPDX-License-Identifier: Apache-2.0
import { Matrix4, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import type { Contacts, Frame, ModelJson, Run, ShapeJson } from '../src/data/types';
import { bodyTransforms, instanceMatrices } from '../src/scene/instance_matrices';
import { pixelUniforms } from '../src/scene/materials';
import { RunDrawing } from '../src/scene/run_drawing';

const identity = { position: [0, 0, 0], rotation: [1, 0, 0, 0] } as const;

describe('instance matrices', () => {
  const rotation = new Quaternion(0.1, -0.5, 0.3, 0.8).normalize();
  const poses = new Float32Array([
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    1,
    2,
    3,
    rotation.w,
    rotation.x,
    rotation.y,
    rotation.z,
  ]);
  const local = new Matrix4().compose(
    new Vector3(0.5, 0, -1),
    new Quaternion(0, 0, 0.6, 0.8),
    new Vector3(2, 3, 4),
  );
  const e = local.elements;
  const locals = new Float64Array([0, 4, 8, 12].flatMap((c) => [e[c], e[c + 1], e[c + 2]]));

  function matrix(visible: number, layers: Float32Array | null): Float32Array {
    const transforms = new Float64Array(24);
    bodyTransforms(poses, 2, transforms);
    const out = new Float32Array(16);
    const instances = { count: 1, bodies: Int32Array.of(1), locals };
    instanceMatrices(instances, transforms, Uint8Array.of(1, visible), layers, out);
    return out;
  }

  it('are the product of the pose and the place in the body', () => {
    const expected = new Matrix4()
      .compose(new Vector3(1, 2, 3), rotation, new Vector3(1, 1, 1))
      .multiply(local);
    matrix(1, null).forEach((value, i) => expect(value).toBeCloseTo(expected.elements[i], 5));
  });

  it('of hidden bodies are a point', () => {
    expect([...matrix(0, null)]).toEqual([...Array(15).fill(0), 1]);
  });

  it('of planar bodies are lifted to their layer', () => {
    expect(matrix(1, Float32Array.of(0, 0.25))[14] - matrix(1, null)[14]).toBeCloseTo(0.25, 5);
  });

  it('of damaged poses vanish, and are counted', () => {
    const damaged = poses.slice();
    damaged[8] = NaN;
    const transforms = new Float64Array(24).fill(9);
    expect(bodyTransforms(damaged, 2, transforms)).toBe(1);
    expect([...transforms.subarray(12)]).toEqual(Array(12).fill(0));
    expect([...transforms.subarray(0, 3)]).toEqual([1, 0, 0]);
    damaged.fill(0, 10, 14);
    expect(bodyTransforms(damaged.fill(1e30, 7, 8), 2, transforms)).toBe(1);
  });
});

const noContacts = { count: 0 } as Contacts;

function frame(index: number, poses: number[], model = 0): Frame {
  return {
    index,
    model,
    time: index,
    poses: Float32Array.from(poses),
    contacts: noContacts,
  } as unknown as Frame;
}

function box(body: number, half = 0.1): ShapeJson {
  return {
    kind: 'box',
    half_extents: [half, half, half],
    body,
    material: 0,
    offset: identity,
  } as unknown as ShapeJson;
}

function models(...shapes: ShapeJson[][]): ModelJson[] {
  const body = {
    freedom: 'spatial',
    mass: 1,
    center: [0, 0, 0],
    velocity_offset: 0,
    velocity_size: 6,
  };
  const bodies = [0, 1, 2].map((i) => ({ ...body, name: `body ${i}` }));
  return shapes.map(
    (list) =>
      ({
        world: 'spatial',
        gravity: [0, 0, -9.81],
        bodies,
        shapes: list,
        elements: [],
      }) as unknown as ModelJson,
  );
}

function drawing(list: ModelJson[], problems: string[] = []): RunDrawing {
  const description = {
    name: 'run.h5',
    world: list[0]?.world ?? 'spatial',
    bodies: list[0]?.bodies ?? [],
  };
  const run = {
    description,
    models: (version: number) => {
      if (!list[version]) throw new Error('no such model');
      return list[version];
    },
  } as unknown as Run;
  return new RunDrawing(run, 0, pixelUniforms(), (text) => problems.push(text));
}

const at = (x: number): number[] => [x, 0, 0, 1, 0, 0, 0];
const threePoses = [...at(0), ...at(1), ...at(2)];

describe('a run in the scene', () => {
  it('draws all boxes with two calls, each at its body', () => {
    const run = drawing(models([box(0), box(1, 0.2), box(2, 0.3)]));
    run.setFrame(frame(0, threePoses));
    expect(run.batches).toHaveLength(1);
    expect(run.batches[0].meshes).toHaveLength(2);
    const { matrices } = run.batches[0];
    expect([matrices[12], matrices[28], matrices[44]]).toEqual([0, 1, 2]);
    expect(matrices[16]).toBeCloseTo(0.2, 6);
  });

  it('keeps its geometry while the model is the same and rebuilds it when it changes', () => {
    const run = drawing(models([box(0), box(1), box(2)], [box(0)]));
    run.setFrame(frame(0, threePoses));
    const [first] = run.batches;
    run.setFrame(frame(1, threePoses));
    expect(run.batches[0]).toBe(first);
    run.setFrame(frame(2, threePoses, 1));
    expect(run.batches[0]).not.toBe(first);
  });

  it('keeps the last frame until the next has come', () => {
    const run = drawing(models([box(0), box(1), box(2)]));
    run.setFrame(frame(4, threePoses));
    run.setFrame(null);
    expect(run.frame?.index).toBe(4);
  });

  it('merges many different shapes into few draw calls', () => {
    const rock = (body: number, size: number): ShapeJson =>
      ({
        kind: 'polyhedron',
        vertices: [
          [0, 0, 0],
          [size, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        faces: [
          [0, 2, 1],
          [0, 1, 3],
          [0, 3, 2],
          [1, 2, 3],
        ],
        body,
        material: 0,
        offset: identity,
      }) as unknown as ShapeJson;
    const run = drawing(models(Array.from({ length: 300 }, (_, i) => rock(i % 3, 1 + 0.01 * i))));
    run.setFrame(frame(0, threePoses));
    expect(run.batches).toHaveLength(1);
    expect(run.batches[0].instances.count).toBe(300);
    expect(run.batches[0].matrices[16 * 299 + 12]).toBe(2);
  });

  it('shows a body without shapes as a cross of its axes', () => {
    const run = drawing(models([box(0)]));
    run.setFrame(frame(0, threePoses));
    expect(run.batches.map(({ instances }) => [...instances.bodies])).toEqual([[0], [1, 2]]);
    expect(run.radii[2]).toBeGreaterThan(0);
  });

  it('tells of a missing model, of damaged poses and of too few of them, and lives on', () => {
    const problems: string[] = [];
    const run = drawing(models([box(0), box(1), box(2)]), problems);
    run.setFrame(frame(0, [...at(0), ...at(NaN), ...at(2)]));
    run.setFrame(frame(1, at(0)));
    expect(run.frame).toBeNull();
    run.setFrame(frame(2, threePoses, 7));
    expect(problems).toHaveLength(3);
    expect(problems[2]).toContain('model 7');
  });

  it('hides, and shows one alone', () => {
    const run = drawing(models([box(0), box(1), box(2)]));
    run.setFrame(frame(0, threePoses));
    const style = { theme: 'light', ghost: false, grid: true, solo: null, selected: null, joints: true, selectedJoint: null } as const;
    run.setStyle({ ...style, hidden: new Set([1]) });
    expect([...run.visible]).toEqual([1, 0, 1]);
    run.setStyle({ ...style, hidden: new Set([1]), solo: 1 });
    expect([...run.visible]).toEqual([0, 1, 0]);
  });

  it('reports for the camera what moves and what the ground is', () => {
    const floor = {
      kind: 'half-space',
      body: 0,
      material: 0,
      offset: identity,
    } as unknown as ShapeJson;
    const run = drawing(models([floor, box(1), box(2)]));
    run.setFrame(frame(0, threePoses));
    const { free, grounds } = run.balls();
    expect(free.map(({ centre }) => centre[0])).toEqual([1, 2]);
    expect(grounds).toEqual([{ point: [0, 0, 0], normal: [0, 0, 1] }]);
  });
});
