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
