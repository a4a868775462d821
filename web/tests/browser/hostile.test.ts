// SPDX-License-Identifier: Apache-2.0
// Recordings and pages that are broken or malicious end in words on the page.
import { truncateSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { open, show, state, withPage, work } from './support/browser';
import { Children } from './support/workshop';

const children = new Children();
afterEach(() => children.end());

// They would set window.broken if the browser took any part of them for markup. The program refuses
// such a name; a recording may come from elsewhere.
const name = '<img/src=x/onerror=window.broken=3>';
const markup = '</script><img src=x onerror=window.broken=1><!--<script>window.broken=2</script>';

const hostileScene = `title: "${markup}"
world: planar
materials: {wood: {friction: 0.4}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  ${'n'.repeat(name.length)}: {shapes: [{circle: 0.1, material: wood}], position: [0, 0.1]}
run: {step: 1 ms, duration: 20 ms}
`;

// The script of a block in a page, with its text changed.
function withBlock(page: string, change: (text: string) => string): string {
  return page.replace(
    /(class="vinci-block"[^>]*>)([^<]*)/,
    (_all, head: string, text: string) => head + change(text),
  );
}

describe('names in a recording', () => {
  it('never become markup or script, embedded or served', async () => {
    work.write('hostile.yaml', hostileScene);
    await work.run('hostile.yaml', 'harmless.h5');
    const bytes = work.read('harmless.h5').toString('latin1');
    expect(bytes).toContain('n'.repeat(name.length));
    work.write(
      'hostile.h5',
      Buffer.from(bytes.replaceAll('n'.repeat(name.length), name), 'latin1'),
    );
    await work.page('hostile.html', 'hostile.h5');
    const { address } = await work.serve(children, 'hostile.h5');
    for (const place of [work.address('hostile.html'), address])
      await withPage(place, async (page) => {
        expect(await page.title()).toBe(markup);
        expect(await page.locator('vinci-top-bar .title b').innerText()).toBe(markup);
        await page.getByRole('button', { name, exact: true }).click();
        expect(await page.locator('vinci-inspector .heading b').innerText()).toBe(name);
        await page.getByRole('button', { name: 'Names of bodies' }).click();
        await page.locator('vinci-plot[data-plot=position] canvas').waitFor();
        expect(await page.evaluate(() => (window as { broken?: number }).broken)).toBeUndefined();
        expect(await page.locator('img').count()).toBe(0);
        expect((await state(page)).frames).toEqual([0]);
      });
  });
});

describe('a file that is not a whole recording', () => {
  it('is named on the page, and the others are shown', async () => {
    for (const name of ['cut.h5', 'text.h5']) work.write(name, work.read('tower.h5'));
    const { address } = await work.serve(children, 'cut.h5', 'tower.h5', 'text.h5');
    truncateSync(work.path('cut.h5'), 20_000);
    work.write('text.h5', 'this is no recording\n');
    const sight = await open(address);
    try {
      const alert = sight.page.getByRole('alert');
      for (const name of ['cut.h5', 'text.h5']) await alert.getByText(name).first().waitFor();
      expect((await state(sight.page)).runs).toContain('tower.h5');
      await sight.page.keyboard.press('End');
      await expect.poll(async () => (await state(sight.page)).frames).toContain(300);
    } finally {
      await sight.close();
    }
  });
});

describe('a wrong token', () => {
  it('gets nothing but 404', async () => {
    const { address } = await work.serve(children, 'tower.h5');
    const wrong = address.replace(
      /\/(\w)(\w*)\/$/,
      (_all, first: string, rest: string) => `/${first === '0' ? '1' : '0'}${rest}/`,
    );
    await withPage(address, async (page) => {
      const answers = await Promise.all(
        [wrong, `${wrong}api/runs`, new URL('/', address).href].map((place) =>
          page.request.get(place),
        ),
      );
      expect(answers.map((answer) => answer.status())).toEqual([404, 404, 404]);
      expect((await Promise.all(answers.map((answer) => answer.text()))).join()).not.toContain(
        'tower',
      );
    });
  });
});

describe('a damaged page', () => {
  it.each([
    ['a block that is not base64', (text: string) => `?${text}`],
    ['a block that is cut', (text: string) => text.slice(0, 400)],
    ['a block of something else', () => 'H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=='], // "hello", packed
  ])('with %s says so', async (_what, change) => {
    work.write('damaged.html', withBlock(work.read('tower.html').toString(), change));
    const sight = await open(work.address('damaged.html'));
    try {
      await sight.page
        .getByRole('alert')
        .getByText(/damaged|block/)
        .first()
        .waitFor();
      expect(sight.errors).toEqual([]);
      await sight.page.keyboard.press('?'); // it still answers
      await sight.page.getByRole('dialog', { name: 'Help' }).waitFor();
    } finally {
      await sight.close();
    }
  });

  it('shows its other runs', async () => {
    const page = work.read('compared.html').toString();
    work.write(
      'half.html',
      withBlock(page, () => 'AAAA'),
    );
    const sight = await open(work.address('half.html'));
    try {
      await sight.page.getByRole('alert').getByText('exact.h5').first().waitFor();
      // The damaged run has no frame to wait for.
      await show(sight.page, 0.1).catch(() => undefined);
      await expect.poll(async () => (await state(sight.page)).frames[1]).not.toBeNull();
    } finally {
      await sight.close();
    }
  });
});
