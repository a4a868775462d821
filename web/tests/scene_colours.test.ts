// SPDX-License-Identifier: Apache-2.0
import { Color } from 'three';
import { describe, expect, it } from 'vitest';

import { bodyColour, contactColours, type Theme } from '../src/palette';
import {
  arrowColours,
  edgeColour,
  fillColour,
  ghostTint,
  themeColours,
} from '../src/scene/appearance';
import { closest, deuteranopia, distance, linear, type Rgb } from './support/colour_distance';

const themes: Theme[] = ['light', 'dark'];
const rgb = ({ r, g, b }: Color): Rgb => [r, g, b];

function bodies(theme: Theme): Rgb[] {
  const free = Array.from({ length: 10 }, (_, i) => linear(bodyColour(i, 'spatial', theme)));
  return [...free, linear(bodyColour(0, 'fixed', theme))];
}

// 0.02 is just noticeable side by side; apart from each other three times as much is asked for.
const apart = 0.06;

describe.each(themes)('colours in the %s theme', (theme) => {
  it('tell bodies apart, also to people with deuteranopia', () => {
    expect(closest(bodies(theme))).toBeGreaterThan(apart);
    expect(closest(bodies(theme).map(deuteranopia))).toBeGreaterThan(apart);
  });

  it('stand out from the background', () => {
    const background = rgb(themeColours[theme].background);
    for (const colour of bodies(theme)) expect(distance(colour, background)).toBeGreaterThan(0.1);
  });

  it('set elements off from background and ground', () => {
    const { element, background, ground } = themeColours[theme];
    for (const other of [background, ground])
      expect(distance(rgb(element), rgb(other))).toBeGreaterThan(0.3);
  });

  it('give edges that stand out from fills and from the background', () => {
    const style = { freedom: 'spatial', theme, run: 0, selected: false } as const;
    for (let i = 0; i < 10; ++i) {
      const edge = rgb(edgeColour(i, style, new Color()));
      expect(distance(edge, rgb(fillColour(i, style, new Color())))).toBeGreaterThan(0.08);
      expect(distance(edge, rgb(themeColours[theme].background))).toBeGreaterThan(0.2);
    }
  });

  it('make the friction arrow darker than the normal arrow', () => {
    for (const state of ['sticking', 'sliding'] as const) {
      const { normal, friction } = arrowColours(state, theme);
      expect(distance(rgb(friction), [0, 0, 0])).toBeLessThan(
        distance(rgb(normal), [0, 0, 0]) - apart,
      );
    }
  });

  it('show which body is selected and which is a ghost', () => {
    const plain = { freedom: 'spatial', theme, run: 0, selected: false } as const;
    for (let i = 0; i < 10; ++i) {
      const fill = rgb(fillColour(i, plain, new Color()));
      expect(
        distance(fill, rgb(fillColour(i, { ...plain, selected: true }, new Color()))),
      ).toBeGreaterThan(0.02);
      const ghost = rgb(fillColour(i, { ...plain, run: 1 }, new Color()));
      expect(distance(ghost, rgb(ghostTint(1, theme)))).toBeLessThan(
        distance(fill, rgb(ghostTint(1, theme))),
      );
    }
  });
});

describe('colours of contacts', () => {
  const { sticking, sliding, open } = contactColours;

  it('tell sticking from sliding, also to people with deuteranopia', () => {
    expect(distance(linear(sticking), linear(sliding))).toBeGreaterThan(2 * apart);
    expect(distance(deuteranopia(linear(sticking)), deuteranopia(linear(sliding)))).toBeGreaterThan(
      apart,
    );
  });

  it('tell open contacts from both', () => {
    for (const other of [sticking, sliding])
      expect(distance(linear(open), linear(other))).toBeGreaterThan(apart);
  });
});
