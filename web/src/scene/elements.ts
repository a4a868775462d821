// SPDX-License-Identifier: Apache-2.0
// How elements look: one entry per kind. A kind without an entry is a straight line.

// Draws in the frame of the element: x runs from its first anchor to the second, y and z across, m.
// In the plane z points at the viewer.
export interface Pen {
  move(x: number, y: number, z: number): void;
  line(x: number, y: number, z: number): void; // from where the pen is
}

// An element at the present time.
export interface ElementForm {
  length: number; // m, from anchor to anchor
  numbers: Readonly<Record<string, number>>; // of the element, by the names of the scene's keys
  planar: boolean;
  girth: number; // m: the smallest radius of the bodies it holds; 0: they have none
  sides: number; // of round things
}

export interface ElementLook {
  draw(pen: Pen, form: ElementForm): void;
  units: Readonly<Record<string, string>>; // of its numbers
}

const looks = new Map<string, ElementLook>([
  ['spring', { draw: drawSpring, units: { stiffness: 'N/m', damping: 'N s/m', length: 'm' } }],
]);

const straight: ElementLook = {
  draw: (pen, { length }) => {
    pen.move(0, 0, 0);
    pen.line(length, 0, 0);
  },
  units: {},
};

export function elementLook(kind: string): ElementLook {
  return looks.get(kind) ?? straight;
}

// A coil; a damper where it has no stiffness. With both, in space the damper stands in the coil, in
// the plane beside it.
function drawSpring(pen: Pen, form: ElementForm): void {
  const { length, planar, sides } = form;
  const { stiffness = 0, damping = 0, length: given = 0 } = form.numbers;
  const rest = given > 0 ? given : length;
  const radius = springRadius(given, rest, form.girth);
  const part = { length, rest, radius, windings: windingsOf(given, radius), sides, planar };
  if (!(damping > 0)) drawCoil(pen, part);
  else if (!(stiffness > 0)) drawDamper(pen, part);
  else if (planar) drawBeside(pen, part);
  else {
    drawCoil(pen, part);
    drawDamper(pen, { ...part, radius: 0.45 * radius });
  }
}

interface SpringPart {
  length: number; // m
  rest: number; // m: the length without force; where none is given, the present one
  radius: number; // m
  windings: number;
  sides: number; // of a winding
  planar: boolean;
}

// It goes with the length without force, so that it stays as it is while the spring is stretched,
// and is not thicker than the bodies that the spring holds.
function springRadius(given: number, rest: number, girth: number): number {
  const slender = 0.1 * rest;
  if (!(girth > 0)) return slender;
  return given > 0 ? Math.max(Math.min(slender, 0.5 * girth), 0.025 * rest) : 0.3 * girth;
}

// As many as lie well beside each other without force: their distance then shows the stretch.
function windingsOf(given: number, radius: number): number {
  return given > 0 ? Math.min(Math.max(Math.round((0.4 * given) / radius), 4), 12) : 6;
}

// Straight at each anchor, m.
function endOf({ length, rest }: SpringPart): number {
  return Math.min(0.1 * rest, 0.2 * length);
}

function drawCoil(pen: Pen, part: SpringPart): void {
  const { length, radius, windings, sides, planar } = part;
  const end = endOf(part);
  const coil = length - 2 * end;
  pen.move(0, 0, 0);
  pen.line(end, 0, 0);
  const steps = windings * (planar ? 2 : sides);
  for (let i = 0; i < steps; ++i) {
    const turn = ((i + 0.5) * windings) / steps;
    // In space the first and the last half winding lead from the axis to the coil.
    const away = planar ? radius : radius * Math.min(1, 2 * turn, 2 * (windings - turn));
    const angle = 2 * Math.PI * turn;
    const z = planar ? 0 : -away * Math.cos(angle);
    pen.line(end + (coil * turn) / windings, away * Math.sin(angle), z);
  }
  pen.line(end + coil, 0, 0);
  pen.line(length, 0, 0);
}

// A cup on the first anchor, a piston in it on the second. However far they are moved, the piston
// stays in the cup.
function drawDamper(pen: Pen, { length, rest, radius, sides, planar }: SpringPart): void {
  const whole = Math.min(length, rest);
  const [bottom, rim] = [0.25 * whole, 0.75 * whole];
  const piston = bottom + ((rim - bottom) * length) / Math.max(length + rest, Number.MIN_VALUE);
  const inner = 0.65 * radius;
  pen.move(0, 0, 0);
  pen.line(bottom, 0, 0);
  pen.move(length, 0, 0);
  pen.line(piston, 0, 0);
  if (planar) {
    pen.move(rim, radius, 0);
    pen.line(bottom, radius, 0);
    pen.line(bottom, -radius, 0);
    pen.line(rim, -radius, 0);
    pen.move(piston, inner, 0);
    pen.line(piston, -inner, 0);
    return;
  }
  for (const [y, z] of [[radius, 0], [0, radius], [-radius, 0], [0, -radius]]) {
    pen.move(bottom, y, z);
    pen.line(rim, y, z);
  }
  drawRing(pen, bottom, radius, sides);
  drawRing(pen, rim, radius, sides);
  drawRing(pen, piston, inner, sides);
}

function drawRing(pen: Pen, x: number, radius: number, sides: number): void {
  pen.move(x, radius, 0);
  for (let i = 1; i <= sides; ++i) {
    const angle = (2 * Math.PI * i) / sides;
    pen.line(x, radius * Math.cos(angle), radius * Math.sin(angle));
  }
}

// Coil and damper between two bars.
function drawBeside(pen: Pen, part: SpringPart): void {
  const { length, radius } = part;
  const end = endOf(part);
  const away = 0.9 * radius;
  const at = (x: number, y: number): Pen => ({
    move: (a, b, c) => pen.move(x + a, y + b, c),
    line: (a, b, c) => pen.line(x + a, y + b, c),
  });
  for (const [anchor, bar] of [[0, end], [length, length - end]]) {
    pen.move(anchor, 0, 0);
    pen.line(bar, 0, 0);
    pen.move(bar, -away, 0);
    pen.line(bar, away, 0);
  }
  const between = { ...part, length: length - 2 * end, rest: 0.8 * part.rest };
  drawCoil(at(end, away), { ...between, radius: 0.75 * radius });
  drawDamper(at(end, -away), { ...between, radius: 0.55 * radius });
}
