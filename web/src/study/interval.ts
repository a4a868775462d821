// SPDX-License-Identifier: Apache-2.0
// Intervals of probabilities, by the rules of the library (vinci/sampling), for cells that the reader
// chooses.

export interface Interval {
  value: number; // NaN without cases
  lower: number;
  upper: number;
}

export type IntervalRule = (successes: number, cases: number) => Interval;

// `exact`: Clopper and Pearson's; else Wilson's.
export function intervalRule(confidence: number, exact: boolean): IntervalRule {
  const z = normalQuantile(0.5 + confidence / 2);
  return (k, n) => {
    if (n === 0) return { value: NaN, lower: 0, upper: 1 };
    return { value: k / n, ...(exact ? clopperPearson(k, n, confidence) : wilson(k, n, z)) };
  };
}

function wilson(k: number, n: number, z: number): { lower: number; upper: number } {
  const p = k / n, s = (z * z) / n;
  const middle = (p + s / 2) / (1 + s);
  const half = (Math.sqrt(s) / (1 + s)) * Math.sqrt(p * (1 - p) + s / 4);
  return { lower: k === 0 ? 0 : Math.max(0, middle - half), upper: k === n ? 1 : Math.min(1, middle + half) };
}

function clopperPearson(k: number, n: number, confidence: number): { lower: number; upper: number } {
  const tail = (1 - confidence) / 2;
  return {
    lower: k === 0 ? 0 : solved((p) => betaShare(p, k, n - k + 1) - tail),
    upper: k === n ? 1 : solved((p) => betaShare(p, k + 1, n - k) - (1 - tail)),
  };
}

// Where a function that rises from below 0 to above it between 0 and 1 is 0.
function solved(rising: (p: number) => number): number {
  let low = 0, high = 1;
  for (let i = 0; i < 52; ++i) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// The regularised incomplete beta function, by its continued fraction.
function betaShare(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a + 1) - logGamma(b));
  const tiny = 1e-300;
  let c = 1, d = 1 / guarded(1 - ((a + b) * x) / (a + 1), tiny), h = d;
  for (let m = 1; m < 500; ++m) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d, tiny);
    c = guarded(1 + even / c, tiny);
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d, tiny);
    c = guarded(1 + odd / c, tiny);
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  return front * h;
}

function guarded(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

// Stirling's series, for arguments lifted above 8.
function logGamma(x: number): number {
  let shift = 0;
  while (x < 8) shift -= Math.log(x++);
  const s = 1 / (x * x);
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) +
      (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / x;
}

// By bisection of the error function's series: asked once a page.
function normalQuantile(p: number): number {
  let low = 0, high = 10;
  for (let i = 0; i < 60; ++i) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function normalShare(z: number): number {
  let term = z, sum = z;
  for (let i = 1; i < 300 && Math.abs(term) > 1e-17 * Math.abs(sum); ++i) {
    term *= (z * z) / (2 * i + 1);
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}
