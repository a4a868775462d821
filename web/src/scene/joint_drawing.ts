// SPDX-License-Identifier: Apache-2.0
// The joints of a run's frame: axis, kind, limits and coordinate of each (joint_looks.ts), the effort of
// its motor as an arrow, and a dot where it is. All over the bodies, which joints lie within.
import { type Color, Group, Matrix4, Quaternion, Vector3 } from 'three';

import { isTurning, jointLayout, jointNumbers, rateCount } from '../data/joints';
import type { Frame, JointJson, ModelJson } from '../data/types';
import type { Theme } from '../palette';
import { jointColours, themeColours } from './appearance';
import { markFigure, markFigures } from './contact_materials';
import { type ElementStyle, isShown } from './element_drawing';
import { FigureBatch } from './figure_batch';
import { drawAxis, drawBar, drawDial, drawRing, drawShiftingEffort, drawSquare, drawThread,
  drawTurningEffort, type Ink } from './joint_looks';
import { coordinatesOf, type Place, placeOf, readCoordinates } from './joint_motion';
import { lineFigure } from './line_figure';
import { LinePen } from './line_pen';
import type { PixelUniforms } from './materials';
import { largestLength } from './shapes';

export interface JointStyle extends ElementStyle {
  joints: boolean;
  selectedJoint: number | null;
}

const order = 8; // over the bodies and elements, below the contacts
const dotRadius = 2.6; // pixels
const widths = { axis: 1.4, range: 1.4, hand: 2.4, stop: 2.8, effort: 2.2 }; // pixels

// Largest efforts of motors that were seen, by which arrows are scaled.
export interface EffortScale {
  turning: number; // N m
  shifting: number; // N
}

export class JointDrawing {
  readonly group = new Group();
  points = new Float32Array(0); // 3 a joint, m; NaN where it is not drawn
  private readonly joints: JointJson[];
  private readonly frames: [Place, Place][];
  private readonly sizes: number[];
  private readonly hands: number[]; // angle of the hand of a dial against x of frame B
  private readonly lines: FigureBatch;
  private readonly dots: FigureBatch;
  private readonly pen: LinePen;
  private readonly ink: Ink;
  private theme: Theme = 'light';
  private isSelected = false;
  private dotCount = 0;
  private readonly a: Place = { p: new Vector3(), r: new Quaternion() };
  private readonly b: Place = { p: new Vector3(), r: new Quaternion() };

  // `radii`: of the bodies, m; 0 of those without bounded shapes.
  constructor(private readonly model: ModelJson, radii: Float64Array, planar: boolean,
              pixels: PixelUniforms, readonly scale: EffortScale) {
    this.joints = model.joints ?? [];
    this.frames = this.joints.map(({ frames }) => [placeOf(frames[0]), placeOf(frames[1])]);
    this.sizes = jointSizes(this.joints, radii);
    this.hands = this.joints.map(({ bodies }, j) => handAngle(model, bodies[1], this.frames[j][1]));
    this.points = new Float32Array(3 * this.joints.length);
    this.pen = new LinePen(!planar);
    this.ink = { pen: this.pen, use: (part) => this.use(part), size: 1, planar,
                 sides: this.joints.length > 200 ? 12 : 36 };
    this.lines = new FigureBatch(lineFigure, pixels, order);
    this.dots = new FigureBatch(markFigure, pixels, order + 1);
    this.dots.reserve(2 * this.joints.length);
    this.group.add(this.lines.group, this.dots.group);
  }

  private use(part: keyof typeof widths): void {
    const colours = jointColours[this.theme];
    this.pen.width = widths[part] + (this.isSelected ? 1 : 0);
    if (part === 'effort' || part === 'stop') this.pen.colour.copy(colours[part]);
    else this.pen.colour.copy(this.isSelected ? themeColours[this.theme].accent : colours.joint);
  }

  // Efforts of a frame that may not be drawn.
  observe(frame: Frame): void {
    const numbers = jointNumbers(frame, this.model);
    if (!numbers) return;
    const layout = jointLayout(this.model);
    this.joints.forEach(({ kind }, j) => {
      for (let k = 0; k < rateCount(kind); ++k) {
        const effort = Math.abs(numbers[layout.joints[j].motor + k]);
        const unit = isTurning(kind, k) ? 'turning' : 'shifting';
        if (effort < Infinity) this.scale[unit] = Math.max(this.scale[unit], effort);
      }
    });
  }

  update(transforms: Float64Array, frame: Frame, style: JointStyle): void {
    this.theme = style.theme;
    this.group.visible = style.joints && !style.ghost;
    this.points.fill(NaN);
    if (!this.group.visible) return;
    this.draw(transforms, frame, style);
    if (this.pen.count > this.pen.room) {
      this.lines.reserve(this.pen.count);
      this.draw(transforms, frame, style);
    }
    this.lines.finish(this.pen.count);
    this.dots.finish(this.dotCount);
    const { background } = themeColours[style.theme];
    this.lines.paint(background, null);
    this.dots.paint(background, null);
  }

  private draw(transforms: Float64Array, frame: Frame, style: JointStyle): void {
    this.pen.begin(this.lines.columns);
    this.dotCount = 0;
    const numbers = jointNumbers(frame, this.model);
    const layout = jointLayout(this.model);
    this.joints.forEach((joint, j) => {
      const [a, b] = joint.bodies;
      if (!isShown(a, b, style) || !this.takeFrames(j, transforms)) return;
      const columns = layout.joints[j];
      const q = this.coordinates(joint, numbers?.subarray(columns.position));
      const motor = numbers?.subarray(columns.motor, columns.motor + rateCount(joint.kind));
      this.isSelected = style.selectedJoint === j;
      this.ink.size = this.sizes[j];
      this.joint(joint, q, motor ?? null, this.hands[j]);
      this.b.p.toArray(this.points, 3 * j);
      this.dot();
    });
  }

  // As the bodies stand, which poses by hand change; turns are counted as recorded.
  private coordinates(joint: JointJson, recorded: ArrayLike<number> | undefined): number[] {
    const back = this.a.r.clone().conjugate();
    const relative = { p: this.b.p.clone().sub(this.a.p).applyQuaternion(back), r: back.multiply(this.b.r) };
    return readCoordinates(joint.kind, relative,
        recorded ? coordinatesOf(joint.kind, recorded) : [0, 0, 0]);
  }

  // Both frames of a joint in the world; false where a pose is damaged.
  private takeFrames(j: number, transforms: Float64Array): boolean {
    [this.a, this.b].forEach((place, k) => {
      const body = this.joints[j].bodies[k];
      const { p, r } = this.frames[j][k];
      place.p.copy(p);
      place.r.copy(r);
      if (body < 0) return;
      const t = transforms.subarray(12 * body, 12 * body + 12);
      bodyRotation.setFromRotationMatrix(bodyMatrix.set(
        t[0], t[3], t[6], 0, t[1], t[4], t[7], 0, t[2], t[5], t[8], 0, 0, 0, 0, 1));
      place.p.applyQuaternion(bodyRotation);
      place.p.x += t[9];
      place.p.y += t[10];
      place.p.z += t[11];
      place.r.premultiply(bodyRotation);
      if (t.every((number) => number === 0)) place.p.setX(NaN);
    });
    return Math.abs(this.b.p.x) + Math.abs(this.b.p.y) + Math.abs(this.b.p.z) +
        Math.abs(this.a.p.x) < largestLength;
  }

  // The pen's frame: at a point, along an axis, with the direction that angles are counted from.
  private hold(at: Vector3, axis: Vector3, side: Vector3): void {
    const { pen } = this;
    pen.origin.copy(at);
    pen.axis.copy(axis);
    pen.side.copy(side);
    pen.up.crossVectors(axis, side);
  }

  private joint(joint: JointJson, q: number[], motor: ArrayLike<number> | null, hand: number): void {
    const { a, b, ink } = this;
    const { kind, freedoms } = joint;
    const [x, y, z] = axesOf(a.r);
    x.multiplyScalar(Math.cos(hand)).addScaledVector(y, Math.sin(hand));
    const share = (k: number): number => (motor ? motor[k] : 0) /
        (isTurning(kind, k) ? this.scale.turning : this.scale.shifting);
    this.hold(a.p, z, x);
    switch (kind) {
      case 'fixed': return drawSquare({ ...ink, size: 0.6 * ink.size });
      case 'ball': return this.ball(motor);
      case 'prismatic':
        drawBar(ink, q[0], freedoms[0]);
        return drawShiftingEffort(ink, q[0], share(0));
      case 'screw': drawThread(ink); break;
      case 'cylindrical':
        drawBar(ink, q[1], freedoms[1]);
        drawShiftingEffort(ink, q[1], share(1));
        break;
      case 'planar':
        drawSquare(ink);
        this.hold(b.p, z, x);
        drawDial(ink, 0, q[2], freedoms[2]);
        return drawTurningEffort(ink, 0, share(2));
    }
    this.hold(b.p, z, x);
    drawAxis(ink);
    drawDial(ink, 0, q[0], freedoms[0]);
    drawTurningEffort(ink, 0, share(0));
    if (kind !== 'universal') return;
    const second = axesOf(b.r)[0];
    this.hold(b.p, second, z.sub(second.clone().multiplyScalar(z.dot(second))).normalize());
    drawAxis(ink);
    drawDial({ ...ink, size: 0.75 * ink.size }, 0, q[1], freedoms[1]);
    drawTurningEffort({ ...ink, size: 0.75 * ink.size }, 0, share(1));
  }

  private ball(motor: ArrayLike<number> | null): void {
    const axes = axesOf(this.b.r);
    axes.forEach((axis, k) => {
      this.hold(this.b.p, axis, axes[(k + 1) % 3]);
      drawRing(this.ink, 0.6 * this.ink.size);
      if (motor && this.scale.turning > 0)
        drawTurningEffort({ ...this.ink, size: 0.6 * this.ink.size }, 0, motor[k] / this.scale.turning);
    });
  }

  private dot(): void {
    const put = (figure: number, radius: number, ink: Color): void => {
      const i = this.dotCount++;
      const { origin, colour, look } = this.dots.columns;
      this.b.p.toArray(origin, 3 * i);
      ink.toArray(colour, 3 * i);
      look[2 * i] = figure;
      look[2 * i + 1] = radius;
    };
    if (this.isSelected) put(markFigures.selected, 8, themeColours[this.theme].accent);
    put(markFigures.sticking, dotRadius, jointColours[this.theme].joint);
  }

  dispose(): void {
    this.lines.dispose();
    this.dots.dispose();
    this.group.removeFromParent();
  }
}

const bodyMatrix = new Matrix4();
const bodyRotation = new Quaternion();

function axesOf(r: Quaternion): [Vector3, Vector3, Vector3] {
  return [new Vector3(1, 0, 0).applyQuaternion(r), new Vector3(0, 1, 0).applyQuaternion(r),
          new Vector3(0, 0, 1).applyQuaternion(r)];
}

// Dials point with their hand at the middle of the second body, where that is off the axis.
function handAngle(model: ModelJson, body: number, frame: Place): number {
  const center = model.bodies[body]?.center;
  if (!center) return 0;
  const at = new Vector3(...center).sub(frame.p).applyQuaternion(frame.r.clone().conjugate());
  return Math.hypot(at.x, at.y) > 0.05 * at.length() ? Math.atan2(at.y, at.x) : 0;
}

// As the smaller of the two bodies, but not much unlike the others of the scene.
function jointSizes(joints: readonly JointJson[], radii: Float64Array): number[] {
  const own = joints.map(({ bodies }) => {
    const sizes = bodies.map((body) => radii[body]).filter((radius) => radius > 0);
    return sizes.length > 0 ? 0.45 * Math.min(...sizes) : 0;
  });
  const known = own.filter((size) => size > 0).sort((x, y) => x - y);
  const typical = known[Math.floor(known.length / 2)] ?? 0.05;
  return own.map((size) => Math.min(Math.max(size, 0.5 * typical), 1.5 * typical));
}
