// SPDX-License-Identifier: Apache-2.0
// What the panels of a study have in common.
import { css } from 'lit';

export const panel = css`
  :host { display: flex; flex-direction: column; min-width: 0; min-height: 0; background: var(--panel);
    border: 1px solid var(--line); border-radius: 0.6rem; overflow: hidden; }
  header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.8rem;
    padding: 0.5rem 0.8rem 0.4rem; }
  header h2 { flex: 1 1 auto; color: var(--text); font-size: 0.98rem; }
  label { display: inline-flex; align-items: center; gap: 0.4rem; font-size: 0.88rem; }
  select, input[type='number'] { min-height: 1.85rem; max-width: 11rem; }
  input[type='number'] { width: 5rem; }
  .drawing { position: relative; flex: 1; min-height: 0; }
  canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; }
  .tip { position: absolute; z-index: 3; pointer-events: none; max-width: 22rem; padding: 0.45rem 0.7rem;
    background: var(--raised); border: 1px solid var(--line-strong); border-radius: 0.4rem;
    box-shadow: var(--shadow); font-size: 0.88rem; }
  .tip b { font-weight: 600; }
  .note { padding: 0.1rem 0.8rem 0.5rem; font-size: 0.84rem; color: var(--muted); }
  table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
  th { text-align: right; font-weight: 600; color: var(--muted); padding: 0.25rem 0.5rem; white-space: nowrap; }
  td { text-align: right; padding: 0.25rem 0.5rem; font-variant-numeric: tabular-nums; white-space: nowrap;
    border-top: 1px solid var(--line); }
  th:first-child, td:first-child { text-align: left; padding-left: 0.8rem; }
  .wide { overflow-x: auto; }
`;

// Beside the pointer, and within the drawing.
export function tipPlace(x: number, y: number, width: number, height: number): string {
  const left = x > width * 0.55 ? `right: ${width - x + 14}px` : `left: ${x + 14}px`;
  const top = y > height * 0.6 ? `bottom: ${height - y + 10}px` : `top: ${y + 10}px`;
  return `${left}; ${top}`;
}
