// SPDX-License-Identifier: Apache-2.0
// The keys of the page, listed once: the handler and the help overlay both read the list.
import type { Viewer } from './viewer';

// What keys ask of the page beside the viewer.
export interface PageActions {
  toggleTheme(): void;
  screenshot(): void;
  toggleHelp(): void;
  closeTop(): void; // closes what is open on top, or lets go of the selection
}

interface Key {
  keys: string[]; // as KeyboardEvent.key, lower case, with "shift+" in front
  shown: string; // in the help
  text: string;
  action: (viewer: Viewer, page: PageActions) => void;
}

export const keyList: Key[] = [
  { keys: [' '], shown: 'Space', text: 'play or pause', action: (v) => v.togglePlay() },
  { keys: ['arrowleft'], shown: '←', text: 'one frame back', action: (v) => v.step(-1) },
  { keys: ['arrowright'], shown: '→', text: 'one frame on', action: (v) => v.step(1) },
  { keys: ['shift+arrowleft'], shown: 'Shift ←', text: 'ten frames back', action: (v) => v.step(-10) },
  { keys: ['shift+arrowright'], shown: 'Shift →', text: 'ten frames on', action: (v) => v.step(10) },
  { keys: [','], shown: ',', text: 'to the event before', action: (v) => v.events.step(-1) },
  { keys: ['.'], shown: '.', text: 'to the next event', action: (v) => v.events.step(1) },
  { keys: ['home'], shown: 'Home', text: 'to the start', action: (v) => v.seek(v.player.start) },
  { keys: ['end'], shown: 'End', text: 'to the end', action: (v) => v.seek(v.player.end) },
  { keys: ['arrowup'], shown: '↑', text: 'faster',
    action: (v) => { v.player.faster(); v.announce('change'); } },
  { keys: ['arrowdown'], shown: '↓', text: 'slower',
    action: (v) => { v.player.slower(); v.announce('change'); } },
  { keys: ['l'], shown: 'L', text: 'loop',
    action: (v) => { v.player.loop = !v.player.loop; v.announce('change'); } },
  { keys: ['f'], shown: 'F', text: 'follow the chosen body, or stop following', action: toggleFollow },
  { keys: ['c'], shown: 'C', text: 'contact forces',
    action: (v) => v.toggle('contacts') },
  { keys: ['k'], shown: 'K', text: 'friction cones', action: (v) => v.toggle('cones') },
  { keys: ['j'], shown: 'J', text: 'joints', action: (v) => v.toggle('joints') },
  { keys: ['['], shown: '[', text: 'shorter arrows', action: (v) => scaleArrows(v, 1 / 1.25) },
  { keys: [']'], shown: ']', text: 'longer arrows', action: (v) => scaleArrows(v, 1.25) },
  { keys: ['g'], shown: 'G', text: 'overlay the other runs as ghosts', action: toggleGhost },
  { keys: ['d'], shown: 'D', text: 'light or dark', action: (_v, page) => page.toggleTheme() },
  { keys: ['p'], shown: 'P', text: 'save a picture', action: (_v, page) => page.screenshot() },
  { keys: ['?', 'shift+?'], shown: '?', text: 'this help', action: (_v, page) => page.toggleHelp() },
  { keys: ['escape'], shown: 'Esc', text: 'close, or let go of the selection',
    action: (_v, page) => page.closeTop() },
];

function scaleArrows(viewer: Viewer, factor: number): void {
  viewer.set({ arrowScale: Math.min(20, Math.max(0.05, viewer.options.arrowScale * factor)) });
}

function toggleFollow(viewer: Viewer): void {
  const body = viewer.selected?.kind === 'body' ? viewer.selected.body : null;
  viewer.set({ follow: viewer.options.follow === null || (body !== null && body !== viewer.options.follow)
    ? body : null });
}

function toggleGhost(viewer: Viewer): void {
  if (viewer.stores.length < 2) return;
  viewer.set({ layout: viewer.options.layout === 'ghost' ? 'side-by-side' : 'ghost' });
}

// Where typing belongs to the field itself: text, lists, and space on a button.
function ownsKey(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  if (event.key === 'Escape') return false;
  if (target instanceof HTMLInputElement && target.type !== 'checkbox') return true;
  if (target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLButtonElement && event.key === ' ';
}

// A button that the pointer clicked gives the keys back, so that space plays; one that was reached by
// keys keeps them.
function releaseKeys(event: MouseEvent): void {
  if (event.detail === 0) return; // clicked by a key
  const button = event.composedPath().find((part) => part instanceof HTMLButtonElement);
  (button as HTMLButtonElement | undefined)?.blur();
}

export function handleKeys(viewer: Viewer, page: PageActions, blocked: () => boolean): void {
  window.addEventListener('click', releaseKeys);
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || ownsKey(event)) return;
    const name = (event.shiftKey ? 'shift+' : '') + event.key.toLowerCase();
    const found = keyList.find((key) => key.keys.includes(name));
    if (!found || (blocked() && found.keys[0] !== 'escape' && found.keys[0] !== '?')) return;
    event.preventDefault();
    found.action(viewer, page);
  });
}
