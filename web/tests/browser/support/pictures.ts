// SPDX-License-Identifier: Apache-2.0
// Pictures of pages as pixels, and their comparison with stored ones.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, PageScreenshotOptions } from 'playwright-core';
import { PNG } from 'pngjs';
import { expect } from 'vitest';

const stored = new URL('../expected', import.meta.url).pathname;
const results = process.env.VINCI_RESULTS ?? new URL('../../../dist/browser', import.meta.url).pathname;

// Fonts and antialiasing differ a little between machines: letters and edges, a few pixels in a
// hundred of which differ much. What is drawn in another place or colour changes far more than that.
const mostDifference = 24; // of 255, in any channel, for pixels that count as equal
const mostDifferent = 0.01; // of all pixels

export async function pictureOf(page: Page, options: PageScreenshotOptions = {}): Promise<PNG> {
  return PNG.sync.read(await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css', ...options }));
}

// How many pixels differ, as a part of all; those are red in the second picture, the others pale.
export function difference(a: PNG, b: PNG): { part: number; picture: PNG } {
  const picture = new PNG({ width: b.width, height: b.height });
  let different = 0;
  for (let i = 0; i < b.data.length; i += 4) {
    const differs = [0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > mostDifference);
    if (differs) ++different;
    const pale = 200 + 0.2 * ((b.data[i] + b.data[i + 1] + b.data[i + 2]) / 3);
    picture.data.set(differs ? [220, 20, 20, 255] : [pale, pale, pale, 255], i);
  }
  return { part: different / (b.width * b.height), picture };
}

// Compares with the stored picture of this name; UPDATE_EXPECTED=1 stores it instead.
export function expectPicture(actual: PNG, name: string): void {
  const path = join(stored, `${name}.png`);
  if (process.env.UPDATE_EXPECTED === '1') {
    writeFileSync(path, PNG.sync.write(actual));
    return;
  }
  if (!existsSync(path)) throw new Error(`there is no ${path}: UPDATE_EXPECTED=1 makes it; look at it`);
  const wanted = PNG.sync.read(readFileSync(path));
  expect([actual.width, actual.height]).toEqual([wanted.width, wanted.height]);
  const { part, picture } = difference(wanted, actual);
  if (part <= mostDifferent) return;
  mkdirSync(results, { recursive: true });
  const [shown, differing] = [join(results, `${name}.png`), join(results, `${name}-difference.png`)];
  writeFileSync(shown, PNG.sync.write(actual));
  writeFileSync(differing, PNG.sync.write(picture));
  throw new Error(`${(100 * part).toFixed(2)} % of the pixels differ from ${path}, at most ` +
      `${100 * mostDifferent} % may: see ${shown} and ${differing}`);
}

// How many different colours there are, and the share of the most frequent one.
export function colours(picture: PNG): { count: number; largest: number } {
  const found = new Map<number, number>();
  for (let i = 0; i < picture.data.length; i += 4) {
    const colour = (picture.data[i] << 16) | (picture.data[i + 1] << 8) | picture.data[i + 2];
    found.set(colour, (found.get(colour) ?? 0) + 1);
  }
  return { count: found.size, largest: Math.max(...found.values()) / (picture.width * picture.height) };
}
