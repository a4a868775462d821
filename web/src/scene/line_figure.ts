// SPDX-License-Identifier: Apache-2.0
// Straight pieces of lines in the world, of constant width in pixels, with round ends, so that pieces
// one after the other join. A halo of the background's colour sets them off from what they cross.
import { BufferAttribute, Color, DoubleSide, InstancedBufferGeometry, ShaderMaterial } from 'three';

import type { Figure } from './contact_materials';
import { type PixelUniforms, trimmedSegment } from './materials';

const vertex = /* glsl */ `
attribute vec3 corner;     // end 0 or 1; from there along, across in half widths
attribute vec3 start;      // world, m
attribute vec3 end;
attribute vec3 outward;    // from the middle of what is drawn, m; its far side is paler
attribute vec3 colour;
attribute float width;     // pixels
uniform vec2 viewport;
uniform float pixelRatio;
uniform float halo;        // pixels of outline
uniform float nearer;      // m towards the viewer, for what hides it
uniform vec3 haloColour;
varying vec3 ink;
${trimmedSegment}
void main() {
  vec4 first = viewMatrix * vec4(start, 1.0);
  vec4 last = viewMatrix * vec4(end, 1.0);
  vec4 a = projectionMatrix * first;
  vec4 b = projectionMatrix * last;
  vec4 from = trimmed(a, b);
  vec4 to = trimmed(b, a);
  vec2 along = (to.xy / to.w - from.xy / from.w) * viewport;
  float size = length(along);
  along = size > 1e-6 ? along / size : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x);
  vec4 point = corner.x < 0.5 ? from : to;
  vec4 place = corner.x < 0.5 ? first : last;
  vec2 away = along * corner.y + across * corner.z;
  point.xy += away * (width + 2.0 * halo) * pixelRatio / viewport * point.w;

  // The halo lies as far behind as the line is away from the middle: it covers what is on the far
  // side, not the line's own next piece.
  float radius = length(outward);
  float behind = halo > 0.0 ? max(radius, -2e-3 * place.z) : 0.0;
  vec4 lifted = projectionMatrix * (place + vec4(0.0, 0.0, nearer - behind, 0.0));
  if (lifted.w > 0.0) point.z = max(lifted.z / lifted.w, -1.0) * point.w;

  vec3 towards = projectionMatrix[3][3] > 0.5 ? vec3(0.0, 0.0, 1.0) : -normalize(place.xyz);
  vec3 facing = radius > 0.0 ? (viewMatrix * vec4(outward / radius, 0.0)).xyz : towards;
  float far = 0.4 - 0.4 * smoothstep(-0.7, 0.3, dot(facing, towards));
  vec3 tone = mix(sqrt(colour), sqrt(haloColour), far); // roots: as the eye sees it
  ink = halo > 0.0 ? haloColour : tone * tone;
  gl_Position = point;
}`;

const fragment = /* glsl */ `
varying vec3 ink;
void main() {
  gl_FragColor = vec4(ink, 1.0);
  #include <colorspace_fragment>
}`;

const capSteps = 4; // of each round end

// A rectangle with half an octagon at each end.
function geometry(): InstancedBufferGeometry {
  const corners: number[] = [];
  const index: number[] = [];
  for (const end of [0, 1])
    for (let i = 0; i <= capSteps; ++i) {
      const angle = Math.PI * (0.5 + i / capSteps + end);
      corners.push(end, Math.cos(angle), Math.sin(angle));
    }
  for (let i = 1; i + 1 < corners.length / 3; ++i) index.push(0, i, i + 1);
  const result = new InstancedBufferGeometry();
  result.setAttribute('corner', new BufferAttribute(new Float32Array(corners), 3));
  result.setIndex(index);
  return result;
}

function material(pixels: PixelUniforms, halo: number): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: vertex,
    fragmentShader: fragment,
    uniforms: {
      ...pixels,
      haloColour: { value: new Color() },
      halo: { value: halo },
      nearer: { value: 0 },
    },
    transparent: true, // drawn after the bodies, in the order of figures
    side: DoubleSide,
  });
}

export const lineFigure: Figure = {
  geometry,
  columns: { start: 3, end: 3, outward: 3, colour: 3, width: 1 },
  materials: (pixels) => [1.2, 0].map((halo) => material(pixels, halo)),
};
