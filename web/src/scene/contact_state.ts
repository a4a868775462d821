// SPDX-License-Identifier: Apache-2.0
// Whether a contact sticks, slides or is open.
import { coneUsage } from '../data/series';
import type { Contacts } from '../data/types';

export type ContactState = 'sticking' | 'sliding' | 'open';

const coneMargin = 1e-6; // relative: an impulse that close to the cone is on it
const tinySpeed = 1e-7; // m/s: what solvers leave of a speed that is zero

// Of a vector along normal, tangent 1, tangent 2. (Math.hypot is many times as slow.)
export function tangentialSize(vectors: Float32Array, row: number): number {
  const first = vectors[3 * row + 1];
  const second = vectors[3 * row + 2];
  return Math.sqrt(first * first + second * second);
}

// Sticking: pressed together, and the friction is inside its cone or there is no slip.
export function contactState(contacts: Contacts, row: number): ContactState {
  const { impulse, velocity } = contacts;
  if (!(impulse[3 * row] > 0)) return 'open';
  if (coneUsage(contacts, row) < 1 - coneMargin) return 'sticking';
  return tangentialSize(velocity, row) <= tinySpeed ? 'sticking' : 'sliding';
}

// A support point carries a planar body from below: its normal is along z.
export function isSupport(contacts: Contacts, row: number, planar: boolean): boolean {
  return planar && Math.abs(contacts.normal[3 * row + 2]) > 0.9;
}
