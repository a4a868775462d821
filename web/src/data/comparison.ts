// SPDX-License-Identifier: Apache-2.0
// The comparison of the runs in this page, as `vinci compare` wrote it: one variant per run, in the same
// order. What is damaged is left out; the runs are shown all the same.

export type ModeName = 'open' | 'stick' | 'slide' | 'slide left' | 'slide right' | 'mixed';

export interface ModeInterval {
  mode: ModeName;
  begin: number; // s
  end: number;
}

export interface ContactModes {
  a: string;
  b: string;
  modes: ModeInterval[];
}

export interface ContactDifference {
  a: string;
  b: string;
  same_modes: boolean;
  impulse: number; // N s, largest difference of the impulses so far
  peak_force: number; // N
  reference_peak_force: number;
}

export interface Difference {
  until: number; // s
  largest: number; // m
  largest_time: number;
  largest_body: string | null;
  first_above: number | null;
  distance: number[]; // m, at the times of the comparison
  contacts: ContactDifference[];
}

export interface ComparedVariant {
  name: string;
  case: number;
  agrees: boolean;
  cost: {
    complete: boolean;
    steps: number;
    cpu_per_second: number;
    worst_residual: number | null;
    fallback_steps: number;
    free_steps: number;
    ending: string;
    diverged_body: string;
  };
  contacts: ContactModes[];
  difference: Difference | null; // null: the reference itself
}

export interface ComparisonCase {
  name: string;
  variants: number[];
  reference: number;
  finest: boolean; // the reference is finer than all others of the case
  cheapest: number;
}

export interface Comparison {
  tolerance: number; // m
  duration: number; // s
  times: number[];
  variants: ComparedVariant[];
  cases: ComparisonCase[];
  skipped: { name: string; reason: string }[];
  answer: string[];
}

// null: the page holds none. Throws an Error that can be shown.
export function embeddedComparison(page: Document, runs: number): Comparison | null {
  const text = page.getElementById('vinci-comparison')?.textContent;
  if (text === undefined || text === null) return null;
  try {
    const found = JSON.parse(text) as Comparison;
    const good = found.variants.length === runs && found.cases.length > 0 &&
        Array.isArray(found.times) && Array.isArray(found.answer) && Array.isArray(found.skipped) &&
        found.cases.every((one) => [one.reference, one.cheapest, ...one.variants].every(
            (run) => Number.isInteger(run) && run >= 0 && run < runs)) &&
        found.variants.every((variant) => typeof variant.name === 'string' &&
            found.cases[variant.case] !== undefined && typeof variant.cost.steps === 'number' &&
            variant.contacts.every((contact) => Array.isArray(contact.modes)) &&
            (variant.difference === null || (Array.isArray(variant.difference.distance) &&
                Array.isArray(variant.difference.contacts))));
    if (good) return found;
  } catch {
    // told below
  }
  throw new Error('the comparison in this page is damaged');
}
