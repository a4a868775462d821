// SPDX-License-Identifier: Apache-2.0
// Instances that are written anew for each frame: buffers that grow when they must, never shrink,
// and cost no allocation otherwise. One kind for figures in pixels, one for solids in the world.
import {
  BufferGeometry,
  type Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  type InstancedBufferGeometry,
  Mesh,
  MeshBasicMaterial,
  type ShaderMaterial,
} from 'three';

import type { Figure } from './contact_materials';
import { edgeMaterial, fillGeometry, type PixelUniforms, ribbonGeometry } from './materials';
import type { ShapeGeometry } from './shape_geometry';

function grown(capacity: number, needed: number): number {
  return Math.max(needed, 2 * capacity, 64);
}

export class FigureBatch {
  readonly group = new Group();
  columns: Record<string, Float32Array> = {};
  private geometry: InstancedBufferGeometry;
  private readonly materials: ShaderMaterial[];
  private readonly meshes: Mesh[];
  private capacity = 0;
  private uploads: { column: InstancedBufferAttribute; range: { start: number; count: number } }[] =
    [];

  constructor(
    private readonly figure: Figure,
    pixels: PixelUniforms,
    order: number,
  ) {
    this.geometry = figure.geometry();
    this.materials = figure.materials(pixels);
    this.meshes = this.materials.map((material, i) => {
      const mesh = new Mesh(this.geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = order + i;
      this.group.add(mesh);
      return mesh;
    });
    this.reserve(64);
  }

  // Room for so many; what was written is lost when the buffers grow.
  reserve(count: number): void {
    if (count <= this.capacity) return;
    this.capacity = grown(this.capacity, count);
    this.geometry.dispose();
    this.geometry = this.figure.geometry();
    this.uploads = [];
    for (const [name, size] of Object.entries(this.figure.columns)) {
      const column = new InstancedBufferAttribute(new Float32Array(size * this.capacity), size);
      this.geometry.setAttribute(name, column.setUsage(DynamicDrawUsage));
      this.columns[name] = column.array as Float32Array;
      this.uploads.push({ column, range: { start: 0, count: 0 } });
    }
    for (const mesh of this.meshes) mesh.geometry = this.geometry;
  }

  // So many are written.
  finish(count: number): void {
    this.geometry.instanceCount = count;
    this.group.visible = count > 0;
    for (const { column, range } of this.uploads) {
      range.count = column.itemSize * count;
      column.clearUpdateRanges();
      column.updateRanges.push(range);
      column.needsUpdate = true;
    }
  }

  // `nearer` null: over everything. Else hidden by what is closer to the viewer by so many metres.
  paint(background: Color, nearer: number | null): void {
    for (const material of this.materials) {
      material.uniforms.haloColour.value.copy(background);
      material.uniforms.nearer.value = nearer ?? 0;
      material.depthTest = nearer !== null;
    }
  }

  dispose(): void {
    this.geometry.dispose();
    this.materials.forEach((material) => material.dispose());
    this.group.removeFromParent();
  }
}

// Translucent solids with outlines, drawn over the bodies: friction cones, wedges, disks.
export class SolidBatch {
  readonly group = new Group();
  matrices: Float32Array = new Float32Array(0); // 16 each
  colours: Float32Array = new Float32Array(0); // 3 each
  edgeStyles: Float32Array = new Float32Array(0); // 4 each: colour, width
  private fill: InstancedMesh | null = null;
  private edges: InstancedMesh | null = null;
  private capacity = 0;
  private readonly fillMaterial: MeshBasicMaterial;
  private readonly edgeMaterial: ShaderMaterial;

  constructor(
    private readonly shape: ShapeGeometry,
    pixels: PixelUniforms,
    private readonly order: number,
    opacity: number,
  ) {
    const common = {
      transparent: true,
      depthTest: false,
      depthWrite: false,
      side: DoubleSide,
    } as const;
    this.fillMaterial = new MeshBasicMaterial({ ...common, opacity: 0.3 * opacity });
    this.edgeMaterial = edgeMaterial(pixels, opacity);
    this.edgeMaterial.depthTest = false;
  }

  reserve(count: number): void {
    if (count <= this.capacity) return;
    this.capacity = grown(this.capacity, count);
    this.drop();
    const fill = (this.fill = this.mesh(fillGeometry(this.shape), this.fillMaterial, 0));
    fill.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * this.capacity), 3);
    const ribbons = ribbonGeometry(this.shape.edges);
    const style = new InstancedBufferAttribute(new Float32Array(4 * this.capacity), 4);
    ribbons.setAttribute('edgeStyle', style);
    this.edges = this.mesh(ribbons, this.edgeMaterial, 1);
    this.edges.instanceMatrix = fill.instanceMatrix;
    this.matrices = fill.instanceMatrix.array as Float32Array;
    this.colours = fill.instanceColor.array as Float32Array;
    this.edgeStyles = style.array as Float32Array;
  }

  private mesh(
    geometry: BufferGeometry,
    material: InstancedMesh['material'],
    above: number,
  ): InstancedMesh {
    const mesh = new InstancedMesh(geometry, material, this.capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order + above;
    this.group.add(mesh);
    return mesh;
  }

  // So many are written.
  finish(count: number): void {
    this.group.visible = count > 0;
    if (!this.fill || !this.edges) return;
    this.fill.count = this.edges.count = count;
    this.fill.instanceMatrix.needsUpdate = true;
    this.fill.instanceColor!.needsUpdate = true;
    (this.edges.geometry.getAttribute('edgeStyle') as InstancedBufferAttribute).needsUpdate = true;
  }

  paintInstance(i: number, colour: Color): void {
    colour.toArray(this.colours, 3 * i);
    colour.toArray(this.edgeStyles, 4 * i);
    this.edgeStyles[4 * i + 3] = 1.2;
  }

  private drop(): void {
    for (const mesh of [this.fill, this.edges]) {
      mesh?.removeFromParent();
      mesh?.geometry.dispose();
      mesh?.dispose();
    }
  }

  dispose(): void {
    this.drop();
    this.fillMaterial.dispose();
    this.edgeMaterial.dispose();
    this.group.removeFromParent();
  }
}
