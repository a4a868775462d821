// SPDX-License-Identifier: Apache-2.0
// Scenes as text, for recordings that the tests make themselves.

// A planar tower on a floor whose foot a force pushes to and fro: contacts stick, slide and open.
export function tower(boxes: number, seconds: number): string {
  const names = Array.from({ length: boxes }, (_, i) => `box-${i + 1}`);
  return [
    'title: tower',
    'world: planar',
    'materials: {wood: {friction: 0.4}}',
    'bodies:',
    '  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}',
    ...names.map((name, i) => {
      const force = i === 0 ? ', force: {x: 60*sin(40*t)}' : '';
      return (
        `  ${name}: {shapes: [{box: [0.1, 0.1], material: wood, density: 100}], ` +
        `position: [0, ${(0.05 + 0.1 * i).toFixed(2)}]${force}}`
      );
    }),
    `run: {step: 1 ms, duration: ${seconds} s}`,
    '',
  ].join('\n');
}

// Balls in a block with `side` a row, falling freely above a floor.
export function balls(count: number, side: number, steps: number): string {
  const place = (i: number) =>
    [i % side, Math.floor(i / side) % side, 2 + Math.floor(i / side ** 2)].map((at) =>
      (0.1 * at).toFixed(1),
    );
  return [
    'title: falling balls',
    'world: spatial',
    'materials: {steel: {friction: 0.3}}',
    'bodies:',
    '  floor: {freedom: fixed, shapes: [{half-space: {}, material: steel}]}',
    ...Array.from({ length: count }, (_, i) => {
      const shape = '{sphere: 0.04, material: steel}';
      return `  ball-${i}: {shapes: [${shape}], position: [${place(i).join(', ')}]}`;
    }),
    `run: {step: 1 ms, duration: ${steps} ms}`,
    '',
  ].join('\n');
}

// A body that has a mass and no shape: nothing to draw.
export const shapeless = `title: a point mass
world: planar
bodies:
  point: {mass: 1, inertia: 1, position: [0, 1]}
run: {step: 1 ms, duration: 0.02 s}
`;

// Four masses below a beam: on a spring that is stretched at first, on one that is compressed, on a
// damper, and on both.
export const restLength = 0.5; // m, of all springs
export const hanging = [
  { mass: 'stretched', spring: 'long', numbers: 'stiffness: k', length: 0.8 },
  { mass: 'compressed', spring: 'short', numbers: 'stiffness: k', length: 0.3 },
  { mass: 'slow', spring: 'pot', numbers: 'damping: 20', length: 0.5 },
  { mass: 'damped', spring: 'strut', numbers: 'stiffness: k, damping: 4', length: 0.6 },
].map((one, i) => ({ ...one, x: 0.5 * i }));

export function springs(world: 'planar' | 'spatial'): string {
  const planar = world === 'planar';
  const point = (x: number, up: number) => `[${planar ? [x, up] : [x, 0, up]}]`;
  const shape = planar ? 'box: [0.2, 0.2]' : 'box: [0.2, 0.2, 0.2]';
  return [
    'title: masses on springs',
    `world: ${world}`,
    'parameters: {k: 100}',
    'bodies:',
    `  beam: {freedom: fixed, shapes: [{box: [2, ${planar ? '0.1' : '0.2, 0.1'}]}], ` +
      `position: ${point(0.75, 0.05)}}`,
    ...hanging.map(({ mass, length, x }) =>
      `  ${mass}: {shapes: [{${shape}}], mass: 1, position: ${point(x, -0.1 - length)}}`),
    'springs:',
    ...hanging.map(({ mass, spring, numbers, x }) =>
      `  ${spring}: {between: [beam, ${mass}], at: [${point(x - 0.75, -0.05)}, ${point(0, 0.1)}], ` +
      `${numbers}, length: ${restLength}}`),
    'run: {step: 1 ms, duration: 0.2 s}',
    '',
  ].join('\n');
}

// A ball on a stand that three fingers reach after a while and hold.
export const squeezed = [
  'title: a squeezed ball',
  'world: spatial',
  'materials: {rubber: {friction: 0.6}}',
  'bodies:',
  '  stand: {freedom: fixed, shapes: [{box: [0.02, 0.02, 0.02], material: rubber}], position: [0, 0, -0.05]}',
  '  ball: {shapes: [{sphere: 0.04, material: rubber}], mass: 0.3}',
  ...[[0, 1, 0], [120, -0.5, Math.sqrt(3) / 2], [240, -0.5, -Math.sqrt(3) / 2]].map(([angle, x, y]) =>
    `  finger-${angle}: {shapes: [{sphere: 0.01, material: rubber}], mass: 0.05, ` +
    `position: [${(0.1 * x).toFixed(6)}, ${(0.1 * y).toFixed(6)}, 0], ` +
    `motion: {z: 0}, force: {x: ${(-3 * x).toFixed(6)}, y: ${(-3 * y).toFixed(6)}}}`),
  'run: {step: 2 ms, duration: 0.5 s, output-interval: 0.01}',
  '',
].join('\n');
