// SPDX-License-Identifier: Apache-2.0
// Posing by hand: while it is on, the active run's frame is drawn as it was posed. The recording stays
// as it is, and so does the pose until the clock goes on to another frame.
import { noContacts } from '../data/block_builder';
import { jointLayout, positionCount, rateCount } from '../data/joints';
import type { Frame, ModelJson } from '../data/types';
import { Posing } from '../scene/posing';
import { jointPlace } from '../scene/joint_motion';
import { poseYaml } from './pose_yaml';
import type { Viewer } from './viewer';

export class PoseControl {
  posing: Posing | null = null;
  private run = 0;
  private recorded: Frame | null = null;
  private model: ModelJson | null = null;

  constructor(private readonly viewer: Viewer) {
    viewer.addEventListener('time', () => this.look());
    viewer.addEventListener('change', () => this.look());
  }

  get possible(): boolean {
    return this.viewer.frame !== null && (this.viewer.model?.joints?.length ?? 0) > 0;
  }

  begin(): void {
    const { viewer } = this;
    const { frame, model } = viewer;
    if (!frame || !model || this.posing) return;
    viewer.player.pause();
    this.run = viewer.active;
    this.recorded = frame;
    this.model = model;
    this.posing = new Posing(model, frame);
    this.show();
  }

  end(): void {
    if (!this.posing) return;
    const { recorded } = this;
    this.posing = this.recorded = this.model = null;
    if (recorded && this.viewer.frames[this.run]?.index === recorded.index)
      this.viewer.setFrame(this.run, recorded);
    this.viewer.announce('change');
  }

  toggle(): void {
    if (this.posing) this.end();
    else this.begin();
  }

  move(coordinate: number, value: number): void {
    this.posing?.set(coordinate, value);
    this.show();
  }

  reset(): void {
    this.posing?.reset();
    this.show();
  }

  yaml(): string {
    return this.posing && this.model ? poseYaml(this.model, this.posing) : '';
  }

  // Ends when the clock is at another frame, or another run is looked at.
  private look(): void {
    if (!this.posing) return;
    const { viewer } = this;
    const shown = viewer.frames[this.run];
    if (viewer.player.playing || viewer.active !== this.run || shown?.index !== this.recorded?.index) this.end();
    else if (shown !== this.posed) this.show();
  }

  private posed: Frame | null = null;

  // Nothing moves or touches in a pose: velocities, efforts and contacts are those of no step.
  private show(): void {
    const { posing, recorded, model } = this;
    if (!posing || !recorded || !model) return;
    this.posed = {
      ...recorded, poses: posing.poses.slice(), velocities: new Float32Array(recorded.velocities.length),
      contacts: noContacts(), joints: posedNumbers(model, posing),
    };
    this.viewer.setFrame(this.run, this.posed);
    this.viewer.announce('change');
  }
}

// The numbers of joints in a pose, as a frame has them: coordinates, and zeros.
function posedNumbers(model: ModelJson, posing: Posing): Float32Array {
  const layout = jointLayout(model);
  const numbers = new Float32Array(layout.width);
  model.joints?.forEach((joint, j) => {
    const q = posing.valuesOf(j);
    const at = layout.joints[j].position;
    if (positionCount(joint.kind) === rateCount(joint.kind)) numbers.set(q, at);
    else {
      const { w, x, y, z } = jointPlace(joint, q).r;
      numbers.set([w, x, y, z], at);
    }
  });
  return numbers;
}
