// SPDX-License-Identifier: Apache-2.0
// Colours that the scene and the panels share. Ten calm hues that colour-blind people can order by
// lightness; fixed bodies are grey.
import type { Freedom } from './data/types';

export type Theme = 'light' | 'dark';

const hues: Record<Theme, readonly string[]> = {
  light: ['#4477aa', '#cc8963', '#5f9e6e', '#b5677d', '#857aab',
          '#8d7866', '#d5a6bd', '#7c9a3e', '#c1a23a', '#5ba3b8'],
  dark: ['#6d9fd0', '#dba27e', '#7dba8c', '#cf8398', '#a197c8',
         '#ad9883', '#dfb7cb', '#9dbc60', '#d6bb5c', '#78bdd1'],
};
const fixed: Record<Theme, string> = { light: '#9aa3ad', dark: '#68727d' };

export function bodyColour(index: number, freedom: Freedom, theme: Theme): string {
  return freedom === 'fixed' ? fixed[theme] : hues[theme][index % hues[theme].length];
}

export const contactColours = { sticking: '#159f7f', sliding: '#e2622d', open: '#8b939c' } as const;
