// SPDX-License-Identifier: Apache-2.0
// The camera by pointer: pan and zoom in the plane, orbit in space, following a body.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { places, show, state, withPage, work } from './support/browser';

interface Point {
  x: number;
  y: number;
}

async function drag(page: Page, from: Point, by: Point): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (const part of [0.3, 0.6, 1])
    await page.mouse.move(from.x + part * by.x, from.y + part * by.y);
  await page.mouse.up();
}

async function middle(page: Page): Promise<Point> {
  const box = (await page.locator('.scene canvas').boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);

describe('in the plane', () => {
  it('a drag moves the scene with the pointer', async () => {
    await withPage(work.address('tower.html'), async (page) => {
      const points = [
        [0, 0.5, 0],
        [0.1, 0.2, 0],
      ];
      const before = await places(page, points);
      await drag(page, await middle(page), { x: 60, y: -35 });
      const after = await places(page, points);
      for (const i of [0, 1]) {
        expect(after[i]!.x - before[i]!.x).toBeCloseTo(60, 3);
        expect(after[i]!.y - before[i]!.y).toBeCloseTo(-35, 3);
      }
    });
  });

  it('the wheel zooms at the pointer, and Fit shows all again', async () => {
    await withPage(work.address('tower.html'), async (page) => {
      const points = [
        [0, 0.5, 0],
        [0.05, 0.55, 0],
      ];
      const [fixed, other] = await places(page, points);
      await page.mouse.move(fixed!.x, fixed!.y);
      await page.mouse.wheel(0, -240);
      await expect
        .poll(async () => {
          const [still, moved] = await places(page, points);
          return distance(still!, moved!) / distance(fixed!, other!);
        })
        .toBeGreaterThan(1.2);
      const [still] = await places(page, points);
      expect(distance(still!, fixed!)).toBeLessThan(1);
      await page.getByRole('button', { name: 'Fit to view' }).click();
      const [again, back] = await places(page, points);
      expect(distance(again!, back!)).toBeCloseTo(distance(fixed!, other!), 3);
    });
  });
});

describe('in space', () => {
  it('a drag turns the scene about its middle and keeps z up', async () => {
    await withPage(work.address('parts.html'), async (page) => {
      const points = [
        [0.2, 0, 0.1],
        [0, 0, 0.05],
        [0, 0, 0.25],
      ];
      const [before] = await places(page, points);
      await drag(page, await middle(page), { x: 150, y: 10 });
      await expect
        .poll(async () => distance((await places(page, points))[0]!, before!))
        .toBeGreaterThan(30);
      const [, low, high] = await places(page, points);
      expect(low!.y - high!.y).toBeGreaterThan(20);
      expect(Math.abs(low!.x - high!.x)).toBeLessThan(0.25 * (low!.y - high!.y));
    });
  });

  it('the wheel comes closer', async () => {
    await withPage(work.address('parts.html'), async (page) => {
      const points = [
        [0, 0, 0.05],
        [0, 0, 0.15],
      ];
      const size = async () => {
        const [a, b] = await places(page, points);
        return distance(a!, b!);
      };
      const before = await size();
      const { x, y } = await middle(page);
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, -240);
      await expect.poll(size).toBeGreaterThan(1.1 * before);
    });
  });
});

describe('following', () => {
  it('keeps the chosen body in the middle as time goes by', async () => {
    await withPage(work.address('parts.html'), async (page) => {
      await page.getByRole('button', { name: 'ball', exact: true }).click();
      await page.locator('vinci-timeline .time').click();
      await page.keyboard.press('f');
      const followed = (await state(page)).follow;
      expect(followed).not.toBeNull();
      const centre = await middle(page);
      const positions: number[] = [];
      for (const time of [0, 0.2, 0.4]) {
        await show(page, time);
        const [x, y, z] = await page.evaluate(
          (body) => [...window.vinci.frames()[0]!.poses.subarray(7 * body, 7 * body + 3)],
          followed!,
        );
        positions.push(z);
        expect(distance((await places(page, [[x, y, z]]))[0]!, centre)).toBeLessThan(1);
      }
      expect(positions[0] - positions[2]).toBeGreaterThan(0.05); // it has fallen meanwhile
      await page.keyboard.press('f');
      expect((await state(page)).follow).toBeNull();
    });
  });
});
