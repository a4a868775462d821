// SPDX-License-Identifier: Apache-2.0
// Which part of the canvas shows which runs: all in one, or side by side.
import type { Viewport } from './cameras';

export type Layout = 'single' | 'side-by-side' | 'ghost';

export interface RunViewport extends Viewport {
  runs: number[]; // the first one is drawn solid and with its contacts
}

function runsShown(layout: Layout, runs: number): number[][] {
  const all = Array.from({ length: runs }, (_, i) => i);
  if (layout === 'side-by-side' && runs > 0) return all.map((i) => [i]);
  return [layout === 'ghost' ? all : all.slice(0, 1)];
}

export class Viewports {
  list: RunViewport[] = [{ x: 0, y: 0, width: 1, height: 1, runs: [] }];

  arrange(layout: Layout, runs: number): void {
    const { height } = this.list[0];
    const width = this.list.reduce((sum, viewport) => sum + viewport.width, 0);
    this.list = runsShown(layout, runs).map((shown) => ({
      x: 0,
      y: 0,
      width,
      height,
      runs: shown,
    }));
    this.resize(width, height);
  }

  // CSS pixels of the canvas.
  resize(width: number, height: number): void {
    this.list.forEach((viewport, i) => {
      viewport.x = (i * width) / this.list.length;
      viewport.width = width / this.list.length;
      viewport.height = height;
    });
  }

  // The viewport at a place of the window, measured there: the canvas may be shown at another size
  // than it is drawn at.
  at(clientX: number, canvas: HTMLCanvasElement): RunViewport & { left: number; top: number } {
    const bounds = canvas.getBoundingClientRect();
    const count = this.list.length;
    const share = (clientX - bounds.left) / Math.max(1, bounds.width);
    const i = Math.min(Math.max(Math.floor(share * count), 0), count - 1);
    const width = bounds.width / count;
    const left = bounds.left + i * width;
    const { runs } = this.list[i];
    return { x: left, y: bounds.top, left, top: bounds.top, width, height: bounds.height, runs };
  }
}
