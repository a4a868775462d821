// SPDX-License-Identifier: Apache-2.0
// The list of bodies, and the plots beside the scene.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { open, parsed, places, show, state, work, type Sight } from './support/browser';
import { pictureOf } from './support/pictures';

let sight: Sight;
let page: Page;

beforeAll(async () => {
  sight = await open(work.address('tower.html'));
  page = sight.page;
});

beforeEach(() => show(page, 0.1));

afterAll(async () => {
  expect(sight.errors).toEqual([]);
  await sight.close();
});

const names = () => page.locator('vinci-body-list .row .name').allInnerTexts();
const row = (name: string) =>
  page.locator('vinci-body-list .row', { has: page.getByText(name, { exact: true }) });

// The colour in the middle of a box of the tower.
async function colourOf(box: number): Promise<number[]> {
  const [x, y] = await page.evaluate(
    (body) => [...window.vinci.frames()[0]!.poses.subarray(7 * body, 7 * body + 2)],
    box,
  );
  const place = (await places(page, [[x + 0.02, y + 0.02, 0]]))[0]!;
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const picture = await pictureOf(page, {
    clip: { x: place.x - 1, y: place.y - 1, width: 3, height: 3 },
  });
  return [...picture.data.subarray(16, 19)];
}

async function press(name: string, action: string): Promise<void> {
  await row(name).hover();
  await page.getByRole('button', { name: `${action} ${name}`, exact: true }).click();
  await page.mouse.move(5, 5);
}

describe('the list of bodies', () => {
  it('names all of them and counts them', async () => {
    expect(await page.locator('vinci-body-list h2').innerText()).toBe('10 bodies');
    expect(await names()).toEqual([
      'floor',
      ...Array.from({ length: 9 }, (_, i) => `box-${i + 1}`),
    ]);
  });

  it('is searched by part of a name', async () => {
    const search = page.getByRole('searchbox', { name: 'Search bodies' });
    await search.fill('BOX-7');
    await expect.poll(names).toEqual(['box-7']);
    await search.fill('nothing');
    await page.getByText('No body has “nothing” in its name.').waitFor();
    await search.fill('');
    await expect.poll(async () => (await names()).length).toBe(10);
  });

  it('hides a body and shows it again', async () => {
    const before = await colourOf(5);
    await press('box-5', 'Hide');
    expect((await state(page)).hidden).toEqual([5]);
    const hidden = await colourOf(5);
    expect(Math.max(...hidden.map((part, i) => Math.abs(part - before[i])))).toBeGreaterThan(30);
    await press('box-5', 'Hide');
    expect((await state(page)).hidden).toEqual([]);
    expect(await colourOf(5)).toEqual(before);
  });

  it('shows one body alone, and all again', async () => {
    const [kept, other] = [await colourOf(3), await colourOf(6)];
    await press('box-3', 'Show only');
    expect((await state(page)).solo).toBe(3);
    expect(await colourOf(3)).toEqual(kept);
    expect(await colourOf(6)).not.toEqual(other);
    await page.getByRole('button', { name: 'Show all' }).click();
    expect((await state(page)).solo).toBeNull();
    expect(await colourOf(6)).toEqual(other);
  });

  it('chooses a body, which the inspector then shows', async () => {
    await page.getByRole('button', { name: 'box-2', exact: true }).click();
    expect(await page.locator('vinci-inspector .heading b').innerText()).toBe('box-2');
    await page.keyboard.press('Escape');
  });
});

describe('the plots', () => {
  it('show energy and residual, and where the chosen body is and how fast', async () => {
    const drawn = () =>
      page
        .locator('vinci-plot')
        .evaluateAll((plots) => plots.map((plot) => (plot as HTMLElement).dataset.plot));
    expect(await drawn()).toEqual(['energy', 'residual']);
    await page.getByRole('button', { name: 'box-2', exact: true }).click();
    await expect.poll(drawn).toEqual(['position', 'velocity', 'energy', 'residual']);
    const curves = await page.locator('vinci-plot[data-plot=position] .entry').allInnerTexts();
    expect(curves.map((text) => text.trim()[0])).toEqual(['x', 'y']);
    await page.keyboard.press('Escape');
  });

  it('have the values of the recording at the present time', async () => {
    const step = (await work.table('tower.h5', 'steps')).find((other) => other.step === '100')!;
    const [kinetic, potential] = await page
      .locator('vinci-plot[data-plot=energy] .entry b')
      .allInnerTexts();
    expect(parsed(kinetic)).toBeCloseTo(Number(step['kinetic energy [J]']), 3);
    expect(parsed(potential)).toBeCloseTo(Number(step['potential energy [J]']), 2);
  });

  it('move the time where they are clicked', async () => {
    const box = (await page.locator('vinci-plot[data-plot=energy] .u-over').boundingBox())!;
    await page.mouse.click(box.x + 0.75 * box.width, box.y + box.height / 2);
    await expect.poll(async () => (await state(page)).time).toBeCloseTo(0.225, 2);
    await expect.poll(async () => (await state(page)).frames[0]).toBeGreaterThan(220);
  });

  it('close and open by their headings', async () => {
    await page.getByRole('button', { name: 'Residual' }).click();
    await page.locator('vinci-plot[data-plot=residual]').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Residual' }).click();
    await page.locator('vinci-plot[data-plot=residual] canvas').waitFor();
  });
});
