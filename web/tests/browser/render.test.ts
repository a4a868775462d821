// SPDX-License-Identifier: Apache-2.0
// `vinci render`: the same page, drawn by a browser that the program starts itself.
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { work } from './support/browser';
import { colours, difference } from './support/pictures';

describe('vinci render', () => {
  it('makes a picture of the size asked for, with the scene in it', async () => {
    await work.vinci('render', 'tower.h5', 'tower.png', '--size', '320x200', '--at', '0.1', '--quiet');
    const picture = PNG.sync.read(work.read('tower.png'));
    expect([picture.width, picture.height]).toEqual([320, 200]);
    expect(colours(picture).count).toBeGreaterThan(50);
    expect(colours(picture).largest).toBeLessThan(0.9);
  });

  it('draws other times, themes and layouts differently', async () => {
    const at = async (name: string, ...more: string[]) => {
      await work.vinci('render', ...more, name, '--size', '320x200', '--quiet');
      return PNG.sync.read(work.read(name));
    };
    const begin = await at('begin.png', 'parts.h5', '--at', '0');
    const end = await at('end.png', 'parts.h5', '--at', '0.6');
    const ghost = await at('ghost.png', 'exact.h5', 'pyramid.h5', '--layout', 'ghost', '--theme', 'dark');
    expect(difference(begin, end).part).toBeGreaterThan(0.005);
    expect(difference(end, ghost).part).toBeGreaterThan(0.5);
    expect(ghost.data[0] + ghost.data[1] + ghost.data[2]).toBeLessThan(200); // a dark corner
  });

  it('makes a GIF of the size and with the pictures asked for', async () => {
    const said = await work.vinci('render', 'tower.h5', 'tower.gif', '--size', '160x100', '--fps', '10', '--json');
    const gif = work.read('tower.gif');
    expect(gif.subarray(0, 6).toString()).toBe('GIF89a');
    expect([gif.readUInt16LE(6), gif.readUInt16LE(8)]).toEqual([160, 100]);
    expect((JSON.parse(said) as { pictures: number }).pictures).toBe(4);
    expect(gif.length).toBeGreaterThan(2000);
  });
});
