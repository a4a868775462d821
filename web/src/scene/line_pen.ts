// SPDX-License-Identifier: Apache-2.0
// Draws lines in a frame of its own: x along an axis, y and z across.
import { Color, Vector3 } from 'three';

import type { Pen } from './elements';

// Writes pieces of lines; beyond the room it has it counts them only.
export class LinePen implements Pen {
  count = 0;
  room = 0;
  width = 1; // pixels
  readonly colour = new Color();
  readonly origin = new Vector3();
  readonly axis = new Vector3();
  readonly side = new Vector3();
  readonly up = new Vector3();
  private readonly scratch = new Vector3();
  private columns: Record<string, Float32Array> = {};
  private x = 0;
  private y = 0;
  private z = 0;

  constructor(private readonly solid: boolean) {} // has a side away from the viewer

  begin(columns: Record<string, Float32Array>): void {
    this.columns = columns;
    this.room = columns.width.length;
    this.count = 0;
  }

  move(x: number, y: number, z: number): void {
    this.x = x;
    this.y = y;
    this.z = z;
  }

  line(x: number, y: number, z: number): void {
    const i = this.count++;
    if (i < this.room) {
      const { start, end, outward, colour, width } = this.columns;
      this.vector(this.x, this.y, this.z).add(this.origin).toArray(start, 3 * i);
      this.vector(x, y, z).add(this.origin).toArray(end, 3 * i);
      const half = this.solid ? 0.5 : 0;
      this.vector(0, half * (this.y + y), half * (this.z + z)).toArray(outward, 3 * i);
      this.colour.toArray(colour, 3 * i);
      width[i] = this.width;
    }
    this.move(x, y, z);
  }

  // In the world.
  private vector(x: number, y: number, z: number): Vector3 {
    const { axis, side, up } = this;
    return this.scratch
      .set(0, 0, 0)
      .addScaledVector(axis, x)
      .addScaledVector(side, y)
      .addScaledVector(up, z);
  }
}
