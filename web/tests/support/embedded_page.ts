// SPDX-License-Identifier: Apache-2.0
// Puts synthetic runs into the built page, as `vinci view --html` puts recordings.
import { gzipSync } from 'node:zlib';
import { encodeBlock } from './encode_block';
import type { SyntheticRun } from './synthetic_run';

export const runsMarker = '<!--vinci:runs-->';

export function packedBlock(run: SyntheticRun, first: number, count: number): string {
  const frames = Array.from({ length: count }, (_, i) => run.frame(first + i));
  const entries = run.description.bodies.reduce((sum, body) => sum + body.velocity_size, 0);
  const bytes = encodeBlock(frames, { first, bodies: run.description.bodies.length, entries });
  return gzipSync(new Uint8Array(bytes)).toString('base64');
}

export function pageWithRuns(page: string, runs: SyntheticRun[], framesPerBlock = 100): string {
  if (!page.includes(runsMarker)) throw new Error('the page has no place for runs');
  const json = (value: unknown) => JSON.stringify(value).replace(/</g, '\\u003c');
  const parts = [`<script type="application/json" id="vinci-runs">` +
      `${json(runs.map((run) => run.description))}</script>`];
  runs.forEach((run, k) => {
    parts.push(`<script type="application/json" class="vinci-models" data-run="${k}">` +
        `${json(run.models)}</script>`);
    for (let first = 0; first < run.description.frames; first += framesPerBlock) {
      const count = Math.min(framesPerBlock, run.description.frames - first);
      parts.push(`<script type="text/plain" class="vinci-block" data-run="${k}" data-first="${first}" ` +
          `data-count="${count}">${packedBlock(run, first, count)}</script>`);
    }
  });
  return page.replace(runsMarker, () => parts.join('\n'));
}
