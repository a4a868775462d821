// SPDX-License-Identifier: Apache-2.0
// The page of `vinci certify`: a particle on a smooth floor, which nothing holds, and its free motions as
// ghosts over it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, show, state, work, type Sight } from './support/browser';

const scene = `
world: spatial
parameters: {mu: 0}
materials: {m: {friction: mu}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: m}]}
  particle: {shapes: [{sphere: 0.05, material: m}], mass: 1, position: [0.3, 0, 0.05], motion: {roll: 0, pitch: 0, yaw: 0}}
run: {motion: quasi-static, step: 10 ms, duration: 1 s}
`;
const radius = 0.05, duration = 2; // m; s, of one turn there and back
let sight: Sight;
let page: Page;
let free: { bodies: { particle: { velocity: number[] } } }[];

beforeAll(async () => {
  work.write('free.yaml', scene);
  // It has several motions, so that it is not certain.
  const text = await work.vinci('certify', 'free.yaml', '--html', 'free.html', '--json')
    .catch((error: { stdout: string }) => error.stdout);
  free = JSON.parse(text).free_motions;
  await work.vinci('certify', 'free.yaml', '--set', 'mu=0.3', '--html', 'held.html');
  sight = await open(work.address('free.html'));
  page = sight.page;
});

afterAll(async () => {
  expect(sight.errors).toEqual([]);
  expect(sight.requests).toEqual([]);
  await sight.close();
});

// The centre of the particle in every run, m.
const centres = () =>
  page.evaluate(() => window.vinci.frames().map((frame) => [...frame!.poses.slice(7, 10)]));

describe('the page of a certificate', () => {
  it('lays a ghost per free motion over the bodies of the step', async () => {
    expect(free.length).toBe(2);
    const { layout, active, runs, problems } = await state(page);
    expect([layout, active, runs.length, problems]).toEqual(['ghost', 0, 3, []]);
  });

  it('moves each ghost along its motion and back, as far as the radius of the particle', async () => {
    for (const [share, way] of [[0, 0], [0.25, radius], [0.5, 0], [0.75, -radius]]) {
      await show(page, share * duration);
      const [still, ...ghosts] = await centres();
      expect(still).toEqual([0.3, 0, 0.05].map((x) => expect.closeTo(x, 6)));
      ghosts.forEach((centre, i) => {
        const speed = free[i].bodies.particle.velocity;
        centre.forEach((x, axis) => expect(x - still[axis]).toBeCloseTo(way * speed[axis], 5));
      });
    }
  });

  it('shows the bodies alone where the motion is the only one', async () => {
    const held = await open(work.address('held.html'));
    expect((await state(held.page)).runs.length).toBe(1);
    await held.close();
  });
});
