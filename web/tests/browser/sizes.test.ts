// SPDX-License-Identifier: Apache-2.0
// Scenes of every size: nothing to draw, one body, thousands; and recordings larger than the memory
// that the page may use.
import { afterEach, describe, expect, it } from 'vitest';
import { inspected, places, show, shownFrame, state, withPage, work } from './support/browser';
import { colours, pictureOf } from './support/pictures';
import { balls, shapeless } from './support/scenes';
import { Children } from './support/workshop';

const children = new Children();
afterEach(() => children.end());

describe('a small window', () => {
  it('leaves the room to the scene until a panel is asked for', async () => {
    await withPage(
      work.address('tower.html'),
      async (page) => {
        const button = page.getByRole('button', { name: 'Bodies and run' });
        const list = page.locator('vinci-body-list');
        expect([await button.getAttribute('aria-pressed'), await list.count()]).toEqual([
          'false',
          0,
        ]);
        const before = (await page.locator('.scene canvas').boundingBox())!;
        await button.click();
        expect([await button.getAttribute('aria-pressed'), await list.count()]).toEqual([
          'true',
          1,
        ]);
        await expect
          .poll(async () => (await page.locator('.scene canvas').boundingBox())!.width)
          .toBeLessThan(before.width - 100);
        const scrolls = await page.evaluate(() => {
          const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
          return scrollWidth > clientWidth || scrollHeight > clientHeight;
        });
        expect(scrolls).toBe(false); // all controls are within the window
      },
      { viewport: { width: 900, height: 600 } },
    );
  });
});

describe('a scene without shapes', () => {
  it('plays and lists its body', async () => {
    work.write('shapeless.yaml', shapeless);
    await work.run('shapeless.yaml', 'shapeless.h5');
    await work.page('shapeless.html', 'shapeless.h5');
    await withPage(work.address('shapeless.html'), async (page) => {
      expect((await state(page)).problems).toEqual([]);
      await page.keyboard.press('End');
      await expect.poll(() => shownFrame(page)).toBe(20);
      await page.getByRole('button', { name: 'point', exact: true }).click();
      expect((await inspected(page)).contacts).toBe('none');
      await page.getByRole('button', { name: 'Fit to view' }).click();
      expect((await places(page, [[0, 1, 0]]))[0]).not.toBeNull();
    });
  });
});

describe('one body', () => {
  it('is seen, followed and inspected', async () => {
    const { address } = await work.serve(children, 'alone.h5');
    await withPage(address, async (page, { requests }) => {
      await show(page, 0.05);
      const z = await page.evaluate(() => window.vinci.frames()[0]!.poses[7 + 2]);
      const place = (await places(page, [[0, 0, z]]))[0]!;
      await page.mouse.click(place.x, place.y);
      expect(await page.locator('vinci-inspector .heading b').innerText()).toBe('ball-0');
      await page.keyboard.press('f');
      expect((await state(page)).follow).toBe(1);
      expect(requests.every((request) => request.startsWith(address))).toBe(true);
    });
  });
});

describe('five thousand bodies', () => {
  it('are drawn, listed without a row for each, found and picked', async () => {
    const { address } = await work.serve(children, 'many.h5');
    await withPage(address, async (page) => {
      expect(await page.locator('vinci-body-list h2').innerText()).toBe('5,001 bodies');
      expect(await page.locator('vinci-body-list .row').count()).toBeLessThan(80);
      await page
        .locator('vinci-body-list .rows')
        .evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
      await page.getByRole('button', { name: 'ball-4999', exact: true }).waitFor();
      expect(await page.locator('vinci-body-list .row').count()).toBeLessThan(80);
      await page.getByRole('searchbox', { name: 'Search bodies' }).fill('ball-4321');
      await page.getByRole('button', { name: 'ball-4321', exact: true }).click();
      expect((await state(page)).selected).toMatchObject({ kind: 'body', body: 4322 });
      await page.keyboard.press('Escape');
      await show(page, 0.01);
      expect((await state(page)).frames).toEqual([10]);
      const canvas = page.locator('.scene canvas');
      expect(
        colours(await pictureOf(page, { clip: (await canvas.boundingBox())! })).count,
      ).toBeGreaterThan(500);
      expect(await page.evaluate(() => window.vinci.view!.statistics().drawCalls)).toBeLessThan(40);
    });
  });
});

describe('a recording larger than the memory it may use', () => {
  it('is shown from beginning to end within the limit', async () => {
    const limit = 16e6; // bytes; a block has 3 MB
    work.write('long.yaml', balls(400, 8, 3000));
    await work.run('long.yaml', 'long.h5', '--step', '0.0001', '--duration', '0.3');
    const { address } = await work.serve(children, 'long.h5');
    await withPage(
      address,
      async (page) => {
        const { most, loaded } = await page.evaluate(async (bytes) => {
          const { memory, player, show: showTime } = window.vinci;
          const picture = () => new Promise((resolve) => requestAnimationFrame(resolve));
          memory.limit = bytes;
          let held = 0;
          for (let i = 0; i <= 30; ++i) {
            await showTime((player.end * i) / 30);
            held = Math.max(held, memory.bytes);
          }
          Object.assign(player, { time: 0.1, speed: 0.02 });
          player.play(); // reads ahead
          while (player.time < 0.12) {
            await picture();
            held = Math.max(held, memory.bytes);
          }
          player.pause();
          const answers = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
          const blocks = answers.filter(({ name }) => name.includes('/frames?'));
          return {
            most: held,
            loaded: blocks.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0),
          };
        }, limit);
        expect(loaded).toBeGreaterThan(3.5 * limit);
        expect(most).toBeLessThanOrEqual(limit);
        expect(most).toBeGreaterThan(limit / 2); // it was in use
        await page.keyboard.press('Home'); // was dropped meanwhile, and comes again
        await expect.poll(() => shownFrame(page)).toBe(0);
      },
      { viewport: { width: 640, height: 400 } },
    );
  });
});
