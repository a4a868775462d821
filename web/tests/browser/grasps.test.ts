// SPDX-License-Identifier: Apache-2.0
// Grasps: the page shows what `vinci grasp` tells, from a server for every frame, and from a page that
// carries one answer.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, parsed, show, withPage, work } from './support/browser';
import { pictureOf } from './support/pictures';
import { squeezed } from './support/scenes';
import { Children } from './support/workshop';

const children = new Children();
afterAll(() => children.end());

interface Answer {
  closed: boolean;
  center: [number, number, number];
  contacts: unknown[];
  friction_required: number;
  quality_sum: { lower: number; upper: number; weakest: number[] };
}

// The command ends with 1 where the grasp is open.
async function told(at: number): Promise<Answer> {
  const text = await work
    .vinci('grasp', 'squeezed.h5', '--object', 'ball', '--at', String(at), '--json')
    .catch((error: { stdout: string }) => error.stdout);
  return JSON.parse(text) as Answer;
}

beforeAll(async () => {
  work.write('squeezed.yaml', squeezed);
  await work.run('squeezed.yaml', 'squeezed.h5');
});

async function panel(page: Page): Promise<{ state: string; rows: Record<string, string> }> {
  return page.locator('vinci-grasp').evaluate((element) => {
    const root = element.shadowRoot!;
    const texts = (selector: string) => [...root.querySelectorAll(selector)].map((e) => e.textContent ?? '');
    const values = texts('dd');
    return {
      state: texts('.state')[0] ?? '',
      rows: Object.fromEntries(texts('dt').map((name, i) => [name, values[i].replace(/\u202f/g, ' ').trim()])),
    };
  });
}

const [early, late] = [0.02, 0.4]; // s: on its stand alone; held by all fingers

describe('the grasp of a body', () => {
  it('is told for the frame that is shown, and follows the time', async () => {
    const { address, child } = await work.serve(children, 'squeezed.h5');
    const [open1, closed] = [await told(early), await told(late)];
    expect([open1.closed, closed.closed]).toEqual([false, true]);
    const sight = await open(address);
    const { page } = sight;
    await show(page, late);
    await page.locator('vinci-body-list').getByRole('button', { name: 'ball', exact: true }).click();
    await page.getByRole('button', { name: 'Grasp', exact: true }).click();
    await page.locator('vinci-grasp .state', { hasText: 'closed' }).waitFor();
    const { rows } = await panel(page);
    expect(rows.contacts).toMatch(new RegExp(`^${closed.contacts.length} loaded, of `));
    expect(parsed(rows['friction needed'])).toBeCloseTo(closed.friction_required, 2);
    // Both intervals hold the same number; the page's may be wider.
    const [lower, upper] = rows['quality, sum'].split(' to ').map(parsed);
    expect(lower).toBeLessThanOrEqual(closed.quality_sum.upper * 1.005);
    expect(upper).toBeGreaterThanOrEqual(closed.quality_sum.lower * 0.995);
    expect(rows['weakest against']).toMatch(/force|torque/);
    await show(page, early);
    await page.locator('vinci-grasp .state', { hasText: 'open' }).waitFor();
    const before = await panel(page);
    expect(before.rows['force closure']).toBe('no, proved');
    expect(before.rows['nothing resists']).toMatch(/force|torque/);
    await page.getByRole('button', { name: 'Hide the grasp' }).click();
    expect(await page.locator('vinci-grasp').count()).toBe(0);
    expect(sight.errors).toEqual([]);
    await sight.close();
    child.kill();
  });

  it('is not asked of a body that is fixed', async () => {
    const { address, child } = await work.serve(children, 'squeezed.h5');
    const sight = await open(address);
    await sight.page.locator('vinci-body-list').getByRole('button', { name: 'stand', exact: true }).click();
    await sight.page.locator('vinci-inspector', { hasText: 'stand' }).waitFor();
    expect(await sight.page.getByRole('button', { name: 'Grasp', exact: true }).count()).toBe(0);
    await sight.close();
    child.kill();
  });

  it('stands in a page of its own, at its time, drawn with its weakest direction', async () => {
    await work.vinci('grasp', 'squeezed.h5', '--object', 'ball', '--at', String(late), '--html', 'grasp.html');
    await withPage(work.address('grasp.html'), async (page, { requests }) => {
      await page.locator('vinci-grasp .state', { hasText: 'closed' }).waitFor();
      expect(await page.evaluate(() => window.vinci.player.time)).toBeCloseTo(late, 6);
      const weakest = [0x1d, 0x4e, 0xd8];
      const count = async (): Promise<number> => {
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        const { data } = await pictureOf(page, { clip: await sceneBox(page) });
        let found = 0;
        for (let i = 0; i < data.length; i += 4)
          if (weakest.every((part, k) => Math.abs(data[i + k] - part) < 12)) ++found;
        return found;
      };
      expect(await count()).toBeGreaterThan(30);
      await show(page, 0.1);
      await page.getByText('This page tells of this grasp at:').waitFor();
      expect(await count()).toBeLessThan(5);
      await page.locator('vinci-grasp .times button').click();
      await page.locator('vinci-grasp .state', { hasText: 'closed' }).waitFor();
      expect(requests).toEqual([]);
    });
  });
});

async function sceneBox(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  return (await page.locator('main.stage').boundingBox())!;
}
