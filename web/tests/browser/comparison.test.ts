// SPDX-License-Identifier: Apache-2.0
// Two runs of one scene, with the exact friction cone and with a pyramid.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, parsed, places, show, state, work, type Sight } from './support/browser';
import type { Row } from './support/workshop';

const time = 0.5; // s
let sight: Sight;
let page: Page;
let exact: number[]; // position of the box at that time, m
let pyramid: number[];

function position(rows: Row[]): number[] {
  const row = rows.find((other) => other.body === 'box' && Number(other.step) === 500)!;
  return ['x [m]', 'y [m]', 'z [m]'].map((name) => Number(row[name]));
}

beforeAll(async () => {
  const [opened, first, second] = await Promise.all([
    open(work.address('compared.html')),
    work.table('exact.h5', 'states'),
    work.table('pyramid.h5', 'states'),
  ]);
  sight = opened;
  page = sight.page;
  [exact, pyramid] = [position(first), position(second)];
  await show(page, time);
});

afterAll(async () => {
  expect(sight.errors).toEqual([]);
  expect(sight.requests).toEqual([]);
  await sight.close();
});

const layout = (name: string) => page.getByRole('button', { name, exact: true }).click();
const distance = () => Math.hypot(...exact.map((part, i) => part - pyramid[i]));

describe('two runs', () => {
  it('stand side by side at first, both at the same time', async () => {
    const { layout: shown, runs, frames } = await state(page);
    expect([shown, runs, frames]).toEqual(['side-by-side', ['exact.h5', 'pyramid.h5'], [250, 250]]);
    const box = (await page.locator('.scene canvas').boundingBox())!;
    const [left] = await places(page, [exact], 0);
    const [right] = await places(page, [exact], 1);
    expect(right!.x - left!.x).toBeCloseTo(box.width / 2, 3); // the same camera in two halves
    expect(right!.y).toBeCloseTo(left!.y, 3);
  });

  it('are each picked in their own half, which then is the run of the panels', async () => {
    const [place] = await places(page, [pyramid], 1);
    await page.mouse.click(place!.x, place!.y);
    expect((await state(page)).selected).toMatchObject({ run: 1, kind: 'body', body: 1 });
    expect(await page.getByRole('combobox', { name: 'Run' }).inputValue()).toBe('pyramid.h5');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Run' }).selectOption('exact.h5');
  });

  it('lie over each other as ghosts, as far apart as the recordings say', async () => {
    await layout('Ghost');
    expect((await state(page)).layout).toBe('ghost');
    const [own] = await places(page, [exact], 0);
    const [ghost] = await places(page, [pyramid], 1);
    expect(Math.hypot(own!.x - ghost!.x, own!.y - ghost!.y)).toBeGreaterThan(20);
    await page.getByRole('button', { name: 'box', exact: true }).click();
    const note = await page.locator('vinci-inspector p').innerText();
    const [, shown] = note.match(/^Now (.+) from pyramid\.h5\.$/) ?? [];
    expect(parsed(shown)).toBeCloseTo(distance(), 3);
    expect(distance()).toBeGreaterThan(0.05);
  });

  it('have their curves in one plot, those of the other run dashed', async () => {
    const plot = page.locator('vinci-plot[data-plot=position]');
    await plot.locator('canvas').waitFor();
    const values = await plot.locator('.entry b').allInnerTexts();
    [exact[0], pyramid[0], exact[1], pyramid[1]].forEach((value, i) =>
      expect(parsed(values[i])).toBeCloseTo(value, 3),
    );
    expect(await plot.locator('.entry b.dashed').count()).toBe(3);
  });

  it('are shown one at a time as well', async () => {
    await layout('One');
    expect(await places(page, [pyramid], 1)).toEqual([null]);
    await page.getByRole('combobox', { name: 'Run' }).selectOption('pyramid.h5');
    expect((await state(page)).active).toBe(1);
    await page.getByRole('combobox', { name: 'Run' }).selectOption('exact.h5');
    await layout('Side by side');
  });

  it('change between ghosts and side by side by a key', async () => {
    await page.locator('vinci-timeline .time').click();
    await page.keyboard.press('g');
    expect((await state(page)).layout).toBe('ghost');
    await page.keyboard.press('g');
    expect((await state(page)).layout).toBe('side-by-side');
  });
});
