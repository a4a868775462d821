// SPDX-License-Identifier: Apache-2.0
// Pointer, wheel and two fingers in the plane: drag pans, wheel and pinch zoom at the pointer.
import type { Viewport } from './cameras';

export type ViewportAt = (clientX: number) => Viewport & { left: number; top: number };

export interface PlanarView {
  zoomAt(x: number, y: number, factor: number, viewport: Viewport): void;
  panBy(pixelsX: number, pixelsY: number, viewport: Viewport): void;
}

const wheelPixels: Record<number, number> = { 0: 1, 1: 16, 2: 400 }; // by WheelEvent.deltaMode

export class PlanarControls {
  enabled = true;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private readonly listening = new AbortController();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly viewportAt: ViewportAt,
    private readonly view: PlanarView,
  ) {
    const { signal } = this.listening;
    canvas.addEventListener('pointerdown', (event) => this.down(event), { signal });
    canvas.addEventListener('pointermove', (event) => this.move(event), { signal });
    for (const name of ['pointerup', 'pointercancel'] as const)
      canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId), { signal });
    canvas.addEventListener('wheel', (event) => this.wheel(event), { signal, passive: false });
  }

  private down(event: PointerEvent): void {
    if (!this.enabled) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const last = this.pointers.get(event.pointerId);
    if (!this.enabled || !last) return;
    const viewport = this.viewportAt(event.clientX);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    const share = other ? 0.5 : 1; // each of two fingers moves their middle by half
    this.view.panBy(share * (event.clientX - last.x), share * (event.clientY - last.y), viewport);
    if (other) {
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const now = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      const [x, y] = [0.5 * (event.clientX + other.x), 0.5 * (event.clientY + other.y)];
      if (before > 0 && now > 0) this.zoom(x, y, before / now);
    }
    last.x = event.clientX;
    last.y = event.clientY;
  }

  private wheel(event: WheelEvent): void {
    if (!this.enabled) return;
    event.preventDefault();
    const pixels = event.deltaY * (wheelPixels[event.deltaMode] ?? 1);
    this.zoom(
      event.clientX,
      event.clientY,
      Math.exp(0.0015 * Math.min(Math.max(pixels, -400), 400)),
    );
  }

  private zoom(clientX: number, clientY: number, factor: number): void {
    const viewport = this.viewportAt(clientX);
    const x = (2 * (clientX - viewport.left)) / viewport.width - 1;
    const y = 1 - (2 * (clientY - viewport.top)) / viewport.height;
    this.view.zoomAt(x, y, factor, viewport);
  }

  dispose(): void {
    this.listening.abort();
  }
}
