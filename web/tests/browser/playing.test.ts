// SPDX-License-Identifier: Apache-2.0
// A self-contained page from disk: the player by buttons, keys and timeline.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { open, show, shownFrame, state, work, type Sight } from './support/browser';

let sight: Sight;
let page: Page;

beforeAll(async () => {
  sight = await open(work.address('tower.html'));
  page = sight.page;
});

afterAll(async () => {
  expect(sight.errors).toEqual([]);
  expect(sight.requests).toEqual([]); // nothing left the page in all these tests
  await sight.close();
});

beforeEach(async () => {
  // Slow, so that no test comes to the end of the run before it means to.
  await page.evaluate(() => Object.assign(window.vinci.player, { speed: 0.01, loop: false }));
  await show(page, 0);
  await page.locator('vinci-timeline .time').click(); // the keys go to the page
});

const time = () => page.evaluate(() => window.vinci.player.time);
const frame = () => expect.poll(() => shownFrame(page));

describe('a self-contained page', () => {
  it('opens from disk with its title and all its frames', async () => {
    expect(await page.title()).toBe('tower');
    expect(await page.locator('vinci-timeline .frame').innerText()).toBe('frame 1 of 301');
    expect((await state(page)).problems).toEqual([]);
  });

  it('asks nobody for anything', () => {
    expect(sight.requests).toEqual([]);
  });
});

describe('the player', () => {
  it('plays and pauses by its button', async () => {
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForFunction(() => window.vinci.state().frames[0]! > 5);
    await page.getByRole('button', { name: 'Pause' }).click();
    const paused = await time();
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    expect(await time()).toBe(paused);
    expect((await state(page)).playing).toBe(false);
  });

  it('plays and pauses by the space key', async () => {
    await page.keyboard.press('Space');
    expect((await state(page)).playing).toBe(true);
    await page.waitForFunction(() => window.vinci.player.time > 0.005);
    await page.keyboard.press('Space');
    expect((await state(page)).playing).toBe(false);
  });

  it('takes the space key after a click on a button, not from one reached by keys', async () => {
    const loop = page.getByRole('button', { name: 'Loop' });
    await loop.click();
    await page.keyboard.press('Space');
    expect([(await state(page)).playing, await loop.getAttribute('aria-pressed')]).toEqual([
      true,
      'true',
    ]);
    await page.keyboard.press('Space');
    await page.getByRole('combobox', { name: 'Speed' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect([(await state(page)).playing, await loop.getAttribute('aria-pressed')]).toEqual([
      false,
      'false',
    ]);
  });

  it('keeps the pace that its speed says', async () => {
    const seen = await page.evaluate(async () => {
      const { player } = window.vinci;
      const picture = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      player.speed = 0.02;
      player.play();
      const pictures = [{ at: await picture(), time: player.time }];
      for (let moved = 0; moved < 10; ) {
        pictures.push({ at: await picture(), time: player.time });
        if (pictures.at(-1)!.time > pictures.at(-2)!.time) ++moved;
      }
      player.pause();
      return pictures;
    });
    // From picture to picture it waits, for frames that are not there yet, or goes on by the time
    // between them; more than a quarter of a second is not made up for.
    seen.slice(1).forEach(({ at, time }, i) => {
      const moved = time - seen[i].time;
      const due = 0.02 * Math.min(0.25, (at - seen[i].at) / 1000);
      expect(Math.min(moved, Math.abs(moved - due))).toBeCloseTo(0, 12);
    });
  });

  it('stops at the end, and begins anew from there', async () => {
    await show(page, 0.299);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.vinci.player.playing);
    expect(await time()).toBeCloseTo(0.3, 12);
    await page.keyboard.press('Space');
    await page.waitForFunction(
      () => window.vinci.player.time > 0 && window.vinci.player.time < 0.2,
    );
  });

  it('starts over at the end in a loop', async () => {
    await page.getByRole('button', { name: 'Loop' }).click();
    expect(await page.getByRole('button', { name: 'Loop' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await show(page, 0.299);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.vinci.player.time < 0.2);
    expect((await state(page)).playing).toBe(true);
  });

  it('steps by arrows, ten frames with shift, and stays within the run', async () => {
    for (const [key, index] of [
      ['ArrowRight', 1],
      ['ArrowRight', 2],
      ['ArrowLeft', 1],
      ['Shift+ArrowRight', 11],
      ['Shift+ArrowLeft', 1],
      ['ArrowLeft', 0],
      ['ArrowLeft', 0],
      ['End', 300],
      ['ArrowRight', 300],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await frame().toBe(index);
    }
  });

  it('steps by its buttons', async () => {
    await page.getByRole('button', { name: 'One frame on' }).click();
    await page.getByRole('button', { name: 'One frame on' }).click();
    await frame().toBe(2);
    await page.getByRole('button', { name: 'One frame back' }).click();
    await frame().toBe(1);
    await page.getByRole('button', { name: 'To the end' }).click();
    await frame().toBe(300);
  });

  it('scrubs where the timeline is dragged', async () => {
    const box = (await page.getByRole('slider', { name: 'Time' }).boundingBox())!;
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + 2, y);
    await page.mouse.down();
    for (const part of [0.25, 0.5, 0.75]) {
      await page.mouse.move(box.x + part * box.width, y);
      expect(await time()).toBeCloseTo(part * 0.3, 2);
      await frame().toBe(Math.floor((await time()) * 1000 + 1e-6));
    }
    await page.mouse.up();
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /^0\.22\d seconds$/,
    );
  });

  it('goes on playing after a scrub if it played before', async () => {
    await page.keyboard.press('Space');
    const box = (await page.getByRole('slider', { name: 'Time' }).boundingBox())!;
    await page.mouse.click(box.x + 0.4 * box.width, box.y + box.height / 2);
    expect((await state(page)).playing).toBe(true);
    expect(await time()).toBeGreaterThan(0.11);
  });

  it('changes its speed by keys and by the list', async () => {
    await page.keyboard.press('ArrowUp');
    expect(await page.getByRole('combobox', { name: 'Speed' }).inputValue()).toBe('0.02');
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate(() => window.vinci.player.speed)).toBe(0.05);
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate(() => window.vinci.player.speed)).toBe(0.02);
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('2');
    expect(await page.evaluate(() => window.vinci.player.speed)).toBe(2);
  });
});

describe('keys', () => {
  it('are explained by the help, which opens and closes by them', async () => {
    const help = page.getByRole('dialog', { name: 'Help' });
    await page.keyboard.press('?');
    await help.waitFor();
    const text = await help.innerText();
    for (const word of ['play or pause', 'one frame back', 'friction cones', 'this help'])
      expect(text).toContain(word);
    await page.keyboard.press('Space'); // is not for the page now
    expect((await state(page)).playing).toBe(false);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
  });

  it('switch contacts, cones and colours', async () => {
    const pressed = (name: string) =>
      page.getByRole('button', { name }).getAttribute('aria-pressed');
    await page.keyboard.press('c');
    expect(await pressed('Contact forces')).toBe('false');
    await page.keyboard.press('k'); // cones bring contacts along
    expect([await pressed('Contact forces'), await pressed('Friction cones')]).toEqual([
      'true',
      'true',
    ]);
    await page.keyboard.press('k');
    await page.keyboard.press('d');
    expect((await state(page)).theme).toBe('dark');
    await page.keyboard.press('d');
    expect((await state(page)).theme).toBe('light');
  });
});
