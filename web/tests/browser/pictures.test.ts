// SPDX-License-Identifier: Apache-2.0
// What pages look like, compared with pictures in expected/ that a person has looked at.
// UPDATE_EXPECTED=1 writes them anew.
import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { places, show, withPage, work } from './support/browser';
import { expectPicture, pictureOf } from './support/pictures';

interface View {
  name: string;
  page: string;
  time: number; // s
  size?: [number, number];
  prepare?: (page: Page) => Promise<void>;
}

async function choose(page: Page, body: string): Promise<void> {
  await page.getByRole('button', { name: body, exact: true }).click();
  await page.locator('vinci-plot[data-plot=position] canvas').waitFor();
}

// The strongest contact of the first run.
async function chooseContact(page: Page): Promise<void> {
  const point = await page.evaluate(() => {
    const { contacts } = window.vinci.frames()[0]!;
    let best = 0;
    for (let i = 1; i < contacts.count; ++i)
      if (contacts.impulse[3 * i] > contacts.impulse[3 * best]) best = i;
    return [0, 1, 2].map(
      (k) => 0.5 * (contacts.pointA[3 * best + k] + contacts.pointB[3 * best + k]),
    );
  });
  const place = (await places(page, [point]))[0]!;
  await page.mouse.click(place.x, place.y);
  await page.mouse.move(5, 5);
  await page.locator('vinci-plot[data-plot=usage] canvas').waitFor();
}

const views: View[] = [
  { name: 'planar', page: 'tower.html', time: 0.1, prepare: chooseContact },
  { name: 'spatial', page: 'parts.html', time: 0.45, prepare: (page) => choose(page, 'cylinder') },
  {
    name: 'ghost',
    page: 'compared.html',
    time: 0.5,
    prepare: async (page) => {
      await page.keyboard.press('g');
      await choose(page, 'box');
    },
  },
  { name: 'springs', page: 'springs.html', time: 0 },
  { name: 'springs_in_space', page: 'springs_in_space.html', time: 0 },
  { name: 'small', page: 'tower.html', time: 0.2, size: [900, 600] },
];

// The time that the run took is another one each time; the bits may be on another machine.
async function steady(page: Page): Promise<void> {
  for (const name of ['wall time', 'state hash'])
    await page
      .locator(`vinci-run-status dt:text-is("${name}") + dd`)
      .evaluateAll((rows) => rows.forEach((words) => (words.textContent = 'as it may be')));
}

describe.each(views)(
  'the view $name',
  ({ name, page: file, time, size = [1280, 800], prepare }) => {
    it.each(['light', 'dark'] as const)('is as it was in %s colours', async (theme) => {
      await withPage(
        work.address(file),
        async (page) => {
          await show(page, time);
          await prepare?.(page);
          await show(page, time);
          await steady(page);
          expectPicture(await pictureOf(page), `${name}-${theme}`);
        },
        { theme, viewport: { width: size[0], height: size[1] } },
      );
    });
  },
);
