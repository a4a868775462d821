// SPDX-License-Identifier: Apache-2.0
// Lets a component be rendered again when the viewer announces something.
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Viewer, ViewerEvent } from './viewer';

export class Watch implements ReactiveController {
  private readonly update: () => void;

  constructor(host: ReactiveControllerHost, private readonly viewer: () => Viewer,
              private readonly events: ViewerEvent[], action?: (event: ViewerEvent) => void) {
    this.update = () => host.requestUpdate();
    if (action) this.listener = (event) => action(event.type as ViewerEvent);
    else this.listener = this.update;
    host.addController(this);
  }

  private readonly listener: (event: Event) => void;

  hostConnected(): void {
    for (const event of this.events) this.viewer().addEventListener(event, this.listener);
  }

  hostDisconnected(): void {
    for (const event of this.events) this.viewer().removeEventListener(event, this.listener);
  }
}
