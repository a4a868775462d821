// SPDX-License-Identifier: Apache-2.0
// Follows runs that are being written: asks for their descriptions again and again, and learns of
// their new frames.
import { message } from '../data/source';
import type { FrameStore } from '../data/frame_store';
import { isLive, runName, type Viewer } from './viewer';

const livePeriod = 500; // ms
const idlePeriod = 3000; // a run that was stopped before its end may be continued

export function followRuns(viewer: Viewer): void {
  viewer.stores.forEach((store, index) => {
    if (store.source.mayGrow && !store.source.description.finished) scheduleLook(viewer, store, index);
  });
}

function scheduleLook(viewer: Viewer, store: FrameStore, index: number): void {
  const period = isLive(store.source) && !viewer.problems.some((p) => p.key === `live ${index}`)
    ? livePeriod : idlePeriod;
  setTimeout(() => void look(viewer, store, index), period);
}

async function look(viewer: Viewer, store: FrameStore, index: number): Promise<void> {
  const before = store.source.description;
  const key = `live ${index}`;
  try {
    const now = await store.source.refresh();
    if (now.frames !== store.overview.frames) await store.overview.extend(store.source);
    viewer.resolve(key);
    if (now.frames !== before.frames || now.finished !== before.finished ||
        now.has_writer !== before.has_writer) viewer.overviewGrew();
    if (now.finished) return;
  } catch (error) {
    viewer.report({ key, text: `${runName(store.source)}: ${message(error)}` });
  }
  scheduleLook(viewer, store, index);
}
