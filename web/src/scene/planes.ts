// SPDX-License-Identifier: Apache-2.0
// What has no end: grids, half-spaces as planes with a grid, half-planes hatched below their line.
// Each is one quad that follows the view; lines are drawn by its shader, tied to the plane.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Mesh,
  ShaderMaterial,
  Vector2,
} from 'three';

import type { ThemeColours } from './appearance';
import type { PixelUniforms } from './materials';

// What an unbounded shape has to know of the view.
export interface ViewExtent {
  x: number; // target, m
  y: number;
  z: number;
  reach: number; // m from the target to the corner of the view
  unitsPerPixel: number; // m a CSS pixel, at the target
  sceneRadius: number; // m
}

const squareVertex = /* glsl */ `
varying vec2 local;      // from -1 to 1
void main() {
  local = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const gridFragment = /* glsl */ `
uniform vec3 lineColour;
uniform vec3 fillColour;
uniform float fill;        // opacity of the plane itself
uniform float lines;       // opacity of the grid
uniform float minor;       // of the fine lines, relative
uniform float fade;        // 1: vanishes towards the rim
uniform float isFloor;      // 0: a wall, not seen from behind
uniform vec2 origin;       // grid coordinate of the middle of the quad, in spacings
uniform vec2 halfSize;     // of the quad, in spacings
varying vec2 local;

float linesAt(vec2 grid) {
  vec2 width = fwidth(grid);
  vec2 near = abs(fract(grid - 0.5) - 0.5) / width;
  vec2 shown = (1.0 - smoothstep(0.4, 1.4, near)) * (1.0 - smoothstep(0.1, 0.5, width));
  return max(shown.x, shown.y);
}

void main() {
  vec2 grid = origin + local * halfSize;
  float line = lines * max(minor * 0.55 * linesAt(grid), linesAt(grid / 10.0));
  float rim = mix(1.0, 1.0 - smoothstep(0.35, 1.0, length(local)), fade);
  if (!gl_FrontFacing && isFloor < 0.5) discard;
  float body = gl_FrontFacing ? fill : 0.0;   // of a floor from below only the lines
  float cover = line + body * (1.0 - line);
  if (rim * cover < 0.01) discard;
  gl_FragColor = vec4(mix(fillColour, lineColour, line / cover), rim * cover);
  #include <colorspace_fragment>
}`;

const hatchFragment = /* glsl */ `
uniform vec3 lineColour;
uniform vec3 fillColour;
uniform float hatch;       // 0: only the line
uniform float phase;       // pixels
uniform vec2 pixels;       // half width and depth of the quad
uniform float pixelRatio;
varying vec2 local;

void main() {
  // x along the line, y below it, in pixels.
  vec2 at = vec2(local.x * pixels.x, (1.0 - local.y) * 0.5 * pixels.y);
  float soft = 0.75 / pixelRatio;
  float line = 1.0 - smoothstep(1.6 - soft, 1.6 + soft, at.y);
  float stripe = abs(mod(at.x + phase + at.y, 9.0) - 4.5);
  float band = (1.0 - smoothstep(0.5, 0.5 + soft, stripe)) * (1.0 - smoothstep(6.0, 13.0, at.y));
  float shade = hatch * max(0.75 * band, 0.0);
  float ink = max(line, shade);
  float alpha = max(ink, 0.75 * hatch);
  if (alpha < 0.01) discard;
  gl_FragColor = vec4(mix(fillColour, lineColour, ink), alpha);
  #include <colorspace_fragment>
}`;

function square(): BufferGeometry {
  const geometry = new BufferGeometry();
  const corners = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
  geometry.setAttribute('position', new BufferAttribute(corners, 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

function quadMesh(material: ShaderMaterial, order: number): Mesh {
  const mesh = new Mesh(square(), material);
  mesh.frustumCulled = false;
  mesh.matrixAutoUpdate = false;
  mesh.renderOrder = order;
  return mesh;
}

// Sets columns of a matrix: u·a, v·b, u×v, and a position.
function setQuad(
  mesh: Mesh,
  frame: Float64Array,
  a: number,
  b: number,
  at: readonly number[],
): void {
  const e = mesh.matrix.elements;
  for (let k = 0; k < 3; ++k) {
    e[k] = frame[k] * a;
    e[4 + k] = frame[3 + k] * b;
    e[8 + k] = frame[6 + k];
    e[12 + k] = at[k];
  }
  mesh.matrixWorldNeedsUpdate = true;
}

const gridOrder = -20;
const planeOrder = -10;
const finestPixels = 18; // fine lines are never closer

// A plane with a grid of powers of ten: the floor of a half-space, or the grid alone.
export class GridPlane {
  readonly mesh: Mesh;
  private readonly material: ShaderMaterial;
  private readonly position = [0, 0, 0];

  constructor(private readonly solid: boolean) {
    this.material = new ShaderMaterial({
      vertexShader: squareVertex,
      fragmentShader: gridFragment,
      uniforms: {
        lineColour: { value: new Color() },
        fillColour: { value: new Color() },
        fill: { value: solid ? 1 : 0 },
        lines: { value: 1 },
        minor: { value: 1 },
        fade: { value: 1 },
        isFloor: { value: 1 },
        origin: { value: new Vector2() },
        halfSize: { value: new Vector2() },
      },
      transparent: true,
      depthWrite: solid,
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 2,
    });
    this.mesh = quadMesh(this.material, solid ? planeOrder : gridOrder);
  }

  paint(colours: ThemeColours, grid: boolean, opacity: number): void {
    const { uniforms } = this.material;
    uniforms.lineColour.value.copy(colours.grid);
    uniforms.fillColour.value.copy(colours.ground);
    uniforms.fill.value = this.solid ? opacity : 0;
    uniforms.lines.value = grid ? 0.55 : 0;
  }

  // `frame`: 12 numbers, its third axis the normal. `size`: half of the quad, m.
  place(frame: Float64Array, view: ViewExtent, size: number, fade: boolean): void {
    const { uniforms } = this.material;
    const dx = view.x - frame[9];
    const dy = view.y - frame[10];
    const dz = view.z - frame[11];
    const u = frame[0] * dx + frame[1] * dy + frame[2] * dz;
    const v = frame[3] * dx + frame[4] * dy + frame[5] * dz;
    for (let k = 0; k < 3; ++k) this.position[k] = frame[9 + k] + u * frame[k] + v * frame[3 + k];
    setQuad(this.mesh, frame, size, size, this.position);
    const exact = Math.log10(finestPixels * view.unitsPerPixel);
    const spacing = 10 ** Math.ceil(exact);
    const ten = 10 * spacing; // the pattern repeats: keeps numbers small for the shader
    uniforms.origin.value.set((u % ten) / spacing, (v % ten) / spacing);
    uniforms.halfSize.value.set(size / spacing, size / spacing);
    uniforms.minor.value = Math.min(1, 1.6 * (Math.ceil(exact) - exact));
    uniforms.fade.value = fade ? 1 : 0;
    uniforms.isFloor.value = Math.abs(frame[8]) > 0.7 ? 1 : 0;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}

// Below its line hatched as in a drawing of mechanics; further down a plain tone.
export class HatchedHalfPlane {
  readonly mesh: Mesh;
  private readonly material: ShaderMaterial;
  private readonly position = [0, 0, 0];

  constructor(pixels: PixelUniforms) {
    this.material = new ShaderMaterial({
      vertexShader: squareVertex,
      fragmentShader: hatchFragment,
      uniforms: {
        lineColour: { value: new Color() },
        fillColour: { value: new Color() },
        hatch: { value: 1 },
        phase: { value: 0 },
        pixels: { value: new Vector2() },
        pixelRatio: pixels.pixelRatio,
      },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.mesh = quadMesh(this.material, planeOrder);
  }

  paint(ground: Color, line: Color, hatched: boolean): void {
    const { uniforms } = this.material;
    uniforms.fillColour.value.copy(ground);
    uniforms.lineColour.value.copy(line);
    uniforms.hatch.value = hatched ? 1 : 0;
  }

  // `frame`: 12 numbers, its second axis the normal.
  place(frame: Float64Array, view: ViewExtent): void {
    const { uniforms } = this.material;
    const dx = view.x - frame[9];
    const dy = view.y - frame[10];
    const along = frame[0] * dx + frame[1] * dy;
    const above = frame[3] * dx + frame[4] * dy;
    const width = 1.05 * view.reach;
    const depth = Math.max(view.reach - above, 0);
    for (let k = 0; k < 2; ++k)
      this.position[k] = frame[9 + k] + along * frame[k] - 0.5 * depth * frame[3 + k];
    setQuad(this.mesh, frame, width, 0.5 * depth, this.position);
    this.mesh.visible = depth > 0;
    const period = 9 * view.unitsPerPixel;
    uniforms.phase.value = (along % period) / view.unitsPerPixel;
    uniforms.pixels.value.set(width / view.unitsPerPixel, depth / view.unitsPerPixel);
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}
