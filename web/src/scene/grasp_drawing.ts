// SPDX-License-Identifier: Apache-2.0
// What a grasp resists least, at the centre of the body that is held: the force from outside as an
// arrow, the torque as an arrow around its axis. Both are shares of one wrench of unit size, torques
// divided by the grasp's length. Of an open grasp it is a wrench that nothing resists.
import { Group } from 'three';

import type { GraspAnswer, Wrench } from '../data/grasp';
import type { Theme } from '../palette';
import { graspColours, themeColours } from './appearance';
import { arcMatrix } from './contact_drawing';
import { arrowFigure } from './contact_materials';
import { FigureBatch, SolidBatch } from './figure_batch';
import type { PixelUniforms } from './materials';
import { arcGeometry } from './shape_geometry';

const order = 24; // over the cones and forces of contacts
const arrowLength = 2.4; // reference lengths of a force without torque
const smallest = 0.03; // shares below it are not drawn

// From outside, against which the contacts can do least; null where there is no such direction.
export function weakestWrench(answer: GraspAnswer): Wrench | null {
  const against = answer.closed ? answer.sum.weakest : answer.unresisted;
  if (!against || !against.some((value) => value !== 0)) return null;
  return against.map((value) => (value === 0 ? 0 : -value)) as Wrench;
}

// Shares of force and torque in a wrench of unit size.
export function wrenchShares(wrench: Wrench, length: number): { force: number[]; torque: number[] } {
  const torque = wrench.slice(3).map((value) => (length > 0 ? value / length : 0));
  const force = wrench.slice(0, 3);
  const size = Math.hypot(...force, ...torque) || 1;
  return { force: force.map((value) => value / size), torque: torque.map((value) => value / size) };
}

export class GraspDrawing {
  readonly group = new Group();
  private readonly arrows: FigureBatch;
  private readonly arcs: SolidBatch;

  constructor(pixels: PixelUniforms) {
    this.arrows = new FigureBatch(arrowFigure, pixels, order);
    this.arcs = new SolidBatch(arcGeometry(48), pixels, order, 2);
    this.group.add(this.arrows.group, this.arcs.group);
  }

  update(answer: GraspAnswer | null, reference: number, theme: Theme): void {
    const wrench = answer && reference > 0 ? weakestWrench(answer) : null;
    if (!answer || !wrench) {
      this.arrows.finish(0);
      this.arcs.finish(0);
      return;
    }
    const { force, torque } = wrenchShares(wrench, answer.length);
    const colour = graspColours[theme][answer.closed ? 'closed' : 'open'];
    const { columns } = this.arrows;
    const pushes = Math.hypot(...force) > smallest;
    answer.center.forEach((value, k) => {
      columns.origin[k] = value;
      columns.force[k] = arrowLength * reference * force[k];
    });
    colour.toArray(columns.colour, 0);
    columns.kind[0] = 0;
    this.arrows.finish(Number(pushes));
    const turn = Math.hypot(...torque);
    this.arcs.reserve(1);
    if (turn > smallest) {
      const radius = reference * (0.35 + 0.45 * turn);
      arcMatrix(torque.map((value) => value / turn), answer.center, radius, this.arcs.matrices, 0);
      this.arcs.paintInstance(0, colour);
    }
    this.arcs.finish(Number(turn > smallest));
    this.arrows.paint(themeColours[theme].background, null);
  }

  dispose(): void {
    this.arrows.dispose();
    this.arcs.dispose();
    this.group.removeFromParent();
  }
}
