// SPDX-License-Identifier: Apache-2.0
// All instances of one geometry: one draw call for the fill, one for the edges. Both read the same
// buffer of matrices.
import {
  type BufferGeometry,
  type Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  Sphere,
  Vector3,
} from 'three';

import { instanceMatrices, type Instances } from './instance_matrices';
import { type BodyMaterials, fillGeometry, ribbonGeometry } from './materials';
import type { PlacedShape } from './shapes';

const everywhere = new Sphere(new Vector3(), Infinity);
export const fillOrder = 0;
export const edgeOrder = 1;

// The instances are placed anew for each picture: no bounds are kept, nothing is culled.
function instanced(geometry: BufferGeometry, material: BodyMaterials['edges'], count: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, count);
  mesh.frustumCulled = false;
  mesh.boundingSphere = everywhere;
  mesh.matrixAutoUpdate = false;
  return mesh;
}

function farthest(points: Float32Array, least: number): number {
  let far = least;
  for (let i = 0; i < points.length; i += 3)
    far = Math.max(far, Math.hypot(points[i], points[i + 1], points[i + 2]));
  return far;
}

export class Batch {
  readonly instances: Instances;
  readonly shapes: Int32Array; // index in the model of each instance
  readonly segments: Float32Array; // of the edges, 6 each
  readonly fill: InstancedMesh;
  readonly edges: InstancedMesh | null = null;
  readonly radius: number; // of the geometry about its origin
  readonly flat: boolean;
  private readonly edgeStyle: InstancedBufferAttribute;

  constructor(placed: readonly PlacedShape[], materials: BodyMaterials, sides: number) {
    const count = placed.length;
    this.instances = {
      count,
      bodies: Int32Array.from(placed, (shape) => shape.body),
      locals: new Float64Array(12 * count),
    };
    placed.forEach((shape, i) => this.instances.locals.set(shape.local, 12 * i));
    this.shapes = Int32Array.from(placed, (shape) => shape.index);
    const geometry = placed[0].make(sides);
    this.segments = geometry.edges;
    this.flat = placed[0].flat;
    const fill = fillGeometry(geometry);
    this.radius = farthest(geometry.positions, farthest(geometry.edges, 0));
    this.fill = instanced(fill, this.flat ? materials.flat : materials.solid, count);
    this.fill.instanceMatrix.setUsage(DynamicDrawUsage);
    this.fill.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count), 3);
    this.fill.renderOrder = fillOrder;
    this.edgeStyle = new InstancedBufferAttribute(new Float32Array(4 * count), 4);
    if (this.segments.length === 0) return;
    const ribbons = ribbonGeometry(this.segments);
    ribbons.setAttribute('edgeStyle', this.edgeStyle);
    this.edges = instanced(ribbons, materials.edges, count);
    this.edges.instanceMatrix = this.fill.instanceMatrix;
    this.edges.renderOrder = edgeOrder;
  }

  place(transforms: Float64Array, visible: Uint8Array, layers: Float32Array | null): void {
    const matrices = this.fill.instanceMatrix;
    instanceMatrices(this.instances, transforms, visible, layers, matrices.array as Float32Array);
    matrices.needsUpdate = true;
  }

  // Colour of instance i; `width` of its edges in pixels.
  paint(i: number, fill: Color, edge: Color, width: number): void {
    fill.toArray(this.fill.instanceColor!.array, 3 * i);
    edge.toArray(this.edgeStyle.array, 4 * i);
    this.edgeStyle.array[4 * i + 3] = width;
    this.fill.instanceColor!.needsUpdate = true;
    this.edgeStyle.needsUpdate = true;
  }

  dispose(): void {
    for (const mesh of [this.fill, this.edges]) {
      mesh?.removeFromParent();
      mesh?.geometry.dispose();
      mesh?.dispose();
    }
  }
}
