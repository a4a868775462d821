// SPDX-License-Identifier: Apache-2.0
// Pictures for `vinci render`: the server has a job, the page draws each picture at exactly the asked
// size and sends it back, in order.
import { message } from './data/source';
import type { Vector3 } from './data/types';
import type { SceneOptions } from './scene/scene_view';
import type { App } from './ui/app';
import { canvasBlob } from './ui/export';
import type { Viewer } from './ui/viewer';

export interface RenderJob {
  width: number; // px
  height: number;
  times: number[]; // simulated s of each picture
  theme: 'light' | 'dark';
  contacts: boolean;
  cones: boolean;
  joints: boolean;
  grasp: string | null; // name of a body of the first run
  layout: SceneOptions['layout'];
  follow: string | null; // name of a body
  camera: { position: Vector3; target: Vector3 } | null;
}

async function renderJob(): Promise<RenderJob> {
  const response = await fetch('api/render', { cache: 'no-store' });
  if (!response.ok) throw new Error('this server has no pictures to be made');
  return (await response.json()) as RenderJob;
}

export async function doRenderJob(viewer: Viewer, app: App): Promise<void> {
  const job = await renderJob();
  try {
    app.bare = true;
    await app.updateComplete;
    if (!viewer.view) throw new Error('the browser cannot draw the scene: it has no WebGL');
    viewer.suspend();
    refuseProblems(viewer);
    prepare(job, viewer, viewer.view);
    for (let i = 0; i < job.times.length; ++i) {
      await viewer.drawAt(job.times[i]);
      refuseProblems(viewer);
      await post(`api/pictures/${i}`, await canvasBlob(viewer.view.canvas));
    }
    await post('api/render/done', '');
  } catch (error) {
    await post('api/render/failed', message(error));
  }
}

// No picture rather than one that lacks something.
function refuseProblems(viewer: Viewer): void {
  if (viewer.problems.length > 0) throw new Error(viewer.problems[0].text);
}

function prepare(job: RenderJob, viewer: Viewer, view: NonNullable<Viewer['view']>): void {
  viewer.setTheme(job.theme);
  let follow: number | null = null;
  if (job.follow !== null) {
    follow = viewer.description?.bodies.findIndex((body) => body.name === job.follow) ?? -1;
    if (follow < 0) throw new Error(`there is no body '${job.follow}' to follow`);
  }
  viewer.set({ contacts: job.contacts, cones: job.cones, joints: job.joints, layout: job.layout, follow });
  if (job.grasp !== null)
    viewer.grasp.show(viewer.description!.bodies.findIndex((body) => body.name === job.grasp));
  view.resize(job.width, job.height, 1);
  if (job.camera) view.setCamera(job.camera.position, job.camera.target);
  else view.fit();
}

async function post(address: string, body: Blob | string): Promise<void> {
  const response = await fetch(address, { method: 'POST', body });
  if (!response.ok) throw new Error(`the server refused a picture: ${response.status}`);
}
