// SPDX-License-Identifier: Apache-2.0
// Materials of bodies: matte fills, and edges drawn as ribbons of constant width in pixels, so that
// a rod thinner than a pixel is still seen. Edges stand in the shape's
// frame, once for all instances.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  type Material,
  MeshBasicMaterial,
  MeshLambertMaterial,
  ShaderMaterial,
  Vector2,
} from 'three';

import type { ShapeGeometry } from './shape_geometry';

// Uniforms that all materials sized in pixels share.
export interface PixelUniforms {
  viewport: { value: Vector2 }; // device pixels
  pixelRatio: { value: number };
}

export function pixelUniforms(): PixelUniforms {
  return { viewport: { value: new Vector2(1, 1) }, pixelRatio: { value: 1 } };
}

// The part of a segment in front of the near plane begins where z + w = 0.
export const trimmedSegment = /* glsl */ `
vec4 trimmed(vec4 point, vec4 other) {
  float here = point.z + point.w;
  float there = other.z + other.w;
  return here < 0.0 && there > 0.0 ? mix(point, other, here / (here - there) + 1e-5) : point;
}
`;

const ribbonVertex = /* glsl */ `
attribute vec3 start;
attribute vec3 end;
attribute vec2 corner;      // along 0 or 1, side -1 or 1
attribute vec4 edgeStyle;   // colour, width in pixels
uniform vec2 viewport;
uniform float pixelRatio;
varying vec3 colour;
${trimmedSegment}
void main() {
  mat4 map = projectionMatrix * modelViewMatrix * instanceMatrix;
  vec4 a = map * vec4(start, 1.0);
  vec4 b = map * vec4(end, 1.0);
  vec4 from = trimmed(a, b);
  vec4 to = trimmed(b, a);
  vec2 along = (to.xy / to.w - from.xy / from.w) * viewport;
  float size = length(along);
  along = size > 1e-6 ? along / size : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x);
  vec4 point = corner.x < 0.5 ? from : to;
  float cap = corner.x < 0.5 ? -0.5 : 0.5;
  point.xy += (across * corner.y + along * cap) * edgeStyle.w * pixelRatio / viewport * point.w;
  // Over the faces that meet in the edge; a wide one (of what is selected) over everything.
  point.z = edgeStyle.w > 2.0 ? -0.999 * point.w : point.z - 2e-5 * point.w;
  colour = edgeStyle.rgb;
  gl_Position = point;
}`;

const ribbonFragment = /* glsl */ `
uniform float opacity;
varying vec3 colour;
void main() {
  gl_FragColor = vec4(colour, opacity);
  #include <colorspace_fragment>
}`;

export interface BodyMaterials {
  solid: Material; // lit
  flat: Material; // planar fills
  edges: Material;
}

// A ghost is translucent and hides nothing.
export function bodyMaterials(ghost: boolean, pixels: PixelUniforms): BodyMaterials {
  const common = {
    vertexColors: true,
    transparent: ghost,
    opacity: ghost ? 0.3 : 1,
    depthWrite: !ghost,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  };
  return {
    solid: new MeshLambertMaterial(common),
    flat: new MeshBasicMaterial({ ...common, side: DoubleSide }),
    edges: edgeMaterial(pixels, ghost ? 0.6 : 1),
  };
}

export function edgeMaterial(pixels: PixelUniforms, opacity: number): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: ribbonVertex,
    fragmentShader: ribbonFragment,
    uniforms: { ...pixels, opacity: { value: opacity } },
    transparent: opacity < 1,
    depthWrite: opacity >= 1,
    side: DoubleSide,
  });
}

export function fillGeometry(shape: ShapeGeometry): BufferGeometry {
  const geometry = new BufferGeometry();
  const colours = new Float32Array(3 * shape.tones.length);
  shape.tones.forEach((tone, i) => colours.fill(tone, 3 * i, 3 * i + 3));
  geometry.setAttribute('position', new BufferAttribute(shape.positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(shape.normals, 3));
  geometry.setAttribute('color', new BufferAttribute(colours, 3));
  geometry.setIndex(new BufferAttribute(shape.indices, 1));
  return geometry;
}

// Four corners and two triangles a segment.
export function ribbonGeometry(segments: Float32Array): BufferGeometry {
  const count = segments.length / 6;
  const start = new Float32Array(12 * count);
  const end = new Float32Array(12 * count);
  const corner = new Float32Array(8 * count);
  const index = new Uint32Array(6 * count);
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < 4; ++k) {
      start.set(segments.subarray(6 * i, 6 * i + 3), 12 * i + 3 * k);
      end.set(segments.subarray(6 * i + 3, 6 * i + 6), 12 * i + 3 * k);
    }
    corner.set([0, -1, 1, -1, 1, 1, 0, 1], 8 * i);
    index.set(
      [0, 1, 2, 0, 2, 3].map((k) => 4 * i + k),
      6 * i,
    );
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('start', new BufferAttribute(start, 3));
  geometry.setAttribute('end', new BufferAttribute(end, 3));
  geometry.setAttribute('corner', new BufferAttribute(corner, 2));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}
