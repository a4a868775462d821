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

const looks = new Map<string, ElementLook>();

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
