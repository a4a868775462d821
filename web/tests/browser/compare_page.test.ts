// SPDX-License-Identifier: Apache-2.0
// The page of `vinci compare`: a needle pushes a peg, with and without inertia, slowly and fast.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, show, state, work, type Sight } from './support/browser';

let sight: Sight;
let page: Page;
let answer: { answer: string[]; variants: { difference: { largest: number } | null }[] };

beforeAll(async () => {
  const text = await work.vinci(
      'compare', work.scene('pushed_peg'), '--across', 'motion=dynamic,quasi-static', 'speed=0.01,0.5',
      '--step', '1e-3', '--duration', '0.1', '--html', 'comparison.html', '--json');
  answer = JSON.parse(text);
  sight = await open(work.address('comparison.html'));
  page = sight.page;
});

afterAll(async () => {
  expect(sight.errors).toEqual([]);
  expect(sight.requests).toEqual([]);
  await sight.close();
});

const rows = () => page.locator('vinci-comparison tbody tr');

describe('the page of a comparison', () => {
  it('lays the runs of the first case over each other, the reference solid', async () => {
    const { layout, active, runs } = await state(page);
    expect([layout, active, runs.length]).toEqual(['ghost', 0, 4]);
    expect(await page.evaluate(() => window.vinci.frames().length)).toBe(4);
    expect(await rows().count()).toBe(4);
    expect(await rows().first().textContent()).toContain('finest');
  });

  it('says in words what the program said', async () => {
    for (const sentence of answer.answer)
      expect(await page.getByText(sentence, { exact: true }).count()).toBe(1);
  });

  it('shows the case of the run that is chosen, with its distances and modes', async () => {
    await rows().nth(3).click(); // quasi-static, speed=0.5
    expect((await state(page)).active).toBe(3);
    const names = await page.locator('vinci-comparison .strips .name').allTextContents();
    expect(new Set(names)).toEqual(new Set(['dynamic, speed=0.5', 'quasi-static, speed=0.5']));
    await show(page, 0.1);
    const legend = page.locator('vinci-comparison vinci-plot .legend');
    expect(await legend.textContent()).toContain('quasi-static, speed=0.5');
    const largest = answer.variants[3].difference!.largest; // at the end
    const shown = Number((await legend.locator('b').first().textContent())!.replace('−', '-'));
    expect(Math.abs(shown - largest)).toBeLessThan(1e-3 * largest); // four digits
    expect(await page.locator('vinci-comparison .strip .slide, vinci-comparison .strip .stick').count())
      .toBeGreaterThan(0);
  });

  it('folds away and comes back', async () => {
    const heading = page.getByRole('button', { name: 'Comparison', exact: true });
    await heading.dispatchEvent('click');
    expect(await rows().count()).toBe(0);
    await heading.dispatchEvent('click');
    expect(await rows().count()).toBe(4);
  });
});
