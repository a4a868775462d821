// SPDX-License-Identifier: Apache-2.0
// Springs as they are seen: pixels of their ink between the points that they hold.
import type { Page } from 'playwright-core';
import type { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { inspected, open, places, show, state, withPage, work } from './support/browser';
import { pictureOf } from './support/pictures';
import { hanging, restLength } from './support/scenes';

const ink = { light: [0x33, 0x3d, 0x47], dark: [0xd3, 0xda, 0xe2] } as const;
const ghost = [0x7c, 0x3a, 0xed] as const; // of the second run, light
const [long, short] = hanging;
const radius = 0.1 * restLength; // m, of the coil

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function isColour({ data, width }: PNG, x: number, y: number, colour: readonly number[]): boolean {
  const i = 4 * (y * width + x);
  return colour.every((part, k) => Math.abs(data[i + k] - part) < 40);
}

// Where in a box the colour is: its first and last row, and how often it is there.
function found(picture: PNG, box: Box, colour: readonly number[]) {
  let [first, last, count] = [Infinity, -Infinity, 0];
  for (let y = Math.ceil(box.top); y < box.bottom; ++y)
    for (let x = Math.ceil(box.left); x < box.right; ++x) {
      if (!isColour(picture, x, y, colour)) continue;
      first = Math.min(first, y);
      last = Math.max(last, y);
      ++count;
    }
  return { first, last, count };
}

// How often a line down the picture meets the colour.
function crossings(picture: PNG, x: number, top: number, bottom: number, colour: readonly number[]): number {
  let count = 0;
  let inside = false;
  for (let y = Math.ceil(top); y < bottom; ++y) {
    const here = isColour(picture, x, y, colour);
    if (here && !inside) ++count;
    inside = here;
  }
  return count;
}

type Hanging = (typeof hanging)[number];

// The window's box between the points that a spring holds at the start, without their dots.
async function boxOf(page: Page, { x, length }: Hanging, planar: boolean): Promise<Box> {
  const at = (across: number, up: number) =>
    planar ? [x + across, up, 0] : [x + across, 0, up];
  const [upper, lower, left, right] = await places(page, [
    at(0, 0), at(0, -length), at(-2 * radius, -length / 2), at(2 * radius, -length / 2),
  ]);
  return { left: left!.x, right: right!.x, top: upper!.y + 6, bottom: lower!.y - 6 };
}

async function picture(page: Page): Promise<PNG> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  return pictureOf(page);
}

describe.each([
  ['in the plane', 'springs.html', true],
  ['in space', 'springs_in_space.html', false],
] as const)('springs %s', (_where, file, planar) => {
  // In space the first and the last half of four windings may lie on the far side, which is paler.
  const paler = (box: Box) => (planar ? 0 : (box.bottom - box.top) / 8);
  // A line down the box has this many pixels.
  const line = (box: Box) => box.bottom - box.top;

  it('reach from point to point: a stretched one is longer than a compressed one', async () => {
    await withPage(work.address(file), async (page) => {
      await show(page, 0);
      const seen = await picture(page);
      const heights = [];
      for (const one of hanging) {
        const box = await boxOf(page, one, planar);
        const { first, last } = found(seen, box, ink.light);
        expect(first - box.top).toBeLessThan(4 + paler(box));
        expect(box.bottom - last).toBeLessThan(4 + paler(box));
        heights.push(last - first);
      }
      expect(heights[0]).toBeGreaterThan(1.8 * heights[1]);
    });
  });

  it('move with their bodies', async () => {
    await withPage(work.address(file), async (page) => {
      await show(page, 0);
      const before = await picture(page);
      await show(page, 0.15);
      const body = 2; // on the short spring
      const [x, y, z] = await page.evaluate(
        (i) => [...window.vinci.frames()[0]!.poses.subarray(7 * i, 7 * i + 3)],
        body,
      );
      const half = 0.1; // m, of the body: the spring ends on its top
      const [end] = await places(page, [planar ? [x, y + half, 0] : [x, y, z + half]]);
      const dot = { left: end!.x - 3, right: end!.x + 3, top: end!.y - 3, bottom: end!.y + 3 };
      expect(found(await picture(page), dot, ink.light).count).toBeGreaterThan(15);
      expect(found(before, dot, ink.light).count).toBeLessThan(10);
    });
  });

  it('are light on dark', async () => {
    await withPage(
      work.address(file),
      async (page) => {
        await show(page, 0);
        const box = await boxOf(page, long, planar);
        expect(found(await picture(page), box, ink.dark).count).toBeGreaterThan(line(box));
      },
      { theme: 'dark' },
    );
  });

  it('are hidden with their body', async () => {
    await withPage(work.address(file), async (page) => {
      await show(page, 0);
      const box = await boxOf(page, long, planar);
      expect(found(await picture(page), box, ink.light).count).toBeGreaterThan(line(box));
      await page.locator('vinci-body-list .row', { hasText: 'stretched' }).hover();
      await page.getByRole('button', { name: 'Hide stretched', exact: true }).click();
      await page.mouse.move(5, 5);
      const edge = planar ? 0 : 2 * (box.right - box.left); // at most: the beam's, at the top
      expect(found(await picture(page), box, ink.light).count).toBeLessThanOrEqual(edge);
    });
  });
});

describe('a spring in the plane', () => {
  it('has as many windings when it is stretched as when it is compressed', async () => {
    await withPage(work.address('springs.html'), async (page) => {
      await show(page, 0);
      const seen = await picture(page);
      for (const one of [long, short]) {
        const [{ x }] = (await places(page, [[one.x + 0.5 * radius, 0, 0]])) as { x: number }[];
        const { top, bottom } = await boxOf(page, one, true);
        expect(crossings(seen, Math.round(x), top, bottom, ink.light)).toBe(8);
      }
    });
  });

  it('of another run is seen in the tint of its ghost', async () => {
    await withPage(work.address('compared_springs.html'), async (page) => {
      await page.keyboard.press('g');
      await show(page, 0.15);
      const box = await boxOf(page, long, true);
      const seen = await picture(page);
      expect(found(seen, box, ink.light).count).toBeGreaterThan(100);
      expect(found(seen, box, ghost).count).toBeGreaterThan(50);
    });
  });
});

describe('the panels', () => {
  it('list the elements of the scene, and those of a body with their length', async () => {
    await withPage(work.address('springs.html'), async (page) => {
      const list = page.locator('vinci-run-status details.elements');
      expect(await list.locator('summary').innerText()).toBe('4 elements');
      expect((await list.locator('dd').allInnerTexts()).map((text) => text.replace(/\u202f/g, ' '))).toEqual([
        'long, beam – stretched: stiffness 100 N/m, damping 0 N s/m, length 0.5 m',
        'short, beam – compressed: stiffness 100 N/m, damping 0 N s/m, length 0.5 m',
        'pot, beam – slow: stiffness 0 N/m, damping 20 N s/m, length 0.5 m',
        'strut, beam – damped: stiffness 100 N/m, damping 4 N s/m, length 0.5 m',
      ]);
      await show(page, 0);
      await page.getByRole('button', { name: 'stretched', exact: true }).click();
      expect((await inspected(page)).spring.replace(/\u202f/g, ' ')).toBe('long to beam, 0.8000 m');
    });
  });

  it('say so where an element is damaged', async () => {
    const whole = work.read('springs.html').toString();
    const broken = whole.replace('"anchors":[{', '"anchors":[7,{');
    expect(broken).not.toBe(whole);
    work.write('broken_springs.html', broken);
    const sight = await open(work.address('broken_springs.html'));
    try {
      await sight.page.getByRole('alert').getByText('the element “long” has not two anchors').waitFor();
      expect(sight.errors).toEqual([]);
      expect((await state(sight.page)).runs).toEqual(['springs.h5']);
    } finally {
      await sight.close();
    }
  });
});
