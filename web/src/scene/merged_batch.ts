// SPDX-License-Identifier: Apache-2.0
// Shapes that share their geometry with few others, all in one mesh: two draw calls instead of two
// for each. Every vertex knows the slot of its shape; matrices and colours of the slots stand in
// textures that the shaders read in place of instance attributes.
import {
  BufferAttribute,
  BufferGeometry,
  type Color,
  DataTexture,
  FloatType,
  type Material,
  Mesh,
  RGBAFormat,
} from 'three';

import { type BodyBatch, edgeOrder, farthest, fillOrder, instancesOf } from './batch';
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

const slotsAcross = 256;

// `texels` a slot, so many slots in a row of the texture.
function slotTexture(slots: number, texels: number): DataTexture {
  const width = texels * Math.min(slots, slotsAcross);
  const height = Math.ceil(slots / slotsAcross);
  return new DataTexture(
    new Float32Array(4 * width * height),
    width,
    height,
    RGBAFormat,
    FloatType,
  );
}

const slotShader = /* glsl */ `
attribute float slot;
uniform highp sampler2D slotMatrices;
uniform highp sampler2D slotFills;
uniform highp sampler2D slotEdges;
ivec2 slotAt(int texels) {
  int i = int(slot + 0.5);
  return ivec2(texels * (i % ${slotsAcross}), i / ${slotsAcross});
}
mat4 slotMatrix() {
  ivec2 at = slotAt(4);
  return mat4(
    texelFetch(slotMatrices, at, 0), texelFetch(slotMatrices, at + ivec2(1, 0), 0),
    texelFetch(slotMatrices, at + ivec2(2, 0), 0), texelFetch(slotMatrices, at + ivec2(3, 0), 0));
}
#define USE_INSTANCING
#define USE_INSTANCING_COLOR
#define instanceMatrix slotMatrix()
#define instanceColor texelFetch(slotFills, slotAt(1), 0)
#define edgeStyle texelFetch(slotEdges, slotAt(1), 0)
`;

interface SlotTextures {
  slotMatrices: { value: DataTexture };
  slotFills: { value: DataTexture };
  slotEdges: { value: DataTexture };
}

function readSlots(material: Material, textures: SlotTextures): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, textures);
    shader.vertexShader =
      slotShader + shader.vertexShader.replace(/attribute vec4 edgeStyle;.*/, '');
  };
  material.customProgramCacheKey = () => 'slots';
}

function setSlots(geometry: BufferGeometry, parts: BufferGeometry[], counted: string): void {
  const slots = parts.flatMap((part, i) => Array<number>(part.getAttribute(counted).count).fill(i));
  geometry.setAttribute('slot', new BufferAttribute(new Float32Array(slots), 1));
}

// One geometry of many, attribute by attribute; `counted` is one that all have.
function merged(parts: BufferGeometry[], counted: string): BufferGeometry {
  const geometry = new BufferGeometry();
  for (const name of Object.keys(parts[0].attributes)) {
    const arrays = parts.map((part) => part.getAttribute(name).array as Float32Array);
    const all = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const array of arrays) {
      all.set(array, at);
      at += array.length;
    }
    geometry.setAttribute(name, new BufferAttribute(all, parts[0].getAttribute(name).itemSize));
  }
  const index: number[] = [];
  let first = 0;
  for (const part of parts) {
    for (const i of part.getIndex()!.array) index.push(first + i);
    first += part.getAttribute(counted).count;
  }
  geometry.setIndex(new BufferAttribute(new Uint32Array(index), 1));
  setSlots(geometry, parts, counted);
  return geometry;
}

export class MergedBatch implements BodyBatch {
  readonly instances: Instances;
  readonly meshes: Mesh[];
  readonly matrices: Float32Array;
  readonly outlined = true;
  private readonly geometries: ShapeGeometry[];
  private readonly radii: number[];
  private readonly textures: SlotTextures;
  private readonly flat: boolean;
  private materials: BodyMaterials | null = null;

  // All of `placed` are flat, or none is.
  constructor(
    placed: readonly PlacedShape[],
    sides: number,
    private readonly pixels: PixelUniforms,
  ) {
    const count = placed.length;
    this.instances = instancesOf(placed);
    this.flat = placed[0].flat;
    this.geometries = placed.map((shape) => shape.make(sides));
    this.radii = this.geometries.map(farthest);
    this.textures = {
      slotMatrices: { value: slotTexture(count, 4) },
      slotFills: { value: slotTexture(count, 1) },
      slotEdges: { value: slotTexture(count, 1) },
    };
    this.matrices = this.textures.slotMatrices.value.image.data as unknown as Float32Array;
    const fill = merged(this.geometries.map(fillGeometry), 'position');
    const edges = merged(
      this.geometries.map(({ edges: segments }) => ribbonGeometry(segments)),
      'corner',
    );
    this.meshes = [fill, edges].map((geometry, i) => {
      const mesh = new Mesh(geometry);
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = i === 0 ? fillOrder : edgeOrder;
      return mesh;
    });
    this.useMaterials(false);
  }

  geometryOf(i: number): ShapeGeometry {
    return this.geometries[i];
  }

  radiusOf(i: number): number {
    return this.radii[i];
  }

  useMaterials(ghost: boolean): void {
    this.disposeMaterials();
    this.materials = bodyMaterials(ghost, this.pixels);
    this.meshes[0].material = this.flat ? this.materials.flat : this.materials.solid;
    this.meshes[1].material = this.materials.edges;
    for (const { material } of this.meshes) readSlots(material as Material, this.textures);
  }

  place(transforms: Float64Array, visible: Uint8Array, layers: Float32Array | null): void {
    instanceMatrices(this.instances, transforms, visible, layers, this.matrices);
    this.textures.slotMatrices.value.needsUpdate = true;
  }

  paint(i: number, fill: Color, edge: Color, width: number): void {
    const { slotFills, slotEdges } = this.textures;
    fill.toArray(slotFills.value.image.data as unknown as Float32Array, 4 * i);
    const edges = slotEdges.value.image.data as unknown as Float32Array;
    edge.toArray(edges, 4 * i);
    edges[4 * i + 3] = width;
    slotFills.value.needsUpdate = true;
    slotEdges.value.needsUpdate = true;
  }

  private disposeMaterials(): void {
    for (const material of Object.values(this.materials ?? {}) as Material[]) material.dispose();
  }

  dispose(): void {
    this.disposeMaterials();
    for (const { value } of Object.values(this.textures) as { value: DataTexture }[])
      value.dispose();
    for (const mesh of this.meshes) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
    }
  }
}
