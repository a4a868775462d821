// SPDX-License-Identifier: Apache-2.0
// What the report says of designs, checked where it enters.

export interface DesignJson {
  verdicts: { successes: number; failures: number; unknown: number };
  probability: { value: number | null; lower: number; upper: number };
}

// Those that have a probability, by their numbers.
export function designsOf(report: Record<string, unknown>): Map<number, DesignJson> {
  const designs = new Map<number, DesignJson>();
  const list = Array.isArray(report.designs) ? report.designs as Partial<DesignJson & { design: number }>[] : [];
  for (const { design, verdicts, probability } of list)
    if (typeof design === 'number' && verdicts && typeof probability?.lower === 'number' && typeof probability.upper === 'number')
      designs.set(design, { verdicts, probability });
  return designs;
}
