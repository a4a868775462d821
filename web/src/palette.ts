// SPDX-License-Identifier: Apache-2.0
// Colours that the scene and the panels share. Ten calm colours that colour-blind people
// can tell apart, too; fixed bodies are grey.
import type { Freedom } from './data/types';

export type Theme = 'light' | 'dark';

const hues: Record<Theme, readonly string[]> = {
  light: ['#365e8a', '#d59a7f', '#65a36a', '#b45e78', '#7a6aa7',
          '#796354', '#deb4c6', '#65822e', '#c3bc48', '#4198ac'],
  dark: ['#5e8bc0', '#dfb098', '#80b695', '#c1638d', '#ab9bc6',
         '#a58d65', '#eed6e0', '#a5bc46', '#d8d587', '#99d4de'],
};
const fixed: Record<Theme, string> = { light: '#9aa3ad', dark: '#68727d' };

export function bodyColour(index: number, freedom: Freedom, theme: Theme): string {
  return freedom === 'fixed' ? fixed[theme] : hues[theme][index % hues[theme].length];
}

export const contactColours = { sticking: '#159f7f', sliding: '#e2622d', open: '#8b939c' } as const;
