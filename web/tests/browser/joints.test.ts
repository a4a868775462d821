// SPDX-License-Identifier: Apache-2.0
// Joints: what the page says of them is what the recording holds, and sliders pose them.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspected, open, parsed, places, show, state, withPage, work, type Sight } from './support/browser';
import { Children, type Row } from './support/workshop';

const children = new Children();
afterAll(() => children.end());

const slider = (page: Page, name: string) => page.getByRole('slider', { name: `Pose ${name}`, exact: true });

// As a hand that drags it does.
const drag = (page: Page, name: string, value: number) =>
  slider(page, name).evaluate((element, to) => {
    (element as HTMLInputElement).value = String(to);
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }, value);

const pose = (page: Page, body: number) =>
  page.evaluate((i) => [...window.vinci.frames()[0]!.poses.subarray(7 * i, 7 * i + 7)], body);

describe('joints of a recording', () => {
  const time = 1;
  let sight: Sight;
  let page: Page;
  let row: Row;

  beforeAll(async () => {
    const [opened, joints] = await Promise.all([
      open(work.address('gripper.html')),
      work.table('gripper.h5', 'joints'),
    ]);
    sight = opened;
    page = sight.page;
    row = joints.find((one) => Number(one['time [s]']) > time - 1e-9)!;
    await show(page, time);
  });

  afterAll(async () => {
    expect(sight.errors).toEqual([]);
    await sight.close();
  });

  const near = (shown: string, recorded: number) =>
    expect(Math.abs(parsed(shown) - recorded)).toBeLessThanOrEqual(6e-3 * Math.abs(recorded) + 1e-6);

  it('are found under the pointer, and tell what is recorded', async () => {
    const [at] = await places(page, [[0, 0, 0.2]]); // the shoulder
    await page.mouse.click(at!.x, at!.y);
    expect((await state(page)).selected).toMatchObject({ kind: 'joint', joint: 0 });
    const facts = await inspected(page);
    expect(facts.kind).toBe('revolute');
    expect(facts.between).toBe('world – arm');
    near(facts.coordinate, Number(row['shoulder.position [rad]']));
    near(facts.rate, Number(row['shoulder.rate [rad/s]']));
    near(facts.motor, Number(row['shoulder.motor [N m]']));
    near(facts.friction, Number(row['shoulder.friction [N m]']));
    near(facts.force, Math.hypot(...['x', 'y', 'z'].map((axis) => Number(row[`shoulder.force_${axis} [N]`]))));
    for (const plot of ['position', 'rate', 'effort', 'force', 'moment'])
      await page.locator(`vinci-plot[data-plot=${plot}] canvas`).waitFor();
  });

  it('are listed with their coordinate, and chosen there', async () => {
    const list = page.locator('vinci-joint-list');
    expect(await list.locator('h2').innerText()).toBe('3 joints');
    expect(await list.locator('.row').count()).toBe(3);
    const values = await list.locator('.value').allInnerTexts();
    near(values[0].replace('°', ''), (Number(row['shoulder.position [rad]']) * 180) / Math.PI);
    near(values[1], Number(row['slide-left.position [m]']));
    await list.getByRole('button', { name: 'slide-left' }).click();
    expect((await inspected(page)).kind).toBe('prismatic');
    await page.keyboard.press('Escape');
  });

  it('are not found where they are switched off', async () => {
    const [at] = await places(page, [[0, 0, 0.2]]);
    await page.keyboard.press('j');
    await page.mouse.click(at!.x, at!.y);
    expect((await state(page)).selected).not.toMatchObject({ kind: 'joint' });
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
  });

  it('are posed by sliders within their limits; playing goes back to the recording', async () => {
    const before = await pose(page, 1);
    await page.getByRole('button', { name: 'Pose', exact: true }).click();
    await drag(page, 'shoulder', 5);
    // 60 degrees is its limit; the hinge turns about -y.
    const [w, , y] = (await pose(page, 1)).slice(3);
    expect(2 * Math.atan2(-y, w)).toBeCloseTo(Math.PI / 3, 5);
    expect((await page.evaluate(() => window.vinci.frames()[0]!.contacts.count))).toBe(0);
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(await pose(page, 1)).toEqual(before);
    await drag(page, 'shoulder', 0.25);
    expect(await pose(page, 1)).not.toEqual(before);
    await page.keyboard.press('Escape');
    await show(page, time + 0.1);
    expect(await page.getByRole('slider', { name: /^Pose/ }).count()).toBe(0);
    await show(page, time);
    expect(await pose(page, 1)).toEqual(before);
  });
});

describe('a linkage that nobody has run', () => {
  it('is there to be posed: one slider, the others follow, and the loop stays closed', async () => {
    await withPage(work.address('four_bar.html'), async (page) => {
      expect(await page.getByRole('slider', { name: /^Pose/ }).count()).toBe(1);
      expect(await page.locator('vinci-joint-list .effort', { hasText: 'follows' }).count()).toBe(3);
      await drag(page, 'A', 0.4);
      // The ends of coupler and rocker, which joint C keeps together; capsules lie along x.
      const end = async (body: number, along: number) => {
        const [x, y, , w, , , z] = await pose(page, body);
        const angle = 2 * Math.atan2(z, w);
        return [x + along * Math.cos(angle), y + along * Math.sin(angle)];
      };
      const [a, b] = [await end(1, 0.175), await end(2, 0.15)];
      expect(Math.hypot(a[0] - b[0], a[1] - b[1])).toBeLessThan(1e-6);
      const crank = await end(0, 0.075);
      expect(Math.atan2(crank[1], crank[0])).toBeCloseTo(0.4, 5);
      expect(await page.locator('vinci-joint-list p').innerText()).toContain('1 coordinate free, 3 follow');
    });
  });

  it('with nine loops moves by its motors, and every joint stays together', async () => {
    const robots = new URL('../../../robots', import.meta.url).pathname;
    const { address, child } = await work.serve(children, `${robots}/delta/delta.yaml`);
    const sight = await open(address);
    const { page } = sight;
    const sliders = await page.getByRole('slider', { name: /^Pose/ }).evaluateAll(
      (all) => all.map((one) => one.getAttribute('aria-label')));
    expect(sliders.slice(0, 1)).toEqual(['Pose motor1']);
    const before = await page.evaluate(() => [...window.vinci.frames()[0]!.poses]);
    await drag(page, 'motor1', 0.3);
    expect(await page.locator('vinci-joint-list p.warn').count()).toBe(0);
    const apart = await page.evaluate(async () => {
      const { joints } = (await (await fetch('api/runs/0/models/0')).json()) as
        { joints: { bodies: number[]; frames: { position: number[] }[] }[] };
      const { poses } = window.vinci.frames()[0]!;
      const at = (body: number, [a, b, c]: number[]): number[] => {
        if (body < 0) return [a, b, c];
        const [px, py, pz, w, x, y, z] = poses.subarray(7 * body, 7 * body + 7);
        const u = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
        return [px + a + 2 * (y * u[2] - z * u[1]), py + b + 2 * (z * u[0] - x * u[2]), pz + c + 2 * (x * u[1] - y * u[0])];
      };
      return joints.map(({ bodies, frames }) => {
        const [p, q] = bodies.map((body, k) => at(body, frames[k].position));
        return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
      });
    });
    expect(apart).toHaveLength(15);
    for (const distance of apart) expect(distance).toBeLessThan(1e-6);
    const after = await page.evaluate(() => [...window.vinci.frames()[0]!.poses]);
    expect(Math.hypot(...after.slice(0, 3).map((x, i) => x - before[i]))).toBeGreaterThan(0.01); // the platform
    expect(sight.errors).toEqual([]);
    await sight.close();
    child.kill();
  });

  it('gives its pose as YAML that a scene takes, and that stands as it was posed', async () => {
    const robots = new URL('../../../robots', import.meta.url).pathname;
    work.write('hand.urdf', readFileSync(`${robots}/hand/hand.urdf`));
    for (const [name, file, coordinate, value] of [
      ['four_bar', work.scene('four_bar'), 'A', 0.4],
      ['hand', 'hand.urdf', 'finger1_outer', 0.5],
    ] as const) {
      const { address, child } = await work.serve(children, file);
      const sight = await open(address);
      const { page } = sight;
      await drag(page, coordinate, value);
      const poses = await page.evaluate(() => [...window.vinci.frames()[0]!.poses]);
      await page.evaluate(() => {
        navigator.clipboard.writeText = (text: string) => {
          (window as unknown as { copied: string }).copied = text;
          return Promise.resolve();
        };
      });
      await page.getByRole('button', { name: 'Copy pose' }).click();
      await page.getByText('Copied: paste it into a scene.').waitFor();
      const yaml = await page.evaluate(() => (window as unknown as { copied: string }).copied);
      expect(sight.errors).toEqual([]);
      await sight.close();
      child.kill();
      work.write(`${name}_posed.yaml`, posedScene(name, file, yaml));
      await work.vinci('view', `${name}_posed.yaml`, '--html', `${name}_posed.html`);
      await withPage(work.address(`${name}_posed.html`), async (again) => {
        const stands = await again.evaluate(() => [...window.vinci.frames()[0]!.poses]);
        expect(stands).toHaveLength(poses.length);
        stands.forEach((x, i) => expect(Math.abs(Math.abs(x) - Math.abs(poses[i]))).toBeLessThan(2e-6));
      });
    }
  });
});

// The scene with the pose in the place of what it says itself.
function posedScene(name: string, file: string, yaml: string): string {
  if (name === 'hand')
    return `world: spatial\n${yaml.replace('  hand:\n', `  hand:\n    urdf: ${JSON.stringify(file)}\n`)}`;
  const scene = work.readScene(name);
  return [...yaml.matchAll(/^ {2}(\w+): \{(position: .*)\}$/gm)].reduce(
    (text, [, joint, position]) =>
      text.replace(new RegExp(`^ {2}${joint}: \\{.*\\}$`, 'm'), (line) =>
        line.replace(/, position: [^,}]*/, '').replace(/\}$/, `, ${position}}`)),
    scene,
  );
}
