// SPDX-License-Identifier: Apache-2.0
// `vinci render`: the same page, drawn by a browser that the program starts itself.
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { work } from './support/browser';
import { colours, difference } from './support/pictures';

async function picture(name: string, ...more: string[]): Promise<PNG> {
  await work.vinci('render', ...more, name, '--size', '320x200', '--quiet');
  return PNG.sync.read(work.read(name));
}

describe('vinci render', () => {
  it('makes pictures of the size asked for, of what there is at their time', async () => {
    const [begin, end] = [
      await picture('begin.png', 'parts.h5', '--at', '0'),
      await picture('end.png', 'parts.h5'),
    ];
    expect([begin.width, begin.height]).toEqual([320, 200]);
    expect(colours(begin).count).toBeGreaterThan(50);
    expect(colours(begin).largest).toBeLessThan(0.9);
    expect(difference(begin, end).part).toBeGreaterThan(0.005);
  });

  it('overlays runs in dark colours', async () => {
    const ghost = await picture(
      'ghost.png',
      'exact.h5',
      'pyramid.h5',
      '--layout',
      'ghost',
      '--theme',
      'dark',
    );
    expect(colours(ghost).count).toBeGreaterThan(50);
    const brightness =
      ghost.data.reduce((sum, part, i) => sum + (i % 4 < 3 ? part : 0), 0) / (3 * 320 * 200);
    expect(brightness).toBeLessThan(90);
  });

  it('makes a GIF of the size and with the pictures asked for', async () => {
    const said = await work.vinci(
      'render',
      'tower.h5',
      'tower.gif',
      '--size',
      '160x100',
      '--fps',
      '10',
      '--json',
    );
    const gif = work.read('tower.gif');
    expect(gif.subarray(0, 6).toString()).toBe('GIF89a');
    expect([gif.readUInt16LE(6), gif.readUInt16LE(8)]).toEqual([160, 100]);
    expect((JSON.parse(said) as { pictures: number }).pictures).toBe(4);
    expect(gif.length).toBeGreaterThan(2000);
  });
});
