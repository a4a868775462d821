// SPDX-License-Identifier: Apache-2.0
// What a body or a contact is doing in a frame, as rows of words and numbers for tooltip and
// inspector; and what elements there are.
import { Vector3 } from 'three';
import { coneUsage } from '../data/series';
import type { Anchor, Contacts, Description, ElementJson, Frame } from '../data/types';
import { contactState, isSupport } from '../scene/contact_state';
import { anchorPoint } from '../scene/element_drawing';
import { elementLook } from '../scene/elements';
import { bodyTransforms } from '../scene/instance_matrices';
import type { Pick } from '../scene/scene_view';
import { number, plainNumber, quantity } from './format';
import { jointRows } from './joint_words';
import { contactRow, type Viewer } from './viewer';

export interface Facts {
  title: string;
  state?: 'sticking' | 'sliding' | 'open';
  rows: [string, string][];
  note?: string;
}

export function bodyName(description: Description, body: number): string {
  return description.bodies[body]?.name ?? `body ${body}`;
}

const holderName = (description: Description, { body }: Anchor): string =>
    body < 0 ? 'world' : bodyName(description, body);

// What the element is between, and its numbers.
export function elementWords(element: ElementJson, description: Description): string {
  const { units } = elementLook(element.kind);
  const numbers = Object.entries(element.numbers).map(([name, value]) =>
      `${name} ${plainNumber(Number(value.toPrecision(4)))}${units[name] ? `\u202f${units[name]}` : ''}`);
  const between = element.anchors.map((anchor) => holderName(description, anchor)).join(' – ');
  return `${element.name}, ${between}${numbers.length > 0 ? `: ${numbers.join(', ')}` : ''}`;
}

const mostElements = 4; // of a body

// The elements that hold the body: what they lead to, and how far it is.
function elementRows(elements: readonly ElementJson[], description: Description, frame: Frame,
                     body: number): [string, string][] {
  const held = elements.filter(({ anchors }) => anchors.some((anchor) => anchor.body === body));
  const rows = held.slice(0, mostElements).map(({ kind, name, anchors }): [string, string] => {
    const other = anchors[0].body === body ? anchors[1] : anchors[0];
    return [kind, `${name} to ${holderName(description, other)}, ` +
        quantity(anchorDistance(anchors, frame.poses), 'm')];
  });
  if (held.length > rows.length) rows.push(['elements', `${held.length - rows.length} more`]);
  return rows;
}

function anchorDistance(anchors: readonly [Anchor, Anchor], poses: Float32Array): number {
  const places = anchors.map(({ body, point }) => {
    const place = new Vector3();
    const transform = new Float64Array(12);
    if (body >= 0) bodyTransforms(poses.subarray(7 * body, 7 * body + 7), 1, transform);
    return anchorPoint({ body: Math.min(body, 0), point }, transform, place) ? place : null;
  });
  return places[0] && places[1] ? places[0].distanceTo(places[1]) : NaN;
}

export function facts(viewer: Viewer, pick: Pick): Facts | null {
  const description = viewer.stores[pick.run]?.source.description;
  const frame = viewer.frames[pick.run];
  if (!description || !frame) return null;
  if (pick.kind === 'joint') return jointFacts(viewer, pick.run, description, frame, pick.joint);
  return pick.kind === 'body' ? bodyFacts(viewer, pick.run, description, frame, pick.body)
    : contactFacts(description, frame, pick.key);
}

function jointFacts(viewer: Viewer, run: number, description: Description, frame: Frame,
                    index: number): Facts | null {
  const model = viewer.stores[run].model(frame.model);
  const joint = model.joints?.[index];
  if (!joint) return null;
  const posed = viewer.pose.posing !== null && run === viewer.active;
  return { title: joint.name, rows: jointRows(joint, index, model, description, frame),
           note: posed ? 'Posed by hand: nothing moves, and no force is known.' : undefined };
}

function vector(values: ArrayLike<number>, unit: string): string {
  return `${Array.from(values, (value) => number(value)).join(', ')}\u202f${unit}`;
}

function bodyFacts(viewer: Viewer, run: number, description: Description, frame: Frame,
                   body: number): Facts {
  const { name, freedom, velocity_offset: at, velocity_size: size } = description.bodies[body];
  const pose = frame.poses.subarray(body * 7, body * 7 + 7);
  const planar = description.world === 'planar';
  const rows: [string, string][] = [['position', vector(pose.subarray(0, planar ? 2 : 3), 'm')]];
  if (planar) rows.push(['angle', quantity((2 * Math.atan2(pose[6], pose[3]) * 180) / Math.PI, '°')]);
  if (size > 0) {
    const velocity = frame.velocities.subarray(at, at + size);
    const linear = velocity.subarray(0, size === 3 ? 2 : 3);
    rows.push(['velocity', vector(linear, 'm/s')], ['speed', quantity(Math.hypot(...linear), 'm/s')]);
    rows.push(size === 3 ? ['turning', quantity(velocity[2], 'rad/s')]
      : ['turning', quantity(Math.hypot(...velocity.subarray(3, 6)), 'rad/s')]);
  } else rows.push(['freedom', 'fixed']);
  const model = viewer.stores[run].model(frame.model);
  const mass = model.bodies[body]?.mass;
  if (size > 0 && mass > 0) rows.push(['mass', quantity(mass, 'kg')]);
  let touching = 0;
  for (let i = 0; i < frame.contacts.count; ++i)
    if (frame.contacts.impulse[3 * i] > 0 &&
        (frame.contacts.bodies[2 * i] === body || frame.contacts.bodies[2 * i + 1] === body)) ++touching;
  rows.push(['contacts', touching === 0 ? 'none' : String(touching)]);
  rows.push(...elementRows(model.elements, description, frame, body));
  return { title: name, rows, note: freedom === 'fixed' ? undefined : distanceNote(viewer, run, body) };
}

// How far the body is from itself in the other runs at this time.
function distanceNote(viewer: Viewer, run: number, body: number): string | undefined {
  const here = viewer.frames[run];
  const name = bodyName(viewer.stores[run].source.description, body);
  const parts = viewer.stores.flatMap((store, other) => {
    const there = viewer.frames[other];
    if (other === run || !there || !here) return [];
    const { description } = store.source;
    const twin = description.bodies.findIndex((candidate) => candidate.name === name);
    if (twin < 0) return [`there is no such body in ${viewer.runLabel(other)}`];
    const difference = [0, 1, 2].map((i) => there.poses[twin * 7 + i] - here.poses[body * 7 + i]);
    return [`${quantity(Math.hypot(...difference), 'm')} from ${viewer.runLabel(other)}`];
  });
  return parts.length > 0 ? `Now ${parts.join('; ')}.` : undefined;
}

// One coefficient, or the two of an ellipse.
function coefficients({ friction, friction2 }: Contacts, row: number): string {
  const first = number(friction[row]);
  return friction[row] === friction2[row] ? first : `${first} and ${number(friction2[row])} across`;
}

// Of contacts with moments: about the normal, and about the tangents together.
function moments({ moment, turning }: Contacts, row: number): [string, string][] {
  const [spin, first, second] = moment.subarray(row * 3, row * 3 + 3);
  const [spinning, rolling1, rolling2] = turning.subarray(row * 3, row * 3 + 3);
  if ([spin, first, second, spinning, rolling1, rolling2].every((value) => value === 0)) return [];
  return [
    ['torsional moment', quantity(spin, 'N m s')],
    ['rolling moment', quantity(Math.hypot(first, second), 'N m s')],
    ['spinning', quantity(spinning, 'rad/s')],
    ['rolling', quantity(Math.hypot(rolling1, rolling2), 'rad/s')],
  ];
}

function contactFacts(description: Description, frame: Frame, key: Extract<Pick, { kind: 'contact' }>['key']): Facts {
  const row = contactRow(frame, key);
  if (row < 0)
    return { title: 'Contact', rows: [], note: 'This contact is not there at this time.' };
  const { contacts } = frame;
  const [a, b] = contacts.bodies.subarray(row * 2, row * 2 + 2);
  const [normal, first, second] = contacts.impulse.subarray(row * 3, row * 3 + 3);
  const tangential = Math.hypot(first, second);
  const slip = Math.hypot(contacts.velocity[row * 3 + 1], contacts.velocity[row * 3 + 2]);
  const usage = coneUsage(contacts, row);
  const support = isSupport(contacts, row, description.world === 'planar');
  return {
    title: support ? `${bodyName(description, b)} on its support`
      : `${bodyName(description, a)} – ${bodyName(description, b)}`,
    state: contactState(contacts, row),
    rows: [
      ['gap', quantity(contacts.gap[row], 'm')],
      ['normal impulse', quantity(normal, 'N s')],
      ['friction impulse', quantity(tangential, 'N s')],
      ['cone used', Number.isNaN(usage) ? '–' : `${number(100 * usage, 3)}\u202f%`],
      ['slip', quantity(slip, 'm/s')],
      ['friction μ', coefficients(contacts, row)],
      ...moments(contacts, row),
    ],
  };
}
