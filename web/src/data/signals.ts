// SPDX-License-Identifier: Apache-2.0
// Signals in groups that are plotted together: those of one controller or constraint with one unit.

export interface SignalGroup {
  id: string;
  title: string; // the controller or constraint
  unit: string;
  labels: string[];
  columns: number[]; // ascending
}

// Names are "pd.effort_elbow [N m]": what is before the first dot, the rest, the unit.
export function groupedSignals(names: readonly string[]): SignalGroup[] {
  const groups = new Map<string, SignalGroup>();
  names.forEach((name, column) => {
    const [, whole, unit = ''] = name.match(/^(.*?)(?: \[(.*)\])?$/) ?? [name, name];
    const dot = whole.indexOf('.');
    const title = dot < 0 ? whole : whole.slice(0, dot);
    const label = dot < 0 ? whole : whole.slice(dot + 1);
    // A gap and a force of a constraint are not of one size.
    const own = unit === '' && (label === 'gap' || label === 'force') ? label : '';
    const id = `${title} ${unit}${own}`;
    const group = groups.get(id) ?? { id, title: own ? `${title}, ${own}` : title, unit, labels: [], columns: [] };
    group.labels.push(label);
    group.columns.push(column);
    groups.set(id, group);
  });
  return [...groups.values()];
}
