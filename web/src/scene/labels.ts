// SPDX-License-Identifier: Apache-2.0
// Which names stand where: those of all bodies when they are few, and that of the selected one.
import { Vector3 } from 'three';

import type { Viewport, ViewCamera } from './cameras';
import type { Label } from './overlay';
import type { RunDrawing } from './run_drawing';

const manyLabels = 40; // bodies; beyond it only the selected one is named
const farthestAbove = 22; // pixels from the middle of a body

export class Labels {
  readonly list: Label[] = []; // grows, never shrinks: the first `count` are valid
  count = 0;
  private readonly place = new Vector3();

  clear(): void {
    this.count = 0;
  }

  // `selected`: a body, or −1. It comes first, so that it keeps its place.
  collect(
    drawing: RunDrawing,
    view: ViewCamera,
    viewport: Viewport,
    all: boolean,
    selected: number,
  ): void {
    if (!drawing.frame) return;
    if (selected >= 0 && selected < drawing.bodies)
      this.add(drawing, selected, view, viewport, true);
    if (!all || drawing.bodies > manyLabels) return;
    for (let body = 0; body < drawing.bodies; ++body)
      if (body !== selected) this.add(drawing, body, view, viewport, false);
  }

  private add(
    drawing: RunDrawing,
    body: number,
    view: ViewCamera,
    viewport: Viewport,
    important: boolean,
  ): void {
    if (!drawing.visible[body] || !(drawing.radii[body] > 0)) return;
    const at = this.place.fromArray(drawing.transforms, 12 * body + 9);
    const above = Math.min(view.pixelsAt(at, drawing.radii[body], viewport), farthestAbove) + 11;
    at.project(view.camera);
    if (!(Math.abs(at.x) <= 1 && Math.abs(at.y) <= 1 && Math.abs(at.z) <= 1)) return;
    const label = (this.list[this.count++] ??= { text: '', x: 0, y: 0, important });
    label.text = drawing.model.bodies[body].name;
    label.x = viewport.x + 0.5 * (at.x + 1) * viewport.width;
    label.y = 0.5 * (at.y + 1) * viewport.height + above;
    label.important = important;
  }
}
