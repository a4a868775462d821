// SPDX-License-Identifier: Apache-2.0
// Events on the page: ticks on the time line at their times, a list that leads to them, keys and
// buttons, and what acts now; the same inside one file and from a server.
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shownFrame, state, withPage, work } from './support/browser';
import { Children } from './support/workshop';

const ball = `
title: bouncing
world: planar
materials: {rubber: {}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: rubber}]}
  ball: {shapes: [{circle: 0.1, material: rubber}], mass: 2, position: [0, 0.6]}
run: {step: 10 ms, duration: 2, output-interval: 50 ms, stepper: bouncer}
`;
// The ball falls half a metre; a throw gives back a share of the speed, each share 0.9 of the last.
const touches: number[] = [];
for (let time = Math.sqrt(1 / 9.81), speed = 9.81 * time, share = 0.8; touches.length < 5; share *= 0.9) {
  touches.push(time);
  speed *= share;
  time += (2 * speed) / 9.81;
}

const children = new Children();
afterEach(() => children.end());

beforeAll(async () => {
  work.write('ball.yaml', ball);
  await work.run('ball.yaml', 'ball.h5', '--plugin', process.env.VINCI_TEST_BOUNCER!);
  await work.page('ball.html', 'ball.h5');
  await work.run('ball.yaml', 'plain.h5', '--plugin', process.env.VINCI_TEST_BOUNCER!,
                 '--stepper', 'stewart-trinkle');
  await work.page('plain.html', 'plain.h5');
});

// Where the time line has ticks, as parts of its width.
const ticks = (page: Page) =>
  page.locator('vinci-timeline canvas.events').evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { data, width, height } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const inked: number[] = [];
    for (let x = 0; x < width; ++x) if (data[4 * (Math.floor(height / 2) * width + x) + 3] > 0) inked.push(x / width);
    return { events: Number(canvas.dataset.events), inked };
  });

const acting = (page: Page) => page.locator('vinci-event-list').evaluate((element) =>
  [...element.shadowRoot!.querySelectorAll('dl dt')].map((name) =>
    `${name.textContent!.trim()}: ${name.nextElementSibling!.textContent!.trim()}`));

const time = async (page: Page) => (await state(page)).time;

async function lookAtAll(page: Page): Promise<void> {
  await page.locator('vinci-event-list button.row').first().waitFor();
  const { events, inked } = await ticks(page);
  expect(events).toBe(9);
  for (const touch of touches) expect(Math.min(...inked.map((x) => Math.abs(2 * x - touch)))).toBeLessThan(0.02);
  expect(inked.filter((x) => touches.every((touch) => Math.abs(2 * x - touch) > 0.02))).toEqual([]);
  const rows = await page.locator('vinci-event-list button.row').allInnerTexts();
  expect(rows.length).toBeGreaterThan(3); // those in sight
  expect(rows[0].replace(/\s+/g, ' ')).toBe(`ball on floor ${touches[0].toFixed(6)} free → contact`);
}

describe('events', () => {
  it('are ticks and rows of a page of one file', async () => {
    await withPage(work.address('ball.html'), async (page) => {
      await page.keyboard.press('Home');
      await lookAtAll(page);
      expect(await acting(page)).toEqual([]);
      await page.getByText('Nothing touches at this time.').waitFor();
      // The last touch stays.
      await page.keyboard.press('End');
      await expect.poll(() => acting(page)).toEqual(['ball on floor: contact']);
      await page.getByText('9: 5 touches, 4 partings').waitFor();
    });
  });

  it('are reached by keys, buttons and rows', async () => {
    await withPage(work.address('ball.html'), async (page) => {
      await page.keyboard.press('Home');
      await page.locator('vinci-event-list button.row').first().waitFor();
      for (const touch of touches) {
        await page.keyboard.press('.');
        expect(await time(page)).toBeCloseTo(touch, 9);
      }
      await page.keyboard.press('.');
      expect(await time(page)).toBeCloseTo(touches[4], 9); // there is no other
      await page.keyboard.press(',');
      expect(await time(page)).toBeCloseTo(touches[3], 9);
      await page.getByRole('button', { name: 'Event before' }).click();
      expect(await time(page)).toBeCloseTo(touches[2], 9);
      await page.getByRole('button', { name: 'Next event' }).click();
      expect(await time(page)).toBeCloseTo(touches[3], 9);
      await page.locator('vinci-event-list button.row').first().click();
      expect(await time(page)).toBeCloseTo(touches[0], 9);
      // Frames are 50 ms apart: the last one at or before it is shown.
      await expect.poll(() => shownFrame(page)).toBe(Math.floor(touches[0] / 0.05));
    });
  });

  it('say what they are under the pointer', async () => {
    await withPage(work.address('ball.html'), async (page) => {
      await page.locator('vinci-event-list button.row').first().waitFor();
      const box = (await page.locator('vinci-timeline .track').boundingBox())!;
      await page.mouse.move(box.x + (box.width * touches[1]) / 2, box.y + box.height / 2);
      const words = await page.locator('vinci-timeline .hover').innerText();
      expect(words).toContain('ball on floor: ');
      expect(words).toContain(touches[1].toFixed(6));
    });
  });

  it('come from the server, too', async () => {
    const { address } = await work.serve(children, 'ball.h5');
    await withPage(address, async (page) => {
      await page.keyboard.press('Home');
      await lookAtAll(page);
    });
  });

  it('are not there where the stepper knows none', async () => {
    await withPage(work.address('plain.html'), async (page) => {
      expect(await page.locator('vinci-event-list').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Next event' }).count()).toBe(0);
      expect((await ticks(page)).inked).toEqual([]);
    });
  });
});
