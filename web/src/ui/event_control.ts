// SPDX-License-Identifier: Apache-2.0
// The events of the runs: loads them, also those that come while a run is being written, and leads
// the clock from one to the next.
import { EventList, type RunEvent } from '../data/events';
import type { FrameStore } from '../data/frame_store';
import { message } from '../data/source';
import type { Viewer } from './viewer';

const mostEvents = 200_000; // kept of a run

export class EventControl {
  private readonly lists = new Map<FrameStore, EventList>();
  private readonly loading = new Set<FrameStore>();

  constructor(private readonly viewer: Viewer) {
    viewer.addEventListener('data', () => this.look());
  }

  // Of the active run; null where its stepper knows no events.
  get list(): EventList | null {
    const { store } = this.viewer;
    return (store && this.lists.get(store)) ?? null;
  }

  // Asks for what is not there yet.
  look(): void {
    for (const store of this.lists.keys()) if (!this.viewer.stores.includes(store)) this.lists.delete(store);
    for (const store of this.viewer.stores) if (store.source.description.event_driven) void this.load(store);
  }

  private async load(store: FrameStore): Promise<void> {
    const list = this.lists.get(store) ?? new EventList();
    const wanted = () => Math.min(mostEvents, store.source.description.events);
    if (this.loading.has(store) || (this.lists.has(store) && list.events.length >= wanted())) return;
    this.loading.add(store);
    const key = `events ${this.viewer.stores.indexOf(store)}`;
    try {
      do {
        const piece = await store.source.events(list.events.length);
        if (!piece) break;
        list.add(piece);
        this.lists.set(store, list);
        if (piece.events.length === 0) break;
      } while (list.events.length < wanted());
      this.viewer.resolve(key);
    } catch (error) {
      this.viewer.report({ key, text: message(error) });
    } finally {
      this.loading.delete(store);
    }
    this.viewer.announce('change');
  }

  // To the next one, or the one before.
  step(direction: 1 | -1): void {
    const { list, viewer } = this;
    if (!list || list.events.length === 0) return;
    const { time } = viewer.player;
    const events = direction > 0 ? list.events[list.countUntil(time)]
      : list.events[list.countUntil(before(time)) - 1];
    if (events) this.show(events);
  }

  show(event: RunEvent): void {
    this.viewer.player.pause();
    this.viewer.seek(event.time);
    this.viewer.announce('change');
  }
}

// The largest number below.
function before(time: number): number {
  return time - Math.max(Math.abs(time), 1e-300) * Number.EPSILON;
}
