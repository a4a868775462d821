// SPDX-License-Identifier: Apache-2.0
// Lets a component be rendered again when the model announces something.
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { StudyEvent, StudyModel } from './model';

export class Follow implements ReactiveController {
  private readonly update: () => void;

  constructor(host: ReactiveControllerHost, private readonly model: () => StudyModel,
              private readonly events: StudyEvent[] = ['data', 'change']) {
    this.update = () => host.requestUpdate();
    host.addController(this);
  }

  hostConnected(): void {
    for (const event of this.events) this.model().addEventListener(event, this.update);
  }

  hostDisconnected(): void {
    for (const event of this.events) this.model().removeEventListener(event, this.update);
  }
}
