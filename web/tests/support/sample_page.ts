// SPDX-License-Identifier: Apache-2.0
// `npm run sample`: writes pages with synthetic runs into dist/, to look at in a browser.
import { readFileSync, writeFileSync } from 'node:fs';
import { pageWithRuns } from './embedded_page';
import { syntheticRun, type SyntheticOptions } from './synthetic_run';

const page = readFileSync('dist/viewer.html', 'utf8');
const samples: Record<string, SyntheticOptions[]> = {
  planar: [{ world: 'planar', bodies: 6, frames: 150 }],
  spatial: [{ world: 'spatial', bodies: 12, frames: 150 }],
  compare: [{ world: 'planar', bodies: 6, frames: 150, name: 'rough.h5' },
            { world: 'planar', bodies: 6, frames: 150, friction: 0.15, name: 'smooth.h5' }],
  many: [{ world: 'spatial', bodies: 2000, frames: 120 }],
  empty: [{ world: 'planar', bodies: 0, frames: 1 }],
  one: [{ world: 'spatial', bodies: 1, frames: 1 }],
};
for (const [name, runs] of Object.entries(samples)) {
  const file = `dist/sample_${name}.html`;
  writeFileSync(file, pageWithRuns(page, runs.map(syntheticRun)));
  console.log(file);
}
