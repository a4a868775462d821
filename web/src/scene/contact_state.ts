// SPDX-License-Identifier: Apache-2.0
// Whether a contact sticks, slides or is open.
import type { Contacts } from '../data/types';

export type ContactState = 'sticking' | 'sliding' | 'open';

const coneMargin = 1e-6; // relative: an impulse that close to the cone is on it
const tinySpeed = 1e-7; // m/s: what solvers leave of a speed that is zero

// Sticking: pressed together, and the friction is inside its cone or there is no slip.
export function contactState(contacts: Contacts, row: number): ContactState {
  const { impulse, velocity, friction } = contacts;
  const normal = impulse[3 * row];
  if (!(normal > 0)) return 'open';
  const tangential = Math.hypot(impulse[3 * row + 1], impulse[3 * row + 2]);
  if (tangential < friction[row] * normal * (1 - coneMargin)) return 'sticking';
  const slip = Math.hypot(velocity[3 * row + 1], velocity[3 * row + 2]);
  return slip <= tinySpeed ? 'sticking' : 'sliding';
}

// A support point carries a planar body from below: its normal is along z.
export function isSupport(contacts: Contacts, row: number, planar: boolean): boolean {
  return planar && Math.abs(contacts.normal[3 * row + 2]) > 0.9;
}
