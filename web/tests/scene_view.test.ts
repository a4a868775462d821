// SPDX-License-Identifier: Apache-2.0
import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import { ViewCamera } from '../src/scene/cameras';
import { surveyFrames } from '../src/scene/survey';
import { Viewports } from '../src/scene/viewports';
import { MemorySource } from './support/memory_source';
import { syntheticRun } from './support/synthetic_run';

// As much of a canvas as cameras need that nobody touches.
function canvas(left = 0, width = 800): HTMLCanvasElement {
  const bounds = { left, top: 10, width, height: 400 };
  const ignore = (): void => {};
  const target = { style: {}, addEventListener: ignore, removeEventListener: ignore };
  const element = {
    ...target,
    ownerDocument: target,
    getRootNode: () => target,
    getBoundingClientRect: () => bounds,
  };
  return element as unknown as HTMLCanvasElement;
}

const wide = { x: 0, y: 0, width: 800, height: 400 };
const seen = (view: ViewCamera, point: Vector3): Vector3 => point.clone().project(view.camera);

function camera(planar: boolean): ViewCamera {
  const view = new ViewCamera(canvas(), () => ({ ...wide, left: 0, top: 0 }));
  view.planar = planar;
  return view;
}

describe('the planar camera', () => {
  it('shows all of what it is fitted to, in the middle', () => {
    const view = camera(true);
    view.setScene({ lower: [10, 20, 0], upper: [12, 26, 0] });
    view.fit(wide);
    view.apply(wide);
    expect(
      seen(view, new Vector3(11, 23, 0))
        .toArray()
        .slice(0, 2),
    ).toEqual([0, 0]);
    const corner = seen(view, new Vector3(12, 26, 0));
    expect(corner.y).toBeGreaterThan(0.8);
    expect(corner.y).toBeLessThan(1);
    expect(corner.x).toBeLessThan(corner.y);
  });

  it('keeps the point at the pointer where it is while it zooms', () => {
    const view = camera(true);
    view.setScene({ lower: [-1, -1, 0], upper: [1, 1, 0] });
    view.fit(wide);
    view.apply(wide);
    const point = new Vector3(0.4, -0.3, 0.5).unproject(view.camera);
    view.zoomAt(0.4, -0.3, 0.2, wide);
    view.apply(wide);
    expect(seen(view, point).x).toBeCloseTo(0.4, 9);
    expect(seen(view, point).y).toBeCloseTo(-0.3, 9);
  });

  it('moves by as much as the pointer', () => {
    const view = camera(true);
    view.apply(wide);
    const before = seen(view, new Vector3());
    view.panBy(80, -40, wide);
    view.apply(wide);
    expect(seen(view, new Vector3()).x - before.x).toBeCloseTo(0.2, 9);
    expect(seen(view, new Vector3()).y - before.y).toBeCloseTo(0.2, 9);
  });
});

describe.each([1e-6, 1, 1e4])('the spatial camera at a scale of %d m', (scale) => {
  it('shows all corners of what it is fitted to, within its depth', () => {
    const view = camera(false);
    view.setScene({ lower: [-scale, -scale, 0], upper: [2 * scale, scale, 3 * scale] });
    view.fit(wide);
    view.apply(wide);
    let most = 0;
    for (let i = 0; i < 8; ++i) {
      const [x, y, z] = [i & 1 ? 2 : -1, i & 2 ? 1 : -1, i & 4 ? 3 : 0];
      const corner = seen(view, new Vector3(x, y, z).multiplyScalar(scale));
      most = Math.max(most, Math.abs(corner.x), Math.abs(corner.y));
      expect(Math.abs(corner.z)).toBeLessThan(1);
    }
    expect(most).toBeLessThan(1);
    expect(most).toBeGreaterThan(0.7);
  });

  it('has z up and looks at its target', () => {
    const view = camera(false);
    view.set(
      new Vector3(3, 4, 5).multiplyScalar(scale),
      new Vector3(1, 1, 1).multiplyScalar(scale),
    );
    view.apply(wide);
    expect(seen(view, view.target).x).toBeCloseTo(0, 9);
    const above = seen(view, new Vector3(1, 1, 1.1).multiplyScalar(scale));
    expect(above.x).toBeCloseTo(0, 9);
    expect(above.y).toBeGreaterThan(0);
  });
});

describe('viewports', () => {
  it('share the canvas side by side, one run each', () => {
    const viewports = new Viewports();
    viewports.resize(900, 300);
    viewports.arrange('side-by-side', 3);
    expect(viewports.list.map(({ x, width, height }) => [x, width, height])).toEqual([
      [0, 300, 300],
      [300, 300, 300],
      [600, 300, 300],
    ]);
    expect(viewports.list.map(({ runs }) => runs)).toEqual([[0], [1], [2]]);
  });

  it('show all runs over each other as ghosts, and the first alone', () => {
    const viewports = new Viewports();
    viewports.arrange('ghost', 3);
    expect(viewports.list.map(({ runs }) => runs)).toEqual([[0, 1, 2]]);
    viewports.arrange('single', 3);
    expect(viewports.list.map(({ runs }) => runs)).toEqual([[0]]);
    viewports.arrange('side-by-side', 0);
    expect(viewports.list.map(({ runs }) => runs)).toEqual([[]]);
  });

  it('are found in the window, also when the canvas is shown at another size', () => {
    const viewports = new Viewports();
    viewports.resize(1600, 800);
    viewports.arrange('side-by-side', 2);
    const shown = viewports.at(640, canvas(200, 800));
    expect(shown).toMatchObject({ runs: [1], left: 600, top: 10, width: 400, height: 400 });
    expect(viewports.at(-50, canvas(200, 800)).runs).toEqual([0]);
  });
});

describe('a survey', () => {
  it('holds few frames, evenly over the run, with poses and contacts', async () => {
    const source = new MemorySource(syntheticRun({ world: 'planar', bodies: 4, frames: 500 }));
    const frames = await surveyFrames(source);
    expect(frames.length).toBe(24);
    expect(frames[0].index).toBe(0);
    expect(frames.at(-1)!.index).toBeGreaterThan(480);
    expect(frames[3].poses.length).toBe(7 * source.description.bodies.length);
  });

  it('of a run with one frame is empty', async () => {
    const source = new MemorySource(syntheticRun({ world: 'planar', bodies: 1, frames: 1 }));
    expect(await surveyFrames(source)).toEqual([]);
  });
});
