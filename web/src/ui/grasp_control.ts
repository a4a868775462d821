// SPDX-License-Identifier: Apache-2.0
// The grasp of a chosen body, for the frame that is shown: asked for one question at a time, answers
// are kept. While the run plays the last answer stays until the next one is there.
import type { GraspAnswer } from '../data/grasp';
import { message } from '../data/source';
import type { Viewer } from './viewer';

const mostAnswers = 2000;

export class GraspControl {
  body: number | null = null;
  answer: GraspAnswer | null = null; // of the body, in the frame that is shown or one just before
  failure = '';
  isCurrent = false; // the answer is of the shown frame
  private busy = false;
  private readonly answers = new Map<string, GraspAnswer | string | null>();

  constructor(private readonly viewer: Viewer) {
    viewer.addEventListener('time', () => this.look());
    viewer.addEventListener('change', () => this.look());
  }

  // Frames in which there is an answer about the body; null: all.
  framesOf(body: number): number[] | null {
    const known = this.viewer.store?.source.knownGrasps ?? null;
    return known && known.filter((one) => one.body === body).map(({ frame }) => frame);
  }

  // Whether anything can be told of the body.
  isPossible(body: number): boolean {
    const bodies = this.viewer.description?.bodies;
    return bodies?.[body]?.freedom !== 'fixed' && this.framesOf(body)?.length !== 0;
  }

  show(body: number | null): void {
    this.body = body;
    this.answer = null;
    this.failure = '';
    this.look();
    this.publish();
  }

  // A page that carries answers shows the first of them.
  opened(): void {
    this.answers.clear();
    this.show(null);
    const first = this.viewer.store?.source.knownGrasps?.find(({ body }) => body >= 0);
    if (!first) return;
    this.viewer.seek(this.viewer.store!.timeOf(first.frame));
    this.show(first.body);
  }

  // Asks about the frame that is shown now, and waits for the answer.
  async settle(): Promise<void> {
    const { viewer, body } = this;
    const index = viewer.frame?.index;
    if (body === null || index === undefined || viewer.pose.posing) return;
    const key = `${viewer.active} ${index} ${body}`;
    if (!this.answers.has(key)) await this.ask(key, index, body);
    this.look();
  }

  private publish(): void {
    const { viewer, body, answer } = this;
    const shown = viewer.options.grasp;
    const next = body === null ? null : { body, answer };
    if (shown?.body !== next?.body || shown?.answer !== next?.answer) viewer.set({ grasp: next });
    else viewer.announce('change');
  }

  private look(): void {
    const { viewer, body } = this;
    const index = viewer.frame?.index;
    if (body === null || index === undefined || viewer.pose.posing) return;
    const key = `${viewer.active} ${index} ${body}`;
    const known = this.answers.get(key);
    if (known !== undefined) this.take(known);
    else {
      this.isCurrent = false;
      if (!viewer.player.playing && this.answer) this.take(null, false);
      if (!this.busy) void this.ask(key, index, body);
    }
  }

  private take(known: GraspAnswer | string | null, isCurrent = true): void {
    const answer = typeof known === 'object' ? known : null;
    const failure = typeof known === 'string' ? known : '';
    if (answer === this.answer && failure === this.failure && isCurrent === this.isCurrent) return;
    this.answer = answer;
    this.failure = failure;
    this.isCurrent = isCurrent;
    this.publish();
  }

  private async ask(key: string, frame: number, body: number): Promise<void> {
    const source = this.viewer.store!.source;
    this.busy = true;
    try {
      this.answers.set(key, await source.grasp(frame, body));
    } catch (error) {
      this.answers.set(key, message(error));
    }
    this.busy = false;
    if (this.answers.size > mostAnswers) this.answers.delete(this.answers.keys().next().value!);
    const known = this.answers.get(key);
    if (body === this.body && source === this.viewer.store?.source && known) this.take(known, false);
    this.look();
  }
}
