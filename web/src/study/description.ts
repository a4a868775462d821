// SPDX-License-Identifier: Apache-2.0
// What is known of a study besides its cases, checked where it enters.
import { failure, statuses } from './table';

export interface ProbabilityJson {
  value: number | null;
  lower: number;
  upper: number;
  least: number;
  most: number;
}

export interface LevelJson {
  name: string;
  rejects: boolean;
  confirms: boolean;
  per_design: boolean;
  unknown: number;
  successes: number;
  failures: number;
  steps: number;
  timed: number;
  cpu_seconds: number;
}

export interface Column {
  name: string;
  kind: 'design' | 'uncertain' | 'measure';
  text: string;
}

export interface StudyDescription {
  title: string;
  name: string; // of the folder
  folder: string;
  repeat: { before: string; after: string }; // around the number of a case
  kind: string;
  hash: string;
  generation: number;
  complete: boolean;
  running: boolean;
  cases: number; // that are done
  rows: number; // that can be asked for
  thinned: boolean; // a page that holds a part of the cases, drawn at random
  expected: number | null;
  rounds: number;
  confidence: number;
  cellConfidence: number; // at each of the looks at which runs may end
  exact: boolean;
  success: string | null;
  successes: number;
  failures: number;
  unknown: number;
  statuses: Record<string, number>;
  probability: ProbabilityJson | null;
  withheld: string; // why there is no probability over all cases, else ''
  open: boolean; // unknown verdicts are not like the known ones
  draws: boolean; // the cases of a design are draws of what is uncertain
  columns: Column[]; // parameters, then measures
  levels: LevelJson[];
  map: { over: string[]; threshold: number | null } | null;
}

// Whether all cases of a design have the verdict of this one, by one answer: of levels that see the
// design alone. `last`: the last level that was asked.
export function isAnswerOfDesign(levels: LevelJson[], last: number, verdict: number): boolean {
  const level = levels[last];
  if (!level) return false;
  if (verdict === failure && level.rejects) return level.per_design;
  return levels.slice(0, last + 1).every((it) => it.per_design);
}

type Json = Record<string, unknown>;

function list(json: Json, key: string): Json[] {
  const value = json[key];
  if (!Array.isArray(value)) throw new Error(`the study's description has no ${key}`);
  return value as Json[];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function amount(json: Json, key: string): number {
  const value = json[key];
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new Error(`the study's description has no ${key}`);
  return value;
}

function probabilityOf(value: unknown): ProbabilityJson | null {
  if (!value || typeof value !== 'object') return null;
  const json = value as Json;
  return { value: typeof json.value === 'number' ? json.value : null, lower: amount(json, 'lower'),
           upper: amount(json, 'upper'), least: amount(json, 'least'), most: amount(json, 'most') };
}

function levelOf(json: Json): LevelJson {
  return {
    name: text(json.name), rejects: json.rejects === true, confirms: json.confirms === true,
    per_design: json.per_design === true, unknown: amount(json, 'unknown'),
    successes: amount(json, 'successes'), failures: amount(json, 'failures'), steps: amount(json, 'steps'),
    timed: amount(json, 'timed'), cpu_seconds: amount(json, 'cpu_seconds'),
  };
}

function mapOf(value: unknown): StudyDescription['map'] {
  if (!value || typeof value !== 'object') return null;
  const { over, threshold } = value as Json;
  return { over: Array.isArray(over) ? over.map(text) : [],
           threshold: typeof threshold === 'number' ? threshold : null };
}

function repeatOf(value: unknown): StudyDescription['repeat'] {
  const { before, after } = (value ?? {}) as Json;
  return { before: text(before), after: text(after) };
}

export function parseStudy(value: unknown): StudyDescription {
  if (!value || typeof value !== 'object') throw new Error('the study has no description');
  const json = value as Json;
  const counts = (json.statuses ?? {}) as Json;
  return {
    title: text(json.title), name: text(json.name), folder: text(json.folder), repeat: repeatOf(json.repeat), kind: text(json.kind),
    hash: text(json.hash), generation: amount(json, 'generation'), complete: json.complete === true,
    running: json.running === true, cases: amount(json, 'cases'), rows: amount(json, 'rows'),
    thinned: json.thinned === true,
    expected: typeof json.expected === 'number' ? json.expected : null, rounds: amount(json, 'rounds'),
    confidence: amount(json, 'confidence'), cellConfidence: amount(json, 'cell_confidence'), exact: json.exact === true,
    success: typeof json.success === 'string' ? json.success : null,
    successes: amount(json, 'successes'), failures: amount(json, 'failures'), unknown: amount(json, 'unknown'),
    statuses: Object.fromEntries(statuses.map((name) => [name, Number(counts[name] ?? 0)])),
    probability: probabilityOf(json.probability),
    withheld: text(json.withheld), open: json.open === true, draws: json.draws === true,
    columns: [
      ...list(json, 'parameters').map((it) => ({
        name: text(it.name), text: text(it.text),
        kind: it.kind === 'design' ? 'design' as const : 'uncertain' as const })),
      ...list(json, 'measures').map((it) => ({ name: text(it.name), text: text(it.text), kind: 'measure' as const })),
    ],
    levels: list(json, 'levels').map(levelOf),
    map: mapOf(json.map),
  };
}
