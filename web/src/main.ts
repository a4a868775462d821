// SPDX-License-Identifier: Apache-2.0
// Starts the page: finds the runs, in the page itself or at its server, and shows them.
//
// For tests and scripts the page is reachable as `window.vinci`:
//   ready    promise that is fulfilled when the first picture of every run that opens is drawn
//   show(t)  pauses at a time, in seconds; fulfilled when exactly its frames are loaded and drawn
//   player   the clock: time, start, end, playing, speed, loop, play(), pause(), seek(seconds)
//   view     the scene, null where it cannot be drawn; view.place(point) is where a point is seen
//   frames() what is drawn now: one Frame a run, null where it is not loaded
//   memory   frames kept in memory: bytes now, and the limit, which can be set
//   state()  what is shown now, as plain data
import { embeddedComparison, type Comparison } from './data/comparison';
import { embeddedRuns } from './data/embedded_source';
import { httpRuns } from './data/http_source';
import { message, type AbsentRun } from './data/source';
import type { Frame } from './data/types';
import type { Player } from './player';
import { doRenderJob } from './render_job';
import type { SceneView } from './scene/scene_view';
import type { App } from './ui/app';
import './ui/app';
import { followRuns } from './ui/live';
import { pageStyle } from './ui/styles';
import { startTheme } from './ui/theme';
import { Viewer } from './ui/viewer';

export interface PageState {
  time: number;
  playing: boolean;
  frames: (number | null)[]; // index of the shown frame of each run
  runs: string[];
  active: number;
  layout: string;
  theme: string;
  selected: unknown;
  hidden: number[];
  solo: number | null;
  follow: number | null;
  problems: string[];
  live: boolean;
}

declare global {
  interface Window {
    vinci: {
      ready: Promise<void>;
      player: Player;
      readonly view: SceneView | null;
      readonly memory: { readonly bytes: number; limit: number };
      show(time: number): Promise<void>;
      frames(): (Frame | null)[];
      state(): PageState;
    };
  }
}

const waitPeriod = 500; // ms
const viewer = new Viewer();

function state(): PageState {
  return {
    time: viewer.player.time, playing: viewer.player.playing,
    frames: viewer.frames.map((frame) => frame?.index ?? null),
    runs: viewer.stores.map((store) => store.source.description.name),
    active: viewer.active, layout: viewer.options.layout, theme: viewer.options.theme,
    selected: viewer.selected, hidden: [...viewer.options.hidden], solo: viewer.options.solo,
    follow: viewer.options.follow, problems: viewer.problems.map((problem) => problem.text),
    live: viewer.live,
  };
}

async function openRuns(): Promise<void> {
  try {
    const { sources, absent } = embeddedRuns(document) ?? (await httpRuns());
    const { comparison, problem } = comparisonOf(sources.length, absent.length);
    await viewer.open(sources, comparison, document.getElementById('vinci-over') !== null);
    // What was never run is there to be posed.
    if (sources.length === 1 && sources[0].description.frames === 1 && location.hash !== '#render')
      viewer.pose.begin();
    if (problem) viewer.report({ key: 'comparison', text: problem });
    if (viewer.description) document.title = viewer.description.title || viewer.description.name;
    followRuns(viewer, () => void openRuns());
    noteAbsent(absent);
  } catch (error) {
    viewer.loading = false;
    viewer.report({ key: 'runs', text: `The runs cannot be opened: ${message(error)}`,
                    retry: () => void openRuns() });
  }
}

// A comparison that cannot be read, or lacks a run, leaves the runs by themselves.
function comparisonOf(runs: number, missing: number): { comparison: Comparison | null; problem: string } {
  try {
    return { comparison: missing === 0 ? embeddedComparison(document, runs) : null, problem: '' };
  } catch (error) {
    return { comparison: null, problem: message(error) };
  }
}

// Runs that cannot be shown are said; those that may still begin are looked for until they are there.
function noteAbsent(absent: AbsentRun[]): void {
  viewer.waiting = absent.some((run) => run.waiting);
  for (const { name, error, waiting } of absent)
    if (!waiting) viewer.report({ key: `absent ${name}`, text: `${name}: ${error}`, retry: () => void openRuns() });
  viewer.announce('change');
  if (viewer.waiting) setTimeout(() => void lookForAbsent(absent.length), waitPeriod);
}

async function lookForAbsent(before: number): Promise<void> {
  const absent = await httpRuns().then((runs) => runs.absent, () => null);
  if (absent && absent.length < before) await openRuns();
  else setTimeout(() => void lookForAbsent(before), waitPeriod);
}

async function start(): Promise<void> {
  const style = document.createElement('style');
  style.textContent = pageStyle;
  document.head.append(style);
  document.getElementById('opening')?.remove();
  startTheme(viewer);
  const app = document.createElement('vinci-app') as App;
  app.viewer = viewer;
  document.body.append(app);
  await app.updateComplete;
  await openRuns();
  viewer.view?.draw();
  if (location.hash === '#render')
    doRenderJob(viewer, app).catch((error: unknown) => viewer.report({ key: 'render', text: message(error) }));
}

async function show(time: number): Promise<void> {
  viewer.player.pause();
  viewer.seek(time);
  viewer.announce('change');
  await viewer.drawAt(viewer.player.time);
  viewer.announce('time');
}

window.vinci = {
  ready: start(), player: viewer.player, memory: viewer.cache, get view() { return viewer.view; },
  frames: () => viewer.frames, show, state,
};
