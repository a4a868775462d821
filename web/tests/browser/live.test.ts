// SPDX-License-Identifier: Apache-2.0
// A run that is watched while it is being written, and a server that goes away.
import { afterEach, describe, expect, it } from 'vitest';
import { open, shownFrame, state, withPage, work } from './support/browser';
import { tower } from './support/scenes';
import { Children, printed, stop } from './support/workshop';

const children = new Children();
afterEach(() => children.end());

describe('a run that is being written', () => {
  it('is waited for, grows on the page, stops, and goes on where it is continued', async () => {
    work.write('live.yaml', tower(9, 1e6));
    const { address } = await work.serve(children, 'live.h5', '--wait');
    await withPage(address, async (page) => {
      await page.getByText('Waiting for the run to begin…').waitFor();
      const run = children.start(
        work.program,
        ['run', 'live.yaml', '-o', 'live.h5', '--flush-interval', '0.05'],
        work.folder,
      );
      await page.locator('.badge.live').waitFor();
      const first = await shownFrame(page);
      await expect.poll(() => shownFrame(page)).toBeGreaterThan(first + 50);
      const second = await shownFrame(page);
      // It stays at the end.
      await expect.poll(() => shownFrame(page)).toBeGreaterThan(second + 50);
      expect(await stop(run, 'SIGINT')).toBe(130);
      await page.locator('.badge.live').waitFor({ state: 'detached' });
      const recorded = await page.evaluate(async () => {
        const [description] = (await (await fetch('api/runs')).json()) as { frames: number }[];
        return description.frames;
      });
      await expect.poll(() => shownFrame(page)).toBe(recorded - 1);
      await page
        .getByText(/The run stopped before its end/)
        .first()
        .waitFor();
      // Continued, it grows again, and is complete then.
      await work.vinci(
        'run',
        '--resume',
        'live.h5',
        '--duration',
        String(1e-3 * recorded + 0.049),
        '--quiet',
      );
      await expect.poll(() => shownFrame(page)).toBe(recorded + 49);
      await page
        .getByText(/The run stopped before its end/)
        .first()
        .waitFor({ state: 'detached' });
      expect((await state(page)).problems).toEqual([]);
    });
  });

  it('is watched by run --view until it is complete', async () => {
    work.write('short.yaml', tower(9, 1));
    const run = children.start(
      work.program,
      ['run', 'short.yaml', '-o', 'short.h5', '--view', '--flush-interval', '0.05'],
      work.folder,
    );
    const [address] = await printed(run, /http:\/\/127\.0\.0\.1:\d+\/\w+\//);
    await withPage(address, async (page) => {
      await expect
        .poll(async () => await page.locator('vinci-timeline .frame').innerText())
        .toMatch(/ of 1,001$/);
      await page.locator('.badge.live').waitFor({ state: 'detached' });
      expect(await page.locator('vinci-top-bar .badge').count()).toBe(0);
      await page.keyboard.press('End');
      await expect.poll(() => shownFrame(page)).toBe(1000);
      expect(await stop(run, 'SIGINT')).toBe(0);
    });
  });

  it('is said to be out of reach when its server has gone, and what is there stays', async () => {
    work.write('endless.yaml', tower(3, 1e6));
    children.start(
      work.program,
      ['run', 'endless.yaml', '-o', 'endless.h5', '--flush-interval', '0.05'],
      work.folder,
    );
    const { address, child } = await work.serve(children, 'endless.h5', '--wait');
    const { page, close } = await open(address);
    try {
      await page.locator('.badge.live').waitFor();
      await expect.poll(() => shownFrame(page)).toBeGreaterThan(20);
      await stop(child, 'SIGINT');
      await page
        .getByRole('alert')
        .getByText('the server does not answer')
        .first()
        .waitFor();
      const before = await shownFrame(page);
      await page.evaluate(() => {
        const { frames, player } = window.vinci;
        player.seek(frames()[0]!.time - 0.0005); // between this frame and the one before
      });
      await expect.poll(() => shownFrame(page)).toBeLessThan(before);
    } finally {
      await close();
    }
  });
});
