// SPDX-License-Identifier: Apache-2.0
// Contacts and bodies under the pointer: what the page says of them is what the recording holds.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspected, open, parsed, places, show, state, work, type Sight } from './support/browser';
import type { Row } from './support/workshop';

const time = 0.1; // s: contacts stick and slide
let sight: Sight;
let page: Page;
let rows: Row[]; // contacts of the shown step, in the order of the recording

beforeAll(async () => {
  const [opened, contacts] = await Promise.all([
    open(work.address('tower.html')),
    work.table('tower.h5', 'contacts'),
  ]);
  sight = opened;
  page = sight.page;
  rows = contacts.filter((row) => row.step === '100');
  await show(page, time);
});

afterAll(async () => {
  expect(sight.errors).toEqual([]);
  await sight.close();
});

// The number shown has four significant digits, powers of ten three.
function expectShown(shown: string, recorded: number): void {
  expect(Math.abs(parsed(shown) - recorded)).toBeLessThanOrEqual(6e-3 * Math.abs(recorded) + 1e-12);
}

async function expectContact(facts: Record<string, string>, row: Row): Promise<void> {
  const tangential = Math.hypot(
    Number(row['impulse tangent 1 [N s]']),
    Number(row['impulse tangent 2 [N s]']),
  );
  expectShown(facts.gap, Number(row['gap [m]']));
  expectShown(facts['normal impulse'], Number(row['impulse normal [N s]']));
  expectShown(facts['friction impulse'], tangential);
  expectShown(facts['friction μ'], Number(row.friction));
}

// Where the page draws a contact: between its two points.
async function contactPlace(row: Row): Promise<{ x: number; y: number }> {
  const point = ['x', 'y', 'z'].map(
    (axis) => 0.5 * (Number(row[`point a ${axis} [m]`]) + Number(row[`point b ${axis} [m]`])),
  );
  return (await places(page, [point]))[0]!;
}

const heaviest = () =>
  rows.reduce((best, row) =>
    Number(row['impulse normal [N s]']) > Number(best['impulse normal [N s]']) ? row : best,
  );

describe('a contact', () => {
  it('shows gap and impulse of the recording when it is pointed at', async () => {
    const row = heaviest();
    const { x, y } = await contactPlace(row);
    await page.mouse.move(x, y);
    const box = page.getByRole('tooltip');
    await box.waitFor();
    expect(await box.innerText()).toContain(`${row['body a']} – ${row['body b']}`);
    const names = await box.locator('dt').allInnerTexts();
    const values = await box.locator('dd').allInnerTexts();
    await expectContact(Object.fromEntries(names.map((name, i) => [name, values[i]])), row);
    await page.mouse.move(x, y - 1000 < 0 ? 5 : 0);
    await box.waitFor({ state: 'hidden' });
  });

  it('is kept in the inspector by a click, in every place of the scene', async () => {
    for (const row of [heaviest(), rows[0], rows[rows.length - 1]]) {
      const { x, y } = await contactPlace(row);
      await page.mouse.click(x, y);
      const { selected } = await state(page);
      expect(selected).toMatchObject({
        kind: 'contact',
        key: ['shape a', 'shape b', 'feature a', 'feature b'].map((name) => Number(row[name])),
      });
      await expectContact(await inspected(page), row);
      await page.keyboard.press('Escape');
    }
    expect((await state(page)).selected).toBeNull();
  });

  it('has plots of gap, impulse and friction, and follows the time', async () => {
    const row = heaviest();
    const { x, y } = await contactPlace(row);
    await page.mouse.click(x, y);
    for (const plot of ['gap', 'impulse', 'usage'])
      await page.locator(`vinci-plot[data-plot=${plot}] canvas`).waitFor();
    const later = (await work.table('tower.h5', 'contacts')).find(
      (other) =>
        other.step === '150' &&
        ['shape a', 'shape b', 'feature a', 'feature b'].every((name) => other[name] === row[name]),
    );
    await show(page, 0.15);
    if (later) await expectContact(await inspected(page), later);
    else
      expect(await page.locator('vinci-inspector').innerText()).toContain('not there at this time');
    await page.keyboard.press('Escape');
    await show(page, time);
  });

  it('is not found where contacts are switched off', async () => {
    const { x, y } = await contactPlace(heaviest());
    await page.keyboard.press('c');
    await page.mouse.click(x, y);
    expect((await state(page)).selected).not.toMatchObject({ kind: 'contact' });
    await page.keyboard.press('c');
    await page.keyboard.press('Escape');
  });
});

describe('a body', () => {
  it('tells where it is and how fast, as the recording does', async () => {
    const states = await work.table('tower.h5', 'states');
    const body = states.find((row) => row.step === '100' && row.body === 'box-5')!;
    const [x, y] = [Number(body['x [m]']), Number(body['y [m]'])];
    const place = (await places(page, [[x, y, 0]]))[0]!;
    await page.mouse.click(place.x, place.y);
    expect(await page.locator('vinci-inspector .heading b').innerText()).toBe('box-5');
    const facts = await inspected(page);
    const [shownX, shownY] = facts.position.split(', ');
    expectShown(shownX, x);
    expectShown(shownY, y);
    expectShown(facts.speed, Math.hypot(Number(body['vx [m/s]']), Number(body['vy [m/s]'])));
    await page.keyboard.press('Escape');
  });
});
