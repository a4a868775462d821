// SPDX-License-Identifier: Apache-2.0
// Follows runs that are being written: asks for their descriptions again and again, and learns of
// their new frames.
import { message } from '../data/source';
import type { FrameStore } from '../data/frame_store';
import { isComplete, isLive, type Viewer } from './viewer';

const livePeriod = 500; // ms
const idlePeriod = 3000; // a run that was stopped before its end may be continued

// `replaced` is called when a file has become another recording.
export function followRuns(viewer: Viewer, replaced: () => void): void {
  viewer.stores.forEach((store, index) => {
    if (store.source.mayGrow && !isComplete(store.source.description))
      scheduleLook({ viewer, store, index, replaced });
  });
}

interface Followed {
  viewer: Viewer;
  store: FrameStore;
  index: number;
  replaced: () => void;
}

function scheduleLook(followed: Followed): void {
  const { viewer, store, index } = followed;
  const period = isLive(store.source) && !viewer.problems.some((p) => p.key === `live ${index}`)
    ? livePeriod : idlePeriod;
  setTimeout(() => void look(followed), period);
}

async function look(followed: Followed): Promise<void> {
  const { viewer, store, index } = followed;
  if (viewer.stores[index] !== store) return; // other runs have been opened
  const before = store.source.description;
  const key = `live ${index}`;
  try {
    const now = await store.source.refresh();
    if (viewer.stores[index] !== store) return;
    if (now.created !== before.created || now.frames < before.frames) return followed.replaced();
    if (now.frames !== store.overview.frames) await store.overview.extend(store.source);
    viewer.resolve(key);
    if (now.frames !== before.frames || now.finished !== before.finished ||
        now.has_writer !== before.has_writer) viewer.overviewGrew();
    if (isComplete(now)) return;
  } catch (error) {
    viewer.report({ key, text: `${viewer.runLabel(index)}: ${message(error)}` });
  }
  scheduleLook(followed);
}
