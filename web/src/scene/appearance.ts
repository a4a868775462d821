// SPDX-License-Identifier: Apache-2.0
// Colours of the scene in both themes, beside those that the panels share (palette.ts).
import { Color } from 'three';

import type { Freedom } from '../data/types';
import { bodyColour, contactColours, type Theme } from '../palette';
import type { ContactState } from './contact_state';

export interface ThemeColours {
  background: Color;
  text: string;
  halo: string; // behind text
  ground: Color;
  line: Color; // of half-planes, the scale bar
  grid: Color;
  accent: Color; // of what is selected
  element: Color; // of springs and the like
}

function theme(hex: Record<keyof ThemeColours, string>): ThemeColours {
  const colour = (name: keyof ThemeColours): Color => new Color(hex[name]);
  return {
    background: colour('background'),
    text: hex.text,
    halo: hex.halo,
    ground: colour('ground'),
    line: colour('line'),
    grid: colour('grid'),
    accent: colour('accent'),
    element: colour('element'),
  };
}

export const themeColours: Record<Theme, ThemeColours> = {
  light: theme({
    background: '#f6f7f9',
    text: '#2b323a',
    halo: 'rgba(246,247,249,0.85)',
    ground: '#e4e7eb',
    line: '#5b6570',
    grid: '#aab2bb',
    accent: '#1d4ed8',
    element: '#333d47',
  }),
  dark: theme({
    background: '#15181d',
    text: '#dde3ea',
    halo: 'rgba(21,24,29,0.85)',
    ground: '#23282f',
    line: '#9aa5b1',
    grid: '#57616c',
    accent: '#ffd24a',
    element: '#d3dae2',
  }),
};

// Of joints: their own lines, a coordinate at its limit, the effort of a motor.
function joint(hex: [string, string, string]): { joint: Color; stop: Color; effort: Color } {
  const [own, stop, effort] = hex.map((colour) => new Color(colour));
  return { joint: own, stop, effort };
}
export const jointColours: Record<Theme, ReturnType<typeof joint>> = {
  light: joint(['#8a2be2', '#d11a2a', '#b45309']),
  dark: joint(['#cf9bff', '#ff6b74', '#ffb454']),
};

// What a grasp resists least: of a closed one, of an open one.
export const graspColours: Record<Theme, { closed: Color; open: Color }> = {
  light: { closed: new Color('#1d4ed8'), open: new Color('#d11a2a') },
  dark: { closed: new Color('#8fb4ff'), open: new Color('#ff6b74') },
};

// Further runs, laid over the first: one tint each, unlike the grey of fixed bodies.
const ghostTints: Record<Theme, readonly string[]> = {
  light: ['#7c3aed', '#0e7490', '#a16207', '#be185d', '#3f6212', '#1d4ed8', '#9a3412'],
  dark: ['#b794f6', '#5cc8de', '#e0b050', '#f28cbf', '#a3c969', '#8fb4ff', '#f0997b'],
};

export function ghostTint(run: number, theme: Theme): Color {
  return new Color(ghostTints[theme][(run - 1) % ghostTints[theme].length]);
}

export interface BodyStyle {
  freedom: Freedom;
  theme: Theme;
  run: number; // beyond 0: tinted as a ghost
  selected: boolean;
}

const white = new Color('#ffffff');
const black = new Color('#000000');

export function fillColour(index: number, style: BodyStyle, out: Color): Color {
  out.set(bodyColour(index, style.freedom, style.theme));
  if (style.run > 0) out.lerp(ghostTint(style.run, style.theme), 0.65);
  if (style.selected) out.lerp(themeColours[style.theme].accent, 0.35);
  return out;
}

// Darker than the fill in the light theme; in the dark one lighter, unless the fill is light.
export function edgeColour(index: number, style: BodyStyle, out: Color): Color {
  if (style.selected) return out.copy(themeColours[style.theme].accent);
  fillColour(index, style, out);
  if (style.theme === 'light') return out.lerp(black, 0.72);
  const luminance = 0.2126 * out.r + 0.7152 * out.g + 0.0722 * out.b;
  return luminance > 0.45 ? out.lerp(black, 0.6) : out.lerp(white, 0.5);
}

// The normal arrow is lighter than the friction arrow of the same contact.
export function arrowColours(
  state: ContactState,
  theme: Theme,
): { normal: Color; friction: Color } {
  const base = new Color(contactColours[state]);
  return theme === 'light'
    ? { normal: base, friction: base.clone().lerp(black, 0.62) }
    : { normal: base.clone().lerp(white, 0.12), friction: base.clone().lerp(black, 0.45) };
}
