// SPDX-License-Identifier: Apache-2.0
// Pictures and videos out of the page. Each picture is drawn from exactly its frame, however long it
// takes to load.
import { GIFEncoder, applyPalette, quantize } from 'gifenc';
import type { Viewer } from './viewer';

export interface VideoRequest {
  format: 'webm' | 'gif';
  from: number; // s, simulated
  to: number;
  speed: number; // simulated s a second of video
  pictureRate: number; // pictures a second of video
  width: number; // px
  height: number;
}

export interface Progress {
  done: number;
  total: number;
}

// Simulated times of the pictures, the end included.
export function pictureTimes(request: Pick<VideoRequest, 'from' | 'to' | 'speed' | 'pictureRate'>): number[] {
  const interval = request.speed / request.pictureRate;
  const span = request.to - request.from;
  if (!(span >= 0) || !(interval > 0)) return [];
  const count = Math.floor(span / interval + 1e-6) + 1;
  const times = Array.from({ length: count }, (_, i) => Math.min(request.to, request.from + i * interval));
  if (times[count - 1] < request.to - 0.01 * interval) times.push(request.to);
  return times;
}

export function webmType(): string | null {
  if (typeof MediaRecorder === 'undefined') return null;
  return ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm']
      .find((type) => MediaRecorder.isTypeSupported(type)) ?? null;
}

export function canvasBlob(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => canvas.toBlob(
      (blob) => blob ? resolve(blob) : reject(new Error('the browser could not make a picture')),
      'image/png'));
}

export async function screenshot(viewer: Viewer): Promise<Blob> {
  if (!viewer.view) throw new Error('there is no scene to take a picture of');
  viewer.view.draw();
  return canvasBlob(viewer.view.canvas);
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A file name from that of the recording.
export function exportName(viewer: Viewer, ending: string): string {
  const base = (viewer.description?.name ?? 'run').replace(/\.[^.]*$/, '') || 'run';
  return `${base}.${ending}`;
}

export async function recordVideo(viewer: Viewer, request: VideoRequest, signal: AbortSignal,
                                  progress: (now: Progress) => void): Promise<Blob> {
  const times = pictureTimes(request);
  if (times.length === 0) throw new Error('the range holds no pictures');
  viewer.suspend();
  try {
    viewer.view?.resize(request.width, request.height, 1);
    const sink = request.format === 'gif' ? new GifSink(request) : new WebmSink(viewer, request);
    try {
      for (let i = 0; i < times.length; ++i) {
        signal.throwIfAborted();
        await viewer.drawAt(times[i]);
        await sink.add(viewer.view!.canvas, () => viewer.view!.draw());
        progress({ done: i + 1, total: times.length });
        await nextTask();
      }
      return await sink.finish();
    } finally {
      sink.stop();
    }
  } finally {
    viewer.view?.resize();
    viewer.resume();
  }
}

// Lets the page answer to clicks and paint between pictures.
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

interface Sink {
  add(canvas: HTMLCanvasElement, draw: () => void): Promise<void>;
  finish(): Promise<Blob>;
  stop(): void;
}

class GifSink implements Sink {
  private readonly encoder = GIFEncoder();
  private readonly copy = document.createElement('canvas');
  private readonly delay: number;

  constructor(private readonly request: VideoRequest) {
    this.copy.width = request.width;
    this.copy.height = request.height;
    this.delay = 1000 / request.pictureRate;
  }

  async add(canvas: HTMLCanvasElement): Promise<void> {
    const { width, height } = this.request;
    const pen = this.copy.getContext('2d', { willReadFrequently: true });
    if (!pen) throw new Error('the browser could not make a picture');
    pen.drawImage(canvas, 0, 0, width, height);
    const { data } = pen.getImageData(0, 0, width, height);
    const palette = quantize(data, 256);
    this.encoder.writeFrame(applyPalette(data, palette), width, height, { palette, delay: this.delay });
  }

  async finish(): Promise<Blob> {
    this.encoder.finish();
    return new Blob([this.encoder.bytes()], { type: 'image/gif' });
  }

  stop(): void {
    this.copy.width = this.copy.height = 0;
  }
}

// The browser's recorder runs in real time; it is held while a picture is loaded and drawn, so that
// the video keeps its pace however slow the drawing is.
class WebmSink implements Sink {
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];
  private readonly ended: Promise<void>;

  constructor(viewer: Viewer, private readonly request: VideoRequest) {
    const type = webmType();
    if (!type || !viewer.view) throw new Error('this browser does not record video; choose GIF');
    const stream = viewer.view.canvas.captureStream(request.pictureRate);
    this.recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12_000_000 });
    this.recorder.ondataavailable = (event) => this.parts.push(event.data);
    this.ended = new Promise((resolve) => (this.recorder.onstop = () => resolve()));
    this.recorder.start();
    this.recorder.pause();
  }

  async add(_canvas: HTMLCanvasElement, draw: () => void): Promise<void> {
    this.recorder.resume();
    draw(); // a picture counts only when drawn while the recorder runs
    await new Promise((resolve) => setTimeout(resolve, 1000 / this.request.pictureRate));
    this.recorder.pause();
  }

  async finish(): Promise<Blob> {
    this.recorder.stop();
    await this.ended;
    const blob = new Blob(this.parts, { type: 'video/webm' });
    if (blob.size === 0) throw new Error('the browser recorded nothing; choose GIF');
    return blob;
  }

  stop(): void {
    if (this.recorder.state !== 'inactive') this.recorder.stop();
    for (const track of this.recorder.stream.getTracks()) track.stop();
  }
}
