// SPDX-License-Identifier: Apache-2.0
// Descriptions and models as they arrive: checked, so that everything behind may trust their form.
import { parseCouplings, parseJoints } from './joints';
import type {
  Anchor, BodyDescription, ConstraintJson, Description, ElementJson, MachineJson, ModelJson, Summary, Vector3,
} from './types';

type Fields = Record<string, unknown>;

function fields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what} is damaged: it is not a JSON object`);
  return value as Fields;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const whole = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
const finite = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export function parseDescription(value: unknown): Description {
  const json = fields(value, 'the description of the run');
  if (!Array.isArray(json.bodies)) throw new Error('the description of the run names no bodies');
  if (typeof json.frames !== 'number' || !Number.isSafeInteger(json.frames) || json.frames < 0)
    throw new Error('the description of the run does not say how many frames it has');
  const bodies = json.bodies.map(parseBody);
  return {
    name: text(json.name),
    title: text(json.title),
    version: text(json.version),
    created: text(json.created),
    frames: json.frames,
    finished: json.finished === true,
    has_writer: json.has_writer === true,
    total_steps: whole(json.total_steps),
    step_size: finite(json.step_size),
    duration: finite(json.duration),
    world: json.world === 'planar' ? 'planar' : 'spatial',
    bodies,
    models: Math.max(1, whole(json.models)),
    event_driven: json.event_driven === true,
    events: whole(json.events),
    signals: Array.isArray(json.signals) ? json.signals.map(text) : [],
    summary: parseSummary(json.summary),
    lines: Array.isArray(json.lines) ? json.lines.map(parseLine) : [],
    options: typeof json.options === 'object' && json.options !== null ? (json.options as Fields) : {},
    ...(whole(json.stride) > 1 ? { stride: whole(json.stride) } : {}),
  };
}

function parseBody(value: unknown, index: number): BodyDescription {
  const json = fields(value, `body ${index} of the description`);
  return {
    name: text(json.name) || `body ${index}`,
    freedom: json.freedom === 'fixed' || json.freedom === 'planar' ? json.freedom : 'spatial',
    velocity_offset: whole(json.velocity_offset),
    velocity_size: whole(json.velocity_size),
  };
}

function parseLine(value: unknown): [string, string] {
  return Array.isArray(value) ? [text(value[0]), text(value[1])] : ['', ''];
}

function parseSummary(value: unknown): Summary {
  const json = fields(value ?? {}, 'the summary of the run');
  return {
    steps: whole(json.steps),
    // Older recordings count only those that were not solved.
    uncertified_steps: whole(json.uncertified_steps ?? json.inexact_steps),
    contacts_mean: finite(json.contacts_mean),
    diverged: json.diverged === true,
    diverged_body: text(json.diverged_body),
    ending: text(json.ending),
    several_steps: whole(json.several_steps ?? 0),
    first_several: whole(json.first_several ?? 0),
    largest_distance: finite(json.largest_distance ?? 0),
    state_hash: text(json.state_hash),
  };
}

// Numbers inside shapes are left to the scene, which draws what it can of them.
export function parseModel(value: unknown, description: Description): ModelJson {
  const json = fields(value, 'a model of the run');
  if (!Array.isArray(json.bodies) || !Array.isArray(json.shapes))
    throw new Error('a model of the run is damaged: it has no bodies or no shapes');
  if (json.bodies.length !== description.bodies.length)
    throw new Error(`a model of the run has ${json.bodies.length} bodies, the run ` +
        `${description.bodies.length}`);
  for (const shape of json.shapes as Fields[]) {
    const body = fields(shape, 'a shape of the model').body;
    if (typeof body !== 'number' || !(body >= 0 && body < json.bodies.length))
      throw new Error('a model of the run is damaged: a shape belongs to no body');
  }
  const elements = parseElements(json.elements, json.bodies.length);
  const joints = parseJoints(json.joints, json.bodies.length);
  const couplings = parseCouplings(json.couplings, joints);
  const constraints = listOf(json.constraints).map(parseConstraint);
  const machines = listOf(json.machines).map((one): MachineJson =>
      ({ name: text(one.name), states: Array.isArray(one.states) ? one.states.map(text) : [] }));
  return { ...json, elements, joints, couplings, constraints, machines } as unknown as ModelJson;
}

const listOf = (value: unknown): Fields[] =>
    Array.isArray(value) ? value.map((one) => (typeof one === 'object' && one !== null ? (one as Fields) : {})) : [];

function parseConstraint(json: Fields): ConstraintJson {
  const [shown] = listOf([json.function]);
  return { name: text(json.name), kind: text(json.kind), text: text(shown.text),
           reads: Array.isArray(shown.reads) ? shown.reads.map(text) : [] };
}

// Models of older recordings have none.
function parseElements(value: unknown, bodies: number): ElementJson[] {
  if (value === undefined) return [];
  if (!Array.isArray(value))
    throw new Error('a model of the run is damaged: its elements are no list');
  return value.map((element, index) => parseElement(element, index, bodies));
}

function parseElement(value: unknown, index: number, bodies: number): ElementJson {
  const json = fields(value, `element ${index} of the model`);
  const name = text(json.name) || `element ${index}`;
  const fail = (what: string): never => {
    throw new Error(`a model of the run is damaged: the element “${name}” ${what}`);
  };
  if (text(json.kind) === '') fail('has no kind');
  if (!Array.isArray(json.anchors) || json.anchors.length !== 2) fail('has not two anchors');
  const anchors = (json.anchors as unknown[]).map((one): Anchor => {
    const { body, point } = fields(one, `an anchor of the element “${name}”`);
    if (!Number.isInteger(body) || !((body as number) >= -1 && (body as number) < bodies))
      fail('holds a body that is not there');
    if (!Array.isArray(point) || point.length !== 3 || point.some((x) => finite(x) === null))
      fail('has an anchor that is no point');
    return { body: body as number, point: point as Vector3 };
  });
  const numbers = fields(json.numbers ?? {}, `the numbers of the element “${name}”`);
  for (const [key, number] of Object.entries(numbers))
    if (finite(number) === null) fail(`has no number for its ${key}`);
  const columns = json.columns ?? [];
  if (!Array.isArray(columns)) fail('has columns that are no list');
  return {
    name,
    kind: text(json.kind),
    anchors: anchors as [Anchor, Anchor],
    numbers: numbers as Record<string, number>,
    columns: (columns as unknown[]).map((column) => {
      const { name: title, unit } = fields(column, `a column of the element “${name}”`);
      return { name: text(title), unit: text(unit) };
    }),
  };
}
