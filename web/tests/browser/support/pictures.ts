// SPDX-License-Identifier: Apache-2.0
// Pictures of pages as pixels, and their comparison with stored ones.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, PageScreenshotOptions } from 'playwright-core';
import { PNG } from 'pngjs';
import { expect } from 'vitest';

const stored = new URL('../expected', import.meta.url).pathname;
const results =
  process.env.VINCI_RESULTS ?? new URL('../../../../build/web/browser', import.meta.url).pathname;

// The same fonts are used everywhere (setup.ts), but other versions of the libraries smooth letters
// and edges a little differently: single pixels, never all of a place. What is drawn elsewhere, or
// in another colour, changes most of the pixels there, however small it is in the whole.
const mostDifference = 24; // of 255, in any channel, for pixels that count as equal
const mostDifferent = 0.01; // of all pixels
const mostInSquare = 1 / 3; // of the pixels of any square
const squareSize = 32; // px

export async function pictureOf(page: Page, options: PageScreenshotOptions = {}): Promise<PNG> {
  return PNG.sync.read(
    await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css', ...options }),
  );
}

export interface Difference {
  part: number; // of all pixels that differ
  square: number; // the same in the square where most differ
  picture: PNG; // the pixels that differ in red, the others pale
}

export function difference(a: PNG, b: PNG): Difference {
  const picture = new PNG({ width: b.width, height: b.height });
  const across = Math.ceil(b.width / squareSize);
  const squares = new Uint32Array(across * Math.ceil(b.height / squareSize));
  let different = 0;
  for (let pixel = 0, i = 0; i < b.data.length; ++pixel, i += 4) {
    const differs = [0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > mostDifference);
    const pale = 200 + 0.2 * ((b.data[i] + b.data[i + 1] + b.data[i + 2]) / 3);
    picture.data.set(differs ? [220, 20, 20, 255] : [pale, pale, pale, 255], i);
    if (!differs) continue;
    ++different;
    const row = Math.floor(pixel / b.width / squareSize),
      column = Math.floor((pixel % b.width) / squareSize);
    ++squares[row * across + column];
  }
  const square = Math.max(...squares) / squareSize ** 2;
  return { part: different / (b.width * b.height), square, picture };
}

// Compares with the stored picture of this name; UPDATE_EXPECTED=1 stores it instead.
export function expectPicture(actual: PNG, name: string): void {
  const path = join(stored, `${name}.png`);
  if (process.env.UPDATE_EXPECTED === '1') {
    writeFileSync(path, PNG.sync.write(actual, { colorType: 2, deflateLevel: 9 }));
    return;
  }
  if (!existsSync(path))
    throw new Error(`there is no ${path}: UPDATE_EXPECTED=1 makes it; look at it`);
  const wanted = PNG.sync.read(readFileSync(path));
  expect([actual.width, actual.height]).toEqual([wanted.width, wanted.height]);
  const { part, square, picture } = difference(wanted, actual);
  if (part <= mostDifferent && square <= mostInSquare) return;
  mkdirSync(results, { recursive: true });
  const [shown, differing] = [
    join(results, `${name}.png`),
    join(results, `${name}-difference.png`),
  ];
  writeFileSync(shown, PNG.sync.write(actual));
  writeFileSync(differing, PNG.sync.write(picture));
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  throw new Error(
    `${percent(part)} of the pixels differ from ${path} (at most ${percent(mostDifferent)} may), ` +
      `in one place ${percent(square)} (${percent(mostInSquare)}): see ${shown} and ${differing}`,
  );
}

// How many different colours there are, and the share of the most frequent one.
export function colours(picture: PNG): { count: number; largest: number } {
  const found = new Map<number, number>();
  for (let i = 0; i < picture.data.length; i += 4) {
    const colour = (picture.data[i] << 16) | (picture.data[i + 1] << 8) | picture.data[i + 2];
    found.set(colour, (found.get(colour) ?? 0) + 1);
  }
  return {
    count: found.size,
    largest: Math.max(...found.values()) / (picture.width * picture.height),
  };
}
