// SPDX-License-Identifier: Apache-2.0
import { Matrix4, type InstancedMesh, type Mesh, OrthographicCamera, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import type { Contacts } from '../src/data/types';
import { ContactDrawing, type ContactStyle } from '../src/scene/contact_drawing';
import { contactState, isSupport } from '../src/scene/contact_state';
import { pixelUniforms } from '../src/scene/materials';
import { pickContact } from '../src/scene/picking';

interface Row {
  impulse: [number, number, number];
  velocity?: [number, number, number];
  friction?: number;
  friction2?: number;
  moment?: [number, number, number];
  normal?: [number, number, number];
  tangent1?: [number, number, number];
  tangent2?: [number, number, number];
  point?: [number, number, number];
  bodies?: [number, number];
}

function contacts(...rows: Row[]): Contacts {
  const floats = (get: (row: Row) => number[]): Float32Array =>
    Float32Array.from(rows.flatMap(get));
  return {
    count: rows.length,
    key: Uint32Array.from(rows.flatMap((_, i) => [i, 1, 2, 3])),
    bodies: Int32Array.from(rows.flatMap(({ bodies }) => bodies ?? [0, 1])),
    pointA: floats(({ point }) => point ?? [0, 0, 0]),
    pointB: floats(({ point }) => point ?? [0, 0, 0]),
    normal: floats(({ normal }) => normal ?? [0, 1, 0]),
    tangent1: floats(({ tangent1 }) => tangent1 ?? [1, 0, 0]),
    tangent2: floats(({ tangent2 }) => tangent2 ?? [0, 0, 1]),
    impulse: floats(({ impulse }) => impulse),
    velocity: floats(({ velocity }) => velocity ?? [0, 0, 0]),
    gap: floats(() => [0]),
    friction: floats(({ friction }) => [friction ?? 0.5]),
    friction2: floats(({ friction, friction2 }) => [friction2 ?? friction ?? 0.5]),
    moment: floats(({ moment }) => moment ?? [0, 0, 0]),
    turning: floats(() => [0, 0, 0]),
  };
}

const stateOf = (row: Row): string => contactState(contacts(row), 0);

describe('the state of a contact', () => {
  it('is open without a normal impulse', () => {
    expect(stateOf({ impulse: [0, 0, 0] })).toBe('open');
    expect(stateOf({ impulse: [NaN, 0, 0] })).toBe('open');
  });

  it('is sticking with friction inside the cone', () => {
    expect(stateOf({ impulse: [2, 0.9, 0], velocity: [0, 1e-3, 0] })).toBe('sticking');
    expect(stateOf({ impulse: [2, 0.6, 0.6], velocity: [0, 0, 0] })).toBe('sticking');
  });

  it('is told by the ellipse where friction has an axis', () => {
    const row: Row = { impulse: [1, 0, 0.4], velocity: [0, 0, 1], friction: 0.2, friction2: 0.5 };
    expect(stateOf(row)).toBe('sticking');
    expect(stateOf({ ...row, impulse: [1, 0.12, 0.4] })).toBe('sliding');
  });

  it('is sticking on the cone without slip', () => {
    expect(stateOf({ impulse: [2, 1, 0], velocity: [0, 1e-9, 0] })).toBe('sticking');
  });

  it('is sliding on the cone with slip, also when the numbers are rounded to floats', () => {
    expect(stateOf({ impulse: [2, 1, 0], velocity: [0, -0.1, 0] })).toBe('sliding');
    for (const [mu, normal] of [
      [0.3, 0.7],
      [0.1, 3.3e-4],
      [0.77, 12345.6],
    ])
      expect(
        stateOf({
          impulse: [normal, 0.6 * mu * normal, 0.8 * mu * normal],
          velocity: [0, -0.06, -0.08],
          friction: mu,
        }),
      ).toBe('sliding');
  });

  it('is sliding without friction as soon as there is slip', () => {
    expect(stateOf({ impulse: [1, 0, 0], velocity: [0, 0.2, 0], friction: 0 })).toBe('sliding');
  });

  it('is a support only in the plane and with a normal along z', () => {
    const rows = contacts({ impulse: [1, 0, 0], normal: [0, 0, 1] }, { impulse: [1, 0, 0] });
    expect([isSupport(rows, 0, true), isSupport(rows, 0, false), isSupport(rows, 1, true)]).toEqual(
      [true, false, false],
    );
  });
});

const style: ContactStyle = {
  theme: 'light',
  cones: false,
  planar: true,
  stepSize: 0.01,
  metresPerNewton: 0.001,
  reference: 0.2,
  hidden: new Set(),
  solo: null,
  selected: null,
    object: null,
};

function drawn(rows: Contacts, changes: Partial<ContactStyle> = {}): ContactDrawing {
  const drawing = new ContactDrawing(pixelUniforms());
  drawing.update(rows, { ...style, ...changes });
  return drawing;
}

// The vectors of all arrows, as the graphics card gets them.
function arrows(drawing: ContactDrawing): Vector3[] {
  const meshes = drawing.group.children.flatMap((child) => child.children) as Mesh[];
  const { geometry } = meshes.find((mesh) => mesh.geometry.getAttribute('force'))!;
  const count = (geometry as unknown as { instanceCount: number }).instanceCount;
  return Array.from({ length: count }, (_, i) =>
    new Vector3().fromBufferAttribute(geometry.getAttribute('force') as never, i),
  );
}

// The matrices of translucent solids that are shown.
function solids(drawing: ContactDrawing): Matrix4[] {
  const groups = drawing.group.children.filter(({ visible }) => visible);
  const meshes = groups
    .map(({ children }) => children[0])
    .filter((mesh) => (mesh as InstancedMesh)?.isInstancedMesh);
  return meshes.flatMap((child) => {
    const mesh = child as InstancedMesh;
    return Array.from({ length: mesh.count }, (_, i) =>
      new Matrix4().fromArray(mesh.instanceMatrix.array, 16 * i),
    );
  });
}

describe('a moment', () => {
  it('is an arrow around its axis, and nothing is drawn without one', () => {
    const rows: Row = { impulse: [1, 0, 0], moment: [0.1, -0.2, 0.2] };
    const [arc, ...others] = solids(drawn(contacts(rows)));
    expect(others).toHaveLength(0);
    const [x, y, z] = [new Vector3(), new Vector3(), new Vector3()];
    arc.extractBasis(x, y, z);
    const radius = z.length();
    expect(radius).toBeCloseTo(0.3 * style.reference, 6);
    expect(z.divideScalar(radius).distanceTo(new Vector3(-2, 1, 2).divideScalar(3))).toBeLessThan(1e-6);
    expect(x.divideScalar(radius).cross(y.divideScalar(radius)).distanceTo(z)).toBeLessThan(1e-6);
    expect(solids(drawn(contacts({ impulse: [1, 0, 0] })))).toHaveLength(0);
  });
});

describe('arrows', () => {
  it('are as long as the forces on body b, along normal and tangents', () => {
    const [normal, friction] = arrows(drawn(contacts({ impulse: [1, -0.3, 0] })));
    expect(normal.toArray()).toEqual([0, expect.closeTo(0.1, 6), 0]);
    expect(friction.toArray()).toEqual([expect.closeTo(-0.03, 6), 0, 0]);
  });

  it('of one contact are cut by the same factor', () => {
    const [normal, friction] = arrows(drawn(contacts({ impulse: [100, 40, 0] })));
    expect(normal.length()).toBeCloseTo(3 * style.reference, 6);
    expect(friction.length() / normal.length()).toBeCloseTo(0.4, 5);
  });

  it('are not drawn for open contacts and for friction that is zero', () => {
    expect(arrows(drawn(contacts({ impulse: [0, 0, 0] }, { impulse: [1, 0, 0] })))).toHaveLength(1);
  });

  it('are left out with hidden bodies, and kept with the body shown alone', () => {
    const rows = contacts(
      { impulse: [1, 0, 0], bodies: [0, 1] },
      { impulse: [1, 0, 0], bodies: [0, 2] },
    );
    expect(drawn(rows, { hidden: new Set([2]) }).count).toBe(1);
    expect([...drawn(rows, { solo: 2 }).rows.subarray(0, 1)]).toEqual([1]);
  });

  it('of damaged contacts are left out', () => {
    const rows = contacts({ impulse: [1, 0, 0], point: [NaN, 0, 0] }, { impulse: [1, 0, 0] });
    expect(drawn(rows).count).toBe(1);
  });
});

describe('friction cones', () => {
  it('open with the angle of friction about the normal', () => {
    const tilted: Row = {
      impulse: [1, 0, 0],
      friction: 0.7,
      normal: [0.6, 0, 0.8],
      tangent1: [0.8, 0, -0.6],
      tangent2: [0, 1, 0],
    };
    const [cone] = solids(drawn(contacts(tilted), { cones: true, planar: false }));
    const axis = new Vector3(0, 0, 1).transformDirection(cone);
    expect(axis.x).toBeCloseTo(0.6, 5);
    for (const side of [new Vector3(1, 0, 1), new Vector3(0, -1, 1)])
      expect(Math.tan(side.transformDirection(cone).angleTo(axis))).toBeCloseTo(0.7, 4);
  });

  it('are ellipses where friction has an axis', () => {
    const row: Row = { impulse: [1, 0, 0], friction: 0.2, friction2: 0.5 };
    const [cone] = solids(drawn(contacts(row), { cones: true, planar: false }));
    const slope = (x: number, y: number) => {
      const side = new Vector3(x, y, 1).transformDirection(cone);
      return Math.tan(side.angleTo(new Vector3(0, 1, 0)));
    };
    expect(slope(1, 0)).toBeCloseTo(0.2, 4);
    expect(slope(0, 1)).toBeCloseTo(0.5, 4);
  });

  it('are wedges in the plane', () => {
    const [wedge] = solids(drawn(contacts({ impulse: [1, 0, 0], friction: 2 }), { cones: true }));
    const side = new Vector3(1, 0, 1).transformDirection(wedge);
    expect(side.x / side.y).toBeCloseTo(2, 4);
    expect(side.z).toBe(0);
  });
});

describe('support points', () => {
  it('are disks of the radius of the largest friction: the arrow of a sliding one ends on the rim', () => {
    const row: Row = {
      impulse: [2, 0.6, 0.8],
      friction: 0.5,
      normal: [0, 0, 1],
      tangent1: [1, 0, 0],
      tangent2: [0, 1, 0],
      velocity: [0, 1, 1],
      point: [3, 4, 0],
    };
    const drawing = drawn(contacts(row));
    const [disk] = solids(drawing);
    expect(disk.elements[0]).toBeCloseTo(0.1, 6);
    expect([disk.elements[12], disk.elements[13]]).toEqual([3, 4]);
    const [friction, ...others] = arrows(drawing);
    expect(others).toHaveLength(0);
    expect(friction.length()).toBeCloseTo(0.1, 6);
  });
});

describe('picking contacts', () => {
  const camera = new OrthographicCamera(-1, 1, 1, -1, -10, 10);
  camera.updateMatrixWorld();
  const viewport = { x: 0, y: 0, width: 400, height: 400 };
  const rows = contacts(
    { impulse: [1, 0, 0], point: [0.5, 0, 0] },
    { impulse: [0, 0, 0], point: [0.52, 0, 0] },
  );

  it('finds the closest within eight pixels', () => {
    const drawing = drawn(rows);
    expect(pickContact(drawing, { x: 0.505, y: 0.03, viewport, camera })).toBe(0);
    expect(pickContact(drawing, { x: 0.515, y: 0, viewport, camera })).toBe(1);
    expect(pickContact(drawing, { x: 0.5, y: 0.05, viewport, camera })).toBe(-1);
  });
});
