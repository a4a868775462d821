// SPDX-License-Identifier: Apache-2.0
// The contacts of a run's frame: at each point a mark, the normal force and the friction force on
// body b as arrows, its moment as an arrow around, the friction cone if wanted; at support points a
// disk of radius μ·normal force.
import { Color, Group } from 'three';

import type { ContactKey, Contacts } from '../data/types';
import type { Theme } from '../palette';
import { arrowColours, themeColours } from './appearance';
import { arrowFigure, markFigure, markFigures } from './contact_materials';
import { type ContactState, contactState, isSupport, tangentialSize } from './contact_state';
import { FigureBatch, SolidBatch } from './figure_batch';
import type { PixelUniforms } from './materials';
import { longestArrow } from './scales';
import { arcGeometry, coneGeometry, diskGeometry, wedgeGeometry } from './shape_geometry';

export interface ContactStyle {
  theme: Theme;
  cones: boolean;
  planar: boolean;
  stepSize: number; // s
  metresPerNewton: number; // of arrows
  reference: number; // m: the length that cones have and arrows keep to
  hidden: ReadonlySet<number>; // bodies
  solo: number | null;
  selected: ContactKey | null;
  object: number | null; // a body whose grasp is shown: its contacts as cones with their force
}

const states: readonly ContactState[] = ['sticking', 'sliding', 'open'];
const coneOrder = 10;
const arrowOrder = 20;
const markOrder = 30;
// Beyond so many, marks are smaller, and in space those deep inside a pile are hidden.
const manyContacts = 300;
const arcRadius = 0.3; // reference lengths
const coneLength = { planar: 1.3, spatial: 0.8 }; // reference lengths

interface StateColours {
  normal: Color;
  friction: Color;
}

export class ContactDrawing {
  readonly group = new Group();
  points = new Float32Array(0); // 3 a drawn contact, m
  rows = new Int32Array(0); // in the frame, of each drawn contact
  count = 0; // drawn contacts
  private readonly marks: FigureBatch;
  private readonly arrows: FigureBatch;
  private readonly cones: SolidBatch;
  private readonly wedges: SolidBatch;
  private readonly disks: SolidBatch;
  private readonly arcs: SolidBatch;
  private readonly colours: Record<Theme, Record<ContactState, StateColours>>;
  private readonly vector = [0, 0, 0]; // of the arrow at hand, m
  private arrowCount = 0;
  private coneCount = 0;
  private wedgeCount = 0;
  private diskCount = 0;
  private arcCount = 0;

  constructor(pixels: PixelUniforms) {
    this.cones = new SolidBatch(coneGeometry(24), pixels, coneOrder, 0.4);
    this.wedges = new SolidBatch(wedgeGeometry(), pixels, coneOrder, 0.8);
    this.disks = new SolidBatch(diskGeometry(48, false), pixels, coneOrder, 0.8);
    this.arcs = new SolidBatch(arcGeometry(36), pixels, arrowOrder, 2);
    this.arrows = new FigureBatch(arrowFigure, pixels, arrowOrder);
    this.marks = new FigureBatch(markFigure, pixels, markOrder);
    for (const batch of this.batches()) this.group.add(batch.group);
    const palette = (theme: Theme): Record<ContactState, StateColours> =>
      Object.fromEntries(states.map((state) => [state, arrowColours(state, theme)])) as never;
    this.colours = { light: palette('light'), dark: palette('dark') };
  }

  update(contacts: Contacts, style: ContactStyle): void {
    this.reserve(contacts, style);
    this.count = this.arrowCount = this.coneCount = this.wedgeCount = this.diskCount = 0;
    this.arcCount = 0;
    const crowded = contacts.count > manyContacts;
    const size = crowded ? Math.max(0.5, Math.sqrt(manyContacts / contacts.count)) : 1;
    let marked = 0;
    for (let row = 0; row < contacts.count; ++row) {
      if (!this.isShown(contacts, row, style)) continue;
      this.place(contacts, row);
      const state = contactState(contacts, row);
      const colours = this.colours[style.theme][state];
      if (style.selected && sameKey(contacts, row, style.selected))
        this.mark(marked++, markFigures.selected, 9, themeColours[style.theme].accent);
      this.mark(marked++, markFigures[state], size * (state === 'open' ? 2 : 3.6), colours.normal);
      if (state !== 'open') {
        if (style.object === null) this.forces(contacts, row, state, style);
        else if (isOf(contacts, row, style.object, style.planar))
          this.grasping(contacts, row, state, style);
      }
      this.count += 1;
    }
    this.marks.finish(marked);
    this.arrows.finish(this.arrowCount);
    this.cones.finish(this.coneCount);
    this.wedges.finish(this.wedgeCount);
    this.disks.finish(this.diskCount);
    this.arcs.finish(this.arcCount);
    const { background } = themeColours[style.theme];
    const nearer = crowded && !style.planar ? 1.5 * style.reference : null;
    this.marks.paint(background, nearer);
    this.arrows.paint(background, nearer);
  }

  private reserve(contacts: Contacts, style: ContactStyle): void {
    const { count } = contacts;
    this.marks.reserve(count + 1);
    this.arrows.reserve(2 * count);
    if (style.planar) this.disks.reserve(count);
    if (contacts.moment.some((value) => value !== 0)) this.arcs.reserve(count);
    if (style.cones || style.object !== null) (style.planar ? this.wedges : this.cones).reserve(count);
    if (this.rows.length >= count) return;
    this.rows = new Int32Array(2 * count);
    this.points = new Float32Array(6 * count);
  }

  private isShown(contacts: Contacts, row: number, style: ContactStyle): boolean {
    const a = contacts.bodies[2 * row];
    const b = contacts.bodies[2 * row + 1];
    const wanted =
      style.solo === null
        ? !style.hidden.has(a) && !style.hidden.has(b)
        : style.solo === a || style.solo === b;
    const { pointA, pointB, normal } = contacts;
    let sum = contacts.impulse[3 * row];
    for (let i = 3 * row; i < 3 * row + 3; ++i) sum += pointA[i] + pointB[i] + normal[i];
    return wanted && Number.isFinite(sum);
  }

  // The point is midway between those on the two bodies.
  private place(contacts: Contacts, row: number): void {
    for (let k = 0; k < 3; ++k)
      this.points[3 * this.count + k] =
        0.5 * (contacts.pointA[3 * row + k] + contacts.pointB[3 * row + k]);
    this.rows[this.count] = row;
  }

  private mark(i: number, figure: number, radius: number, colour: Color): void {
    const { origin, colour: colours, look } = this.marks.columns;
    for (let k = 0; k < 3; ++k) origin[3 * i + k] = this.points[3 * this.count + k];
    colour.toArray(colours, 3 * i);
    look[2 * i] = figure;
    look[2 * i + 1] = radius;
  }

  // Both arrows of a contact are cut by the same factor, so that their ratio stays true.
  private forces(contacts: Contacts, row: number, state: ContactState, style: ContactStyle): void {
    const { impulse, normal, tangent1, tangent2, friction } = contacts;
    const colours = this.colours[style.theme][state];
    const scale = style.metresPerNewton / style.stepSize;
    const longest = Math.max(impulse[3 * row], tangentialSize(impulse, row));
    const limit = longestArrow * style.reference;
    const cut = longest * scale > limit;
    const size = cut ? limit / longest : scale;
    const support = isSupport(contacts, row, style.planar);
    const kind = (state === 'sliding' ? 1 : 0) + (cut ? 2 : 0);
    for (let k = 0; k < 3; ++k) this.vector[k] = size * impulse[3 * row] * normal[3 * row + k];
    if (support) this.disk(size * friction[row] * impulse[3 * row], colours.normal);
    else this.arrow(kind, colours.normal);
    for (let k = 0; k < 3; ++k)
      this.vector[k] =
        size *
        (impulse[3 * row + 1] * tangent1[3 * row + k] +
          impulse[3 * row + 2] * tangent2[3 * row + k]);
    this.arrow(kind, colours.friction);
    if (style.cones && !support) this.cone(contacts, row, colours.normal, style);
    this.arc(contacts, row, colours.friction, style);
  }

  // A cone into the body that is held, and the whole force on it, which lies within.
  private grasping(contacts: Contacts, row: number, state: ContactState, style: ContactStyle): void {
    const { impulse, normal, tangent1, tangent2 } = contacts;
    const colours = this.colours[style.theme][state];
    const into = contacts.bodies[2 * row] === style.object ? -1 : 1;
    for (let k = 0; k < 3; ++k)
      this.vector[k] =
        into *
        (impulse[3 * row] * normal[3 * row + k] +
          impulse[3 * row + 1] * tangent1[3 * row + k] +
          impulse[3 * row + 2] * tangent2[3 * row + k]);
    const scale = style.metresPerNewton / style.stepSize;
    const cut = Math.hypot(...this.vector) * scale > longestArrow * style.reference;
    const size = cut ? (longestArrow * style.reference) / Math.hypot(...this.vector) : scale;
    for (let k = 0; k < 3; ++k) this.vector[k] *= size;
    this.arrow((state === 'sliding' ? 1 : 0) + (cut ? 2 : 0), colours.friction);
    this.cone(contacts, row, colours.normal, style, into);
    this.arc(contacts, row, colours.friction, style);
  }

  // Around the axis of the moment on body b, all of one size: numbers are in the contact's panel.
  private arc(contacts: Contacts, row: number, colour: Color, style: ContactStyle): void {
    const { moment, normal, tangent1, tangent2 } = contacts;
    const axis = [0, 1, 2].map((k) => moment[3 * row] * normal[3 * row + k] +
      moment[3 * row + 1] * tangent1[3 * row + k] + moment[3 * row + 2] * tangent2[3 * row + k]);
    const length = Math.hypot(...axis);
    if (!(length > 0 && length < Infinity)) return;
    const i = this.arcCount++;
    const at = this.points.subarray(3 * this.count, 3 * this.count + 3);
    arcMatrix(axis.map((value) => value / length), at, arcRadius * style.reference, this.arcs.matrices, i);
    this.arcs.paintInstance(i, colour);
  }

  // From the present point along `vector`. An arrow without length draws nothing.
  private arrow(kind: number, colour: Color): void {
    const [x, y, z] = this.vector;
    if (!(x * x + y * y + z * z > 0)) return;
    const i = this.arrowCount++;
    const { origin, force, colour: colours, kind: kinds } = this.arrows.columns;
    for (let k = 0; k < 3; ++k) {
      origin[3 * i + k] = this.points[3 * this.count + k];
      force[3 * i + k] = this.vector[k];
    }
    colour.toArray(colours, 3 * i);
    kinds[i] = kind;
  }

  private disk(radius: number, colour: Color): void {
    if (!(radius > 0)) return;
    const i = this.diskCount++;
    const m = this.disks.matrices;
    m.fill(0, 16 * i, 16 * i + 16);
    m[16 * i] = m[16 * i + 5] = radius;
    m[16 * i + 10] = m[16 * i + 15] = 1;
    for (let k = 0; k < 2; ++k) m[16 * i + 12 + k] = this.points[3 * this.count + k];
    this.disks.paintInstance(i, colour);
  }

  // An ellipse where friction has an axis. Its longest sides have one length, so that a wide cone is not larger than a narrow one.
  private cone(
    contacts: Contacts,
    row: number,
    colour: Color,
    style: ContactStyle,
    into = 1,
  ): void {
    const first = contacts.friction[row];
    const second = contacts.friction2[row];
    const mu = Math.max(first, second);
    if (!(mu > 0 && mu < Infinity)) return;
    const batch = style.planar ? this.wedges : this.cones;
    const i = style.planar ? this.wedgeCount++ : this.coneCount++;
    const side = style.reference * (style.planar ? coneLength.planar : coneLength.spatial);
    const height = side / Math.sqrt(1 + mu * mu);
    const m = batch.matrices;
    const { tangent1, tangent2, normal } = contacts;
    for (let k = 0; k < 3; ++k) {
      m[16 * i + k] = first * height * tangent1[3 * row + k];
      m[16 * i + 4 + k] = second * height * (style.planar ? 0 : tangent2[3 * row + k]);
      m[16 * i + 8 + k] = into * height * normal[3 * row + k];
      m[16 * i + 12 + k] = this.points[3 * this.count + k];
      m[16 * i + 4 * k + 3] = 0;
    }
    m[16 * i + 15] = 1;
    batch.paintInstance(i, colour);
  }

  private batches(): (FigureBatch | SolidBatch)[] {
    return [this.cones, this.wedges, this.disks, this.arcs, this.arrows, this.marks];
  }

  dispose(): void {
    for (const batch of this.batches()) batch.dispose();
    this.group.removeFromParent();
  }
}

// Whether a body that is held is one of the two; supports on a table do not hold.
function isOf(contacts: Contacts, row: number, body: number, planar: boolean): boolean {
  const [a, b] = [contacts.bodies[2 * row], contacts.bodies[2 * row + 1]];
  return a !== b && (a === body || b === body) && !isSupport(contacts, row, planar);
}

// Places an arc about an axis of length 1, as instance i.
export function arcMatrix(
  [x, y, z]: readonly number[],
  at: ArrayLike<number>,
  radius: number,
  m: Float32Array,
  i: number,
): void {
  // Two directions at right angles to it and to each other.
  const across = Math.abs(x) < 0.6 ? [0, z, -y] : [-z, 0, x];
  const size = Math.hypot(...across);
  const [u, v, w] = across.map((value) => value / size);
  const columns = [u, v, w, y * w - z * v, z * u - x * w, x * v - y * u, x, y, z];
  for (let k = 0; k < 3; ++k) {
    for (let c = 0; c < 3; ++c) m[16 * i + 4 * c + k] = radius * columns[3 * c + k];
    m[16 * i + 12 + k] = at[k];
    m[16 * i + 4 * k + 3] = 0;
  }
  m[16 * i + 15] = 1;
}

export function sameKey(contacts: Contacts, row: number, key: ContactKey): boolean {
  for (let k = 0; k < 4; ++k) if (contacts.key[4 * row + k] !== key[k]) return false;
  return true;
}
