// SPDX-License-Identifier: Apache-2.0
// A list of columns to choose from.
import { html, nothing } from 'lit';
import type { Column } from './description';

const groups: [Column['kind'], string][] = [
  ['design', 'Design'], ['uncertain', 'Uncertain'], ['measure', 'Measures'],
];

// `none`: what it says where no column is wanted; without it there is no such choice.
export function columnChoice(label: string, columns: Column[], chosen: number | null,
                             choose: (column: number | null) => void, none = '') {
  const at = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    choose(value === '' ? null : Number(value));
  };
  return html`<label><span class="muted">${label}</span>
    <select aria-label=${label} @change=${at}>
      ${none ? html`<option value="" .selected=${chosen === null}>${none}</option>` : nothing}
      ${groups.map(([kind, name]) => columns.some((column) => column.kind === kind) ? html`
        <optgroup label=${name}>${columns.map((column, i) => column.kind === kind
          ? html`<option value=${i} .selected=${chosen === i}>${column.name}</option>` : nothing)}</optgroup>` : nothing)}
    </select></label>`;
}
