// SPDX-License-Identifier: Apache-2.0
// Pictures and videos that the page saves.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, show, state, work, type Sight } from './support/browser';
import { colours } from './support/pictures';

let sight: Sight;
let page: Page;

beforeAll(async () => {
  sight = await open(work.address('tower.html'));
  page = sight.page;
  await show(page, 0.1);
});

afterAll(async () => {
  expect(sight.errors).toEqual([]);
  expect(sight.requests).toEqual([]);
  await sight.close();
});

async function saved(action: () => Promise<void>): Promise<{ name: string; data: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  const name = download.suggestedFilename();
  const path = work.path(`saved-${name}`);
  await download.saveAs(path);
  return { name, data: readFileSync(path) };
}

// A video of the first 0.1 s, five pictures: no more than the test needs.
async function exported(format: string): Promise<{ name: string; data: Buffer }> {
  await page.getByRole('button', { name: 'Export a video' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export a video' });
  await dialog.getByLabel('Format').selectOption(format);
  await dialog.getByLabel('Size').selectOption('640x360');
  await dialog.getByLabel('Pictures per second').selectOption('10');
  await dialog.getByLabel('Speed').selectOption('0.2');
  await dialog.getByLabel('To, in seconds').fill('0.08');
  await dialog.getByText('5 pictures', { exact: true }).waitFor();
  const file = await saved(() =>
    dialog.getByRole('button', { name: 'Export', exact: true }).click(),
  );
  await dialog.getByText(`Saved ${file.name}`).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return file;
}

describe('exports', () => {
  it('save a picture of the scene as large as it is seen', async () => {
    const { name, data } = await saved(() =>
      page.getByRole('button', { name: 'Save a picture' }).click(),
    );
    expect(name).toBe('tower.png');
    const picture = PNG.sync.read(data);
    const box = (await page.locator('.scene canvas').boundingBox())!;
    expect([picture.width, picture.height]).toEqual([
      Math.round(box.width),
      Math.round(box.height),
    ]);
    expect(colours(picture).count).toBeGreaterThan(50);
    expect(colours(picture).largest).toBeLessThan(0.9);
  });

  it('save a picture by a key', async () => {
    const { data } = await saved(() => page.keyboard.press('p'));
    expect(data.subarray(1, 4).toString()).toBe('PNG');
  });

  it('save an animated GIF of the size and with the pictures asked for', async () => {
    const { name, data } = await exported('gif');
    expect(name).toBe('tower.gif');
    expect(data.subarray(0, 6).toString()).toBe('GIF89a');
    expect([data.readUInt16LE(6), data.readUInt16LE(8)]).toEqual([640, 360]);
    const controls = data.toString('latin1').match(/\x21\xf9\x04/g) ?? []; // one a picture
    expect(controls.length).toBe(5);
    expect(data[data.length - 1]).toBe(0x3b);
  });

  it('save a WebM video', async () => {
    const { name, data } = await exported('webm');
    expect(name).toBe('tower.webm');
    expect(data.subarray(0, 4)).toEqual(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]));
    expect(data.toString('latin1')).toContain('V_VP');
    expect(data.length).toBeGreaterThan(2000);
  });

  it('say what is wrong with a range, and make nothing of it', async () => {
    await page.getByRole('button', { name: 'Export a video' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export a video' });
    await dialog.getByLabel('From, in seconds').fill('0.2');
    await dialog.getByLabel('To, in seconds').fill('0.1');
    await dialog.getByText('The range ends before it begins.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Export', exact: true }).isDisabled()).toBe(
      true,
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('leave the page as it was', async () => {
    const box = (await page.locator('.scene').boundingBox())!;
    const canvas = (await page.locator('.scene canvas').boundingBox())!;
    expect([canvas.width, canvas.height]).toEqual([box.width, box.height]);
    await page.keyboard.press('End');
    await expect.poll(async () => (await state(page)).frames[0]).toBe(300);
  });
});
