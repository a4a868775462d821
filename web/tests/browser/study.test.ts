// SPDX-License-Identifier: Apache-2.0
// The page of a study: what it shows of cases, also while they are run, how one is replayed, and the
// file that holds all.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStudy, work } from './support/browser';
import { Children, stop } from './support/workshop';

const scene = `
title: sliding block
world: planar
parameters: {mu: 0.5, speed: 0.5, wind: 0}
materials: {wood: {friction: mu}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  block: {shapes: [{box: [0.2, 0.1], material: wood, density: 100}], position: [0, 0.05], velocity: [speed, 0], force: {x: wind}}
run: {step: 5 ms, duration: 0.1 s}
`;
const map = `
title: where the block stops
scene: block.yaml
seed: 3
design: {mu: {from: 0.1, to: 0.8, grid: 6}, speed: {from: 0.1, to: 1, grid: 5}}
uncertain: {wind: {normal: {mean: 0, deviation: 4}}}
measures: {way: {end: block.x}}
success: way < 0.035
map: {over: [mu, speed], count: 10}
`;
const sample = (title: string, count: number, duration = '10 ms') => `
title: ${title}
scene: block.yaml
seed: 4
run: {duration: ${duration}}
uncertain: {mu: {uniform: [0.1, 0.8]}, speed: {normal: {mean: 0.7, deviation: 0.2}}}
measures: {way: {end: block.x}}
success: way > 0.007
sample: {count: ${count}}
`;
const children = new Children();
afterEach(() => children.end());

interface Counted { successes: number; cases: number }

// What the ledger says of the cells of the map, by the program.
async function cellsOf(study: string): Promise<Counted[]> {
  const report = JSON.parse(await work.vinci('study', 'report', study, '--json')) as
      { designs: { verdicts: Counted }[] };
  return report.designs.map(({ verdicts }) => verdicts);
}

async function middleOf(page: Page, part: string, across: number, up: number) {
  const box = (await page.locator(`${part} canvas`).boundingBox())!;
  return page.locator(part).evaluate((element, [x, y, left, top]) => {
    const { frame } = element as unknown as { frame: { left: number; right: number; top: number; bottom: number } };
    return { x: left + frame.left + x * (frame.right - frame.left), y: top + frame.bottom - y * (frame.bottom - frame.top) };
  }, [across, up, box.x, box.y] as const);
}

beforeAll(async () => {
  work.write('block.yaml', scene);
  work.write('map.yaml', map);
  await work.vinci('study', 'run', 'map.yaml', '--quiet');
});

describe('the page of a study', () => {
  it('counts in a cell what the report counts, with its interval', async () => {
    const cells = await cellsOf('runs/map.study');
    const { address } = await work.serve(children, 'runs/map.study');
    const { page, errors, close } = await openStudy(address);
    const { title, text } = await page.evaluate(() => ({
      title: document.title, text: document.querySelector('vinci-study')!.shadowRoot!.textContent }));
    expect(title).toBe('where the block stops');
    expect(text).toContain('complete');
    for (const [column, row] of [[1, 1], [3, 2], [5, 4]]) {
      const { x, y } = await middleOf(page, 'study-map', (column + 0.5) / 6, (row + 0.5) / 5);
      await page.mouse.move(x, y);
      const { successes, cases } = cells[column + 6 * row];
      await page.locator('study-map .tip').getByText(`${successes} of ${cases}`).waitFor();
      await page.locator('study-map .tip').getByText(/\d to \d+\.\d/).last().waitFor();
    }
    expect(errors).toEqual([]);
    await close();
  });

  it('replays a case of a cell in the player, bit for bit', async () => {
    const { address } = await work.serve(children, 'runs/map.study');
    const { page, errors, close } = await openStudy(address);
    const { x, y } = await middleOf(page, 'study-map', 3.5 / 6, 2.5 / 5);
    await page.mouse.click(x, y);
    await page.getByText('the same as in the study, bit for bit').waitFor();
    const player = page.frameLocator('study-case iframe');
    await player.getByText('frame 1 of 21').waitFor();
    const number = await page.evaluate(() => window.vinciStudy.model.replayed!.number);
    expect(Math.floor(number / 10)).toBe(3 + 6 * 2);
    await page.keyboard.press('Escape');
    await page.locator('study-case iframe').waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await close();
  });

  it('says so where a case cannot be simulated', async () => {
    const { address } = await work.serve(children, 'runs/map.study');
    const { page, close } = await openStudy(address);
    await page.evaluate(() => window.vinciStudy.model.replay(12_345));
    await page.getByText(/cannot be simulated: there is no case 12345/).first().waitFor();
    await close();
  });

  it('keeps the cases that pass where an axis was dragged over', async () => {
    const { address } = await work.serve(children, 'runs/map.study');
    const { page, close } = await openStudy(address);
    const box = (await page.locator('study-parallel canvas').boundingBox())!;
    await page.mouse.move(box.x + 60, box.y + 30);
    await page.locator('study-parallel').scrollIntoViewIfNeeded();
    const { x, y, height } = (await page.locator('study-parallel canvas').boundingBox())!;
    await page.mouse.move(x + 60, y + 36);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.getByText(/150 cases chosen/).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await page.evaluate(() => window.vinciStudy.model.chosen)).toBe(null);
    await close();
  });

  it('grows while the study runs, and says when it stopped and is complete', async () => {
    work.write('long.yaml', sample('long', 60_000, '0.1 s'));
    const run = children.start(work.program, ['study', 'run', 'long.yaml', '--quiet', '--workers', '1'], work.folder);
    await expect.poll(async () => work.vinci('study', 'status', 'runs/long.study', '--json')
        .then((text) => (JSON.parse(text) as { cases: number }).cases, () => 0)).toBeGreaterThan(0);
    // It is held whenever the page is looked at: it is not complete before a slow page has seen it run.
    run.kill('SIGSTOP');
    const { address } = await work.serve(children, 'runs/long.study');
    const { page, errors, close } = await openStudy(address);
    const rows = () => page.evaluate(() => window.vinciStudy.model.table.rows);
    const before = await rows();
    await page.locator('.badge.running').waitFor();
    run.kill('SIGCONT');
    await sleep(300);
    run.kill('SIGSTOP');
    await expect.poll(rows).toBeGreaterThan(before);
    await page.getByText(/a second/).waitFor();
    run.kill('SIGCONT');
    await stop(run, 'SIGINT');
    await page.locator('.badge.stopped').waitFor();
    await work.vinci('study', 'resume', 'runs/long.study', '--quiet');
    await page.locator('.badge.complete').waitFor();
    await expect.poll(rows).toBe(60_000);
    expect(errors).toEqual([]);
    await close();
  });

  it('stays fluid with 100,000 cases', async () => {
    work.write('many.yaml', sample('many', 100_000));
    await work.vinci('study', 'run', 'many.yaml', '--quiet');
    const { address } = await work.serve(children, 'runs/many.study');
    const { page, close } = await openStudy(address);
    expect(await page.evaluate(() => window.vinciStudy.model.table.rows)).toBe(100_000);
    // Everything is drawn anew: the map, the points and a part of the lines.
    const milliseconds = await page.evaluate(async () => {
      const { model } = window.vinciStudy;
      const times: number[] = [];
      for (let i = 0; i < 5; ++i) {
        const begin = performance.now();
        model.setBrush(0, { from: 0.1 + 0.05 * i, to: 0.8 });
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        times.push(performance.now() - begin);
      }
      return Math.min(...times);
    });
    console.log(`100,000 cases: drawn anew within ${milliseconds.toFixed(0)} ms`);
    expect(milliseconds).toBeLessThan(2000); // a net: 20 ms of script, and what a busy machine adds
    await close();
  });

  it('fits into one file that asks for nothing and says that it replays nothing', async () => {
    await work.vinci('view', 'runs/map.study', '--html', 'map.html');
    const { page, errors, requests, close } = await openStudy(work.address('map.html'), { theme: 'dark' });
    expect(await page.evaluate(() => window.vinciStudy.model.table.rows)).toBe(300);
    await page.getByText(/It replays no cases/).waitFor();
    const { x, y } = await middleOf(page, 'study-map', 3.5 / 6, 2.5 / 5);
    await page.mouse.click(x, y);
    await page.getByText(/vinci study repeat runs\/map.study \d+ --record/).waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect([errors, requests]).toEqual([[], []]);
    await close();
  });

  it('ends its programs when the server ends', async () => {
    const { address, child } = await work.serve(children, 'runs/map.study');
    const answer = await fetch(`${address}cases/17/state`);
    expect(answer.status).toBe(200);
    expect(await stop(child, 'SIGINT')).toBe(0);
  });
});
