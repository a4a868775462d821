// SPDX-License-Identifier: Apache-2.0
// All instances of one geometry: one draw call for the fill, one for the edges. Both read the same
// buffer of matrices.
import {
  type BufferGeometry,
  type Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  type Material,
  type Mesh,
} from 'three';

import { instanceMatrices, type Instances } from './instance_matrices';
import {
  type BodyMaterials,
  bodyMaterials,
  fillGeometry,
  type PixelUniforms,
  ribbonGeometry,
} from './materials';
import type { ShapeGeometry } from './shape_geometry';
import type { PlacedShape } from './shapes';

// Shapes that are drawn together.
export interface BodyBatch {
  readonly instances: Instances;
  readonly matrices: Float32Array; // 16 an instance
  readonly meshes: readonly Mesh[];
  readonly outlined: boolean; // has edges
  geometryOf(i: number): ShapeGeometry;
  radiusOf(i: number): number; // of the geometry, about its origin
  useMaterials(ghost: boolean): void;
  place(transforms: Float64Array, visible: Uint8Array, layers: Float32Array | null): void;
  paint(i: number, fill: Color, edge: Color, width: number): void; // width of edges in pixels
  dispose(): void;
}

export const fillOrder = 0;
export const edgeOrder = 1;

export function farthest({ positions, edges }: ShapeGeometry): number {
  let square = 0;
  for (const points of [positions, edges])
    for (let i = 0; i < points.length; i += 3)
      square = Math.max(square, points[i] ** 2 + points[i + 1] ** 2 + points[i + 2] ** 2);
  return Math.sqrt(square);
}

export function instancesOf(placed: readonly PlacedShape[]): Instances {
  const locals = new Float64Array(12 * placed.length);
  placed.forEach((shape, i) => locals.set(shape.local, 12 * i));
  return { count: placed.length, bodies: Int32Array.from(placed, (shape) => shape.body), locals };
}

// The instances are placed anew for each picture: nothing is culled.
function instanced(geometry: BufferGeometry, count: number, order: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, undefined, count);
  mesh.frustumCulled = false;
  mesh.matrixAutoUpdate = false;
  mesh.renderOrder = order;
  return mesh;
}

export class Batch implements BodyBatch {
  readonly instances: Instances;
  readonly meshes: InstancedMesh[];
  private readonly geometry: ShapeGeometry;
  private readonly flat: boolean;
  private readonly radius: number;
  private readonly edgeStyle: InstancedBufferAttribute;
  private materials: BodyMaterials | null = null;

  constructor(
    placed: readonly PlacedShape[],
    sides: number,
    private readonly pixels: PixelUniforms,
  ) {
    const count = placed.length;
    this.instances = instancesOf(placed);
    this.flat = placed[0].flat;
    this.geometry = placed[0].make(sides);
    this.radius = farthest(this.geometry);
    const fill = instanced(fillGeometry(this.geometry), count, fillOrder);
    fill.instanceMatrix.setUsage(DynamicDrawUsage);
    fill.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count), 3);
    this.edgeStyle = new InstancedBufferAttribute(new Float32Array(4 * count), 4);
    this.meshes = [fill];
    if (this.outlined) this.meshes.push(this.makeEdges(fill));
    this.useMaterials(false);
  }

  private makeEdges(fill: InstancedMesh): InstancedMesh {
    const ribbons = ribbonGeometry(this.geometry.edges);
    ribbons.setAttribute('edgeStyle', this.edgeStyle);
    const edges = instanced(ribbons, fill.count, edgeOrder);
    edges.instanceMatrix = fill.instanceMatrix;
    return edges;
  }

  get outlined(): boolean {
    return this.geometry.edges.length > 0;
  }

  get matrices(): Float32Array {
    return this.meshes[0].instanceMatrix.array as Float32Array;
  }

  geometryOf(): ShapeGeometry {
    return this.geometry;
  }

  radiusOf(): number {
    return this.radius;
  }

  useMaterials(ghost: boolean): void {
    this.disposeMaterials();
    this.materials = bodyMaterials(ghost, this.pixels);
    this.meshes[0].material = this.flat ? this.materials.flat : this.materials.solid;
    if (this.outlined) this.meshes[1].material = this.materials.edges;
  }

  place(transforms: Float64Array, visible: Uint8Array, layers: Float32Array | null): void {
    instanceMatrices(this.instances, transforms, visible, layers, this.matrices);
    this.meshes[0].instanceMatrix.needsUpdate = true;
  }

  paint(i: number, fill: Color, edge: Color, width: number): void {
    const fills = this.meshes[0].instanceColor!;
    fill.toArray(fills.array, 3 * i);
    edge.toArray(this.edgeStyle.array, 4 * i);
    this.edgeStyle.array[4 * i + 3] = width;
    fills.needsUpdate = true;
    this.edgeStyle.needsUpdate = true;
  }

  private disposeMaterials(): void {
    for (const material of Object.values(this.materials ?? {}) as Material[]) material.dispose();
  }

  dispose(): void {
    this.disposeMaterials();
    for (const mesh of this.meshes) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
      mesh.dispose();
    }
  }
}
