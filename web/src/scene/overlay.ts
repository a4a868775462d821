// SPDX-License-Identifier: Apache-2.0
// Drawn over the scene in CSS pixels, on the same canvas, so that pictures have it too: names of
// bodies, the scale bar, the axes, captions of runs. Text is set in device pixels: it stays crisp.
import {
  CanvasTexture,
  Color,
  LinearFilter,
  Mesh,
  MeshBasicMaterial,
  OrthographicCamera,
  PlaneGeometry,
  Scene,
  type Vector3,
  type WebGLRenderer,
} from 'three';

import type { ThemeColours } from './appearance';
import type { Viewport } from './cameras';
import { lengthText, niceLength } from './scales';

const unitSquare = new PlaneGeometry(1, 1);
const fontSize = 12; // CSS pixels
const font = `${fontSize}px system-ui, -apple-system, "Segoe UI", sans-serif`;
const padding = 4;

function overlayMaterial(): MeshBasicMaterial {
  return new MeshBasicMaterial({ transparent: true, depthTest: false, depthWrite: false });
}

// A line of text on its halo.
class Text {
  readonly mesh = new Mesh(unitSquare, overlayMaterial());
  width = 0; // CSS pixels
  height = fontSize + 2 * padding;
  private state = '';

  set(text: string, colours: ThemeColours, ratio: number, ink = colours.text): void {
    const state = `${text} ${colours.halo} ${ink} ${ratio}`;
    if (state === this.state) return;
    this.state = state;
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d')!;
    context.font = font;
    this.width = Math.ceil(context.measureText(text).width) + 2 * padding;
    canvas.width = Math.ceil(this.width * ratio);
    canvas.height = Math.ceil(this.height * ratio);
    context.scale(ratio, ratio);
    context.font = font;
    context.fillStyle = colours.halo;
    context.beginPath();
    context.roundRect(0, 0, this.width, this.height, 4);
    context.fill();
    context.fillStyle = ink;
    context.textBaseline = 'middle';
    context.fillText(text, padding, this.height / 2 + 0.5);
    const { material } = this.mesh;
    material.map?.dispose();
    material.map = new CanvasTexture(canvas);
    material.map.colorSpace = 'srgb';
    material.map.minFilter = material.map.magFilter = LinearFilter;
    material.map.generateMipmaps = false;
    material.needsUpdate = true;
  }

  // Its lower left corner, on whole device pixels.
  place(x: number, y: number, ratio: number): void {
    const whole = (value: number): number => Math.round(value * ratio) / ratio;
    const width = Math.ceil(this.width * ratio) / ratio;
    const height = Math.ceil(this.height * ratio) / ratio;
    this.mesh.scale.set(width, height, 1);
    this.mesh.position.set(whole(x) + width / 2, whole(y) + height / 2, 0);
    this.mesh.visible = true;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.material.map?.dispose();
    this.mesh.material.dispose();
  }
}

class Bar {
  readonly mesh = new Mesh(unitSquare, overlayMaterial());

  set(x1: number, y1: number, x2: number, y2: number, width: number, colour: Color): void {
    this.mesh.position.set((x1 + x2) / 2, (y1 + y2) / 2, 0);
    this.mesh.rotation.z = Math.atan2(y2 - y1, x2 - x1);
    this.mesh.scale.set(Math.hypot(x2 - x1, y2 - y1) + width, width, 1);
    this.mesh.material.color.copy(colour);
    this.mesh.visible = true;
  }
}

export interface Label {
  text: string;
  x: number; // CSS pixels from the left and the bottom
  y: number;
  important: boolean; // drawn even over others
}

export interface OverlayState {
  width: number; // canvas, CSS pixels
  height: number;
  pixelRatio: number;
  colours: ThemeColours;
  scale: boolean; // scale bar and axes
  unitsPerPixel: number;
  planar: boolean;
  axes: readonly Vector3[]; // x, y, z as the camera sees them: x right, y up
  viewports: readonly Viewport[];
  captions: readonly { text: string; ink: string }[]; // one per viewport, or below each other
}

const axisColours = ['#d1495b', '#3f8f4f', '#3d74c7'].map((hex) => new Color(hex));
const axisNames = ['x', 'y', 'z'];

export class Overlay {
  private readonly scene = new Scene();
  private readonly camera = new OrthographicCamera(0, 1, 1, 0, -1, 1);
  private readonly labels: Text[] = [];
  private readonly captions: Text[] = [];
  private readonly scaleText = new Text();
  private readonly scaleBars = [new Bar(), new Bar(), new Bar()];
  private readonly axisBars = [new Bar(), new Bar(), new Bar()];
  private readonly axisTexts = [new Text(), new Text(), new Text()];
  private readonly dividers: Bar[] = [];
  private readonly taken: { x: number; y: number; width: number; height: number }[] = [];

  constructor() {
    const parts = [...this.scaleBars, this.scaleText, ...this.axisBars, ...this.axisTexts];
    for (const { mesh } of parts) this.scene.add(mesh);
  }

  draw(
    renderer: WebGLRenderer,
    state: OverlayState,
    labels: readonly Label[],
    count: number,
  ): void {
    for (const child of this.scene.children) child.visible = false;
    this.camera.right = state.width;
    this.camera.top = state.height;
    this.camera.updateProjectionMatrix();
    this.placeLabels(state, labels, count);
    if (state.scale) this.placeScale(state);
    if (state.scale) this.placeAxes(state);
    this.placeCaptions(state);
    renderer.render(this.scene, this.camera);
  }

  private text(list: Text[], i: number): Text {
    if (!list[i]) {
      list[i] = new Text();
      this.scene.add(list[i].mesh);
    }
    return list[i];
  }

  // A label that would cover another is left out.
  private placeLabels(state: OverlayState, labels: readonly Label[], count: number): void {
    let placed = 0;
    for (let i = 0; i < count; ++i) {
      const { text, x, y, important } = labels[i];
      const label = this.text(this.labels, i);
      label.set(text, state.colours, state.pixelRatio);
      const left = x - label.width / 2;
      const bottom = y - label.height / 2;
      if (!important && this.covers(placed, left, bottom, label)) continue;
      label.place(left, bottom, state.pixelRatio);
      const place = (this.taken[placed++] ??= { x: 0, y: 0, width: 0, height: 0 });
      Object.assign(place, { x: left, y: bottom, width: label.width, height: label.height });
    }
  }

  private covers(placed: number, x: number, y: number, { width, height }: Text): boolean {
    for (let i = 0; i < placed; ++i) {
      const other = this.taken[i];
      const apart =
        x > other.x + other.width ||
        x + width < other.x ||
        y > other.y + other.height ||
        y + height < other.y;
      if (!apart) return true;
    }
    return false;
  }

  private placeScale(state: OverlayState): void {
    const length = niceLength(Math.min(140, 0.3 * state.width) * state.unitsPerPixel);
    const pixels = length / state.unitsPerPixel;
    const right = state.width - 18;
    const y = 16;
    const colour = state.colours.line;
    this.scaleBars[0].set(right - pixels, y, right, y, 1.5, colour);
    this.scaleBars[1].set(right - pixels, y - 4, right - pixels, y + 4, 1.5, colour);
    this.scaleBars[2].set(right, y - 4, right, y + 4, 1.5, colour);
    this.scaleText.set(lengthText(length), state.colours, state.pixelRatio);
    this.scaleText.place(right - pixels / 2 - this.scaleText.width / 2, y + 5, state.pixelRatio);
  }

  // Axes that point away from the viewer are drawn first.
  private placeAxes(state: OverlayState): void {
    const middle = 44;
    const size = 26;
    for (let i = 0; i < 3; ++i) {
      const { x, y, z } = state.axes[i];
      if (state.planar && i === 2) continue;
      this.axisBars[i].set(middle, middle, middle + size * x, middle + size * y, 2, axisColours[i]);
      this.axisBars[i].mesh.renderOrder = z;
      const text = this.axisTexts[i];
      text.set(axisNames[i], state.colours, state.pixelRatio, `#${axisColours[i].getHexString()}`);
      const reach = size + 9;
      const left = middle + reach * x - text.width / 2;
      text.place(left, middle + reach * y - text.height / 2, state.pixelRatio);
      text.mesh.renderOrder = z;
    }
  }

  private placeCaptions(state: OverlayState): void {
    const beside = state.viewports.length > 1;
    state.captions.forEach(({ text, ink }, i) => {
      const caption = this.text(this.captions, i);
      caption.set(text, state.colours, state.pixelRatio, ink);
      const left = (beside ? state.viewports[i].x : 0) + 10;
      const top = state.height - 10 - (beside ? 0 : i * (caption.height + 2));
      caption.place(left, top - caption.height, state.pixelRatio);
    });
    for (let i = 1; i < state.viewports.length; ++i) {
      if (!this.dividers[i]) {
        this.dividers[i] = new Bar();
        this.scene.add(this.dividers[i].mesh);
      }
      const { x } = state.viewports[i];
      this.dividers[i].set(x, 0, x, state.height, 1, state.colours.grid);
    }
  }

  dispose(): void {
    for (const text of [...this.labels, ...this.captions, this.scaleText, ...this.axisTexts])
      text.dispose();
  }
}
