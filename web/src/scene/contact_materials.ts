// SPDX-License-Identifier: Apache-2.0
// Marks and arrows at contacts: flat figures sized in pixels, drawn over the bodies. A solid head
// says sticking, an open one sliding; so do a disk and a diamond at the point itself.
import { BufferAttribute, Color, DoubleSide, InstancedBufferGeometry, ShaderMaterial } from 'three';

import type { PixelUniforms } from './materials';

const arrowVertex = /* glsl */ `
attribute vec4 figure;     // along in lengths; along, across in heads; across in half widths
attribute float part;      // -1: always, 0: solid head, 1: open head
attribute vec3 origin;
attribute vec3 force;      // world, m
attribute vec3 colour;
attribute float kind;      // 0: solid head, 1: open head; + 2: cut
uniform vec2 viewport;
uniform float pixelRatio;
uniform float halo;        // pixels of outline
uniform float nearer;      // m towards the viewer, for what hides it
varying vec3 ink;
varying float along;
varying float isCut;

void main() {
  vec4 place = viewMatrix * vec4(origin, 1.0);
  vec4 from = projectionMatrix * place;
  vec4 lifted = projectionMatrix * (place + vec4(0.0, 0.0, nearer, 0.0));
  vec4 to = projectionMatrix * viewMatrix * vec4(origin + force, 1.0);
  ink = colour;
  isCut = step(1.5, kind);
  float head = mod(kind, 2.0);
  vec2 start = from.xy / from.w * viewport * 0.5 / pixelRatio;
  vec2 way = to.xy / to.w * viewport * 0.5 / pixelRatio - start;
  float size = length(way);
  bool shown = from.w > 0.0 && to.w > 0.0 && size > 1.5 && (part < -0.5 || abs(part - head) < 0.5);
  if (!shown) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec2 axis = way / size;
  vec2 side = vec2(-axis.y, axis.x);
  float tip = min(11.0, 0.6 * size);
  float width = min(1.5, 0.2 * tip);
  float grow = part > 0.5 ? 0.0 : halo;
  vec2 corner = axis * (figure.x * size + figure.y * tip);
  corner += side * (figure.z * tip + figure.w * (width + halo));
  corner += axis * sign(figure.x - 0.5) * grow * 0.8 + side * sign(figure.z) * grow;
  along = figure.x + figure.y * tip / size;
  float depth = lifted.w > 0.0 ? max(lifted.z / lifted.w, -1.0) : -1.0;
  gl_Position = vec4((start + corner) * 2.0 * pixelRatio / viewport, depth, 1.0);
}`;

const arrowFragment = /* glsl */ `
uniform vec3 haloColour;
uniform float halo;
varying vec3 ink;
varying float along;
varying float isCut;
void main() {
  if (isCut > 0.5 && abs(along - 0.5) < 0.035) discard;
  gl_FragColor = vec4(halo > 0.0 ? haloColour : ink, 1.0);
  #include <colorspace_fragment>
}`;

// Corners of the arrow: (along in lengths, along in heads, across in heads, across in half widths).
function arrowGeometry(): InstancedBufferGeometry {
  const figure: number[] = [];
  const part: number[] = [];
  const index: number[] = [];
  const add = (kind: number, ...corners: [number, number, number, number][]): void => {
    const first = part.length;
    for (const corner of corners) {
      figure.push(...corner);
      part.push(kind);
    }
    for (let i = 1; i + 1 < corners.length; ++i) index.push(first, first + i, first + i + 1);
  };
  add(0, [0, 0, 0, -1], [1, -0.8, 0, -1], [1, -0.8, 0, 1], [0, 0, 0, 1]);
  add(0, [1, 0, 0, 0], [1, -1, 0.42, 0], [1, -1, -0.42, 0]);
  add(1, [0, 0, 0, -1], [1, -0.1, 0, -1], [1, -0.1, 0, 1], [0, 0, 0, 1]);
  for (const side of [1, -1])
    add(
      1,
      [1, 0, 0, side],
      [1, 0, 0, -side],
      [1, -0.95, 0.55 * side, -side],
      [1, -0.95, 0.55 * side, side],
    );
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('figure', new BufferAttribute(new Float32Array(figure), 4));
  geometry.setAttribute('part', new BufferAttribute(new Float32Array(part), 1));
  geometry.setIndex(index);
  return geometry;
}

const markVertex = /* glsl */ `
attribute vec2 corner;
attribute vec3 origin;
attribute vec3 colour;
attribute vec2 look;       // figure; radius in pixels
uniform vec2 viewport;
uniform float pixelRatio;
uniform float nearer;
varying vec2 at;
varying vec3 ink;
varying float figure;
varying float radius;
void main() {
  vec4 place = viewMatrix * vec4(origin, 1.0);
  vec4 point = projectionMatrix * place;
  vec4 lifted = projectionMatrix * (place + vec4(0.0, 0.0, nearer, 0.0));
  ink = colour;
  figure = look.x;
  radius = look.y;
  at = corner * (look.y + 2.0);
  point.xy += at * 2.0 * pixelRatio / viewport * point.w;
  point.z = (lifted.w > 0.0 ? max(lifted.z / lifted.w, -1.0) : -1.0) * point.w;
  gl_Position = point;
}`;

// Distances to the outline of a figure, in pixels, negative inside.
const markFragment = /* glsl */ `
uniform vec3 haloColour;
uniform float pixelRatio;
varying vec2 at;
varying vec3 ink;
varying float figure;
varying float radius;
void main() {
  float disk = length(at) - radius;
  float diamond = (abs(at.x) + abs(at.y) - 1.3 * radius) * 0.7071;
  float outline = figure > 0.5 && figure < 1.5 ? diamond : disk;
  float soft = 0.6 / pixelRatio;
  float inside = 1.0 - smoothstep(-soft, soft, outline);
  float halo = radius > 2.0 ? 1.2 : 0.5;
  float rim = 1.0 - smoothstep(halo - soft, halo + soft, outline);
  float inner = 1.0 - smoothstep(-soft, soft, outline + 0.45 * radius);
  float hole = figure > 0.5 && figure < 1.5 ? inner : 0.0;
  float ring = inside * smoothstep(-soft, soft, disk + 2.2);
  float alpha = figure > 2.5 ? ring : max(inside, rim * 0.9);
  if (alpha < 0.01) discard;
  gl_FragColor = vec4(mix(haloColour, ink, inside * (1.0 - hole)), alpha);
  #include <colorspace_fragment>
}`;

// Numbers of figures as the shader knows them.
export const markFigures = { sticking: 0, sliding: 1, open: 2, selected: 3 } as const;

function markGeometry(): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute(
    'corner',
    new BufferAttribute(new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), 2),
  );
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

function overlayMaterial(
  vertexShader: string,
  fragmentShader: string,
  pixels: PixelUniforms,
  halo: number,
): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader,
    fragmentShader,
    uniforms: {
      ...pixels,
      haloColour: { value: new Color() },
      halo: { value: halo },
      nearer: { value: 0 },
    },
    transparent: true,
    depthTest: false,
    depthWrite: false,
    side: DoubleSide,
  });
}

export interface Figure {
  geometry: () => InstancedBufferGeometry;
  columns: Record<string, number>; // instance attributes and their sizes
  materials: (pixels: PixelUniforms) => ShaderMaterial[]; // drawn one over the other
}

export const arrowFigure: Figure = {
  geometry: arrowGeometry,
  columns: { origin: 3, force: 3, colour: 3, kind: 1 },
  materials: (pixels) =>
    [1.2, 0].map((halo) => overlayMaterial(arrowVertex, arrowFragment, pixels, halo)),
};

export const markFigure: Figure = {
  geometry: markGeometry,
  columns: { origin: 3, colour: 3, look: 2 },
  materials: (pixels) => [overlayMaterial(markVertex, markFragment, pixels, 0)],
};
