// SPDX-License-Identifier: Apache-2.0
// Pictures and videos out of the page. Each picture is drawn from exactly its frame, however long it
// takes to load.
import { GIFEncoder, applyPalette, quantize } from 'gifenc';
import type { Viewer } from './viewer';
import { webmFile, type EncodedPicture, type Track } from './webm_writer';

const keyInterval = 60; // pictures

export interface VideoRequest {
  format: 'webm' | 'gif';
  from: number; // s, simulated
  to: number;
  speed: number; // simulated s a second of video
  pictureRate: number; // pictures per second of video
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

// Whether the browser can encode video.
export function canEncodeVideo(): boolean {
  return typeof VideoEncoder !== 'undefined' && typeof VideoFrame !== 'undefined';
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
    const sink = request.format === 'gif' ? new GifSink(request) : await WebmSink.open(request);
    try {
      for (let i = 0; i < times.length; ++i) {
        signal.throwIfAborted();
        await viewer.drawAt(times[i]);
        await sink.add(viewer.view!.canvas);
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
  add(canvas: HTMLCanvasElement): Promise<void>; // right after it was drawn
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

// Pictures by the browser's encoder, which takes their times from us: the video keeps its pace however
// slow the drawing is.
class WebmSink implements Sink {
  private readonly pictures: EncodedPicture[] = [];
  private readonly encoder: VideoEncoder;
  private failure: Error | null = null;
  private taken = 0;

  private constructor(private readonly request: VideoRequest, private readonly codec: Track['codec'],
                      config: VideoEncoderConfig) {
    this.encoder = new VideoEncoder({
      output: (chunk) => {
        const data = new Uint8Array(chunk.byteLength);
        chunk.copyTo(data);
        this.pictures.push({ time: chunk.timestamp / 1000, key: chunk.type === 'key', data });
      },
      error: (error) => (this.failure = error),
    });
    this.encoder.configure(config);
  }

  static async open(request: VideoRequest): Promise<WebmSink> {
    const { width, height, pictureRate } = request;
    const bitrate = Math.round(0.15 * width * height * pictureRate);
    for (const [codec, name] of [['V_VP9', 'vp09.00.40.08'], ['V_VP8', 'vp8']] as const) {
      const config = { codec: name, width, height, bitrate, framerate: pictureRate };
      if (canEncodeVideo() && (await VideoEncoder.isConfigSupported(config)).supported)
        return new WebmSink(request, codec, config);
    }
    throw new Error('this browser does not encode video of this size; choose GIF');
  }

  async add(canvas: HTMLCanvasElement): Promise<void> {
    if (this.failure) throw this.failure;
    const duration = 1e6 / this.request.pictureRate; // microseconds
    const picture = new VideoFrame(canvas, { timestamp: Math.round(this.taken * duration), duration });
    this.encoder.encode(picture, { keyFrame: this.taken % keyInterval === 0 });
    picture.close();
    ++this.taken;
    while (this.encoder.encodeQueueSize > 4 && !this.failure) await nextTask();
  }

  async finish(): Promise<Blob> {
    await this.encoder.flush();
    if (this.failure) throw this.failure;
    const { width, height, pictureRate } = this.request;
    const duration = (1000 * this.taken) / pictureRate;
    return webmFile({ codec: this.codec, width, height, duration }, this.pictures);
  }

  stop(): void {
    if (this.encoder.state !== 'closed') this.encoder.close();
  }
}
