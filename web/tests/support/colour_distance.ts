// SPDX-License-Identifier: Apache-2.0
// How far colours are apart to the eye (Euclidean in OKLab; 0.02 is just noticeable side by side),
// and what is left of a colour to people with deuteranopia (Machado 2009, severity 1).
import { Color } from 'three';

export type Rgb = readonly [number, number, number]; // linear

export function linear(hex: string): Rgb {
  const { r, g, b } = new Color(hex); // three keeps linear components
  return [r, g, b];
}

export function deuteranopia([r, g, b]: Rgb): Rgb {
  const clamp = (x: number): number => Math.min(1, Math.max(0, x));
  return [
    clamp(0.367322 * r + 0.860646 * g - 0.227968 * b),
    clamp(0.280085 * r + 0.672501 * g + 0.047413 * b),
    clamp(-0.01182 * r + 0.04294 * g + 0.968881 * b),
  ];
}

function oklab([r, g, b]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

export function distance(a: Rgb, b: Rgb): number {
  const [x, y] = [oklab(a), oklab(b)];
  return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

// The least distance between any two of several colours.
export function closest(colours: readonly Rgb[]): number {
  let least = Infinity;
  colours.forEach((a, i) =>
    colours.slice(i + 1).forEach((b) => (least = Math.min(least, distance(a, b)))),
  );
  return least;
}
