// SPDX-License-Identifier: Apache-2.0
// Marks on the time line where a step allows several motions: as many as the recording has, each at
// its time.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { withPage, work } from './support/browser';

const several = 'several'; // in the column uniqueness

beforeAll(async () => {
  const scene = work.scene('turning_box');
  await work.run(scene, 'asked.h5', '--diagnose', 'flag');
  await work.run(scene, 'unasked.h5', '--diagnose', 'off');
  await work.page('asked.html', 'asked.h5');
  await work.page('unasked.html', 'unasked.h5');
});

// What the time line has drawn: the marks that it counted, and the columns of pixels with ink.
const drawn = (page: Page) =>
  page.evaluate(() => {
    const find = (root: Document | ShadowRoot): HTMLCanvasElement | null => {
      for (const element of root.querySelectorAll('*')) {
        if (element.localName === 'vinci-timeline') return element.shadowRoot!.querySelector<HTMLCanvasElement>('canvas.steps');
        const inner = element.shadowRoot && find(element.shadowRoot);
        if (inner) return inner;
      }
      return null;
    };
    const canvas = find(document)!;
    const { data, width, height } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const inked: number[] = [];
    for (let x = 0; x < width; ++x)
      for (let y = 0; y < height; ++y)
        if (data[4 * (y * width + x) + 3] > 0) {
          inked.push(x / width);
          break;
        }
    return { several: Number(canvas.dataset.several), inked };
  });

describe('the time line', () => {
  it('has a mark at every step that allows several motions', async () => {
    const steps = await work.table('asked.h5', 'steps');
    const marked = steps.filter((row) => row.uniqueness === several);
    expect(marked.length).toBeGreaterThan(0);
    const end = Number(steps[steps.length - 1]['time [s]']);
    await withPage(work.address('asked.html'), async (page) => {
      const { several: count, inked } = await drawn(page);
      expect(count).toBe(marked.length);
      for (const row of marked) {
        const place = Number(row['time [s]']) / end;
        expect(Math.min(...inked.map((x) => Math.abs(x - place)))).toBeLessThan(0.01);
      }
      await page.getByText('more than one motion').first().waitFor();
    });
  });

  it('has none where nobody asked', async () => {
    await withPage(work.address('unasked.html'), async (page) => {
      expect(await drawn(page)).toEqual({ several: 0, inked: [] });
    });
  });
});
