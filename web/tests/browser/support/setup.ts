// SPDX-License-Identifier: Apache-2.0
// Once for all files: one browser, and one temporary folder with the recordings that several tests
// look at.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { patience } from '../../support/patience';
import { balls, springs, tower } from './scenes';
import { Workshop } from './workshop';

declare module 'vitest' {
  export interface ProvidedContext {
    endpoint: string; // of the browser
    folder: string; // of the recordings
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}: see tests/browser/vitest.config.ts and web/README.md`);
  return value;
}

// One family of fonts, that Chromium brings along on Debian: pictures do not depend on what else is
// installed.
function fontSettings(folder: string): string {
  const path = join(folder, 'fonts.conf');
  writeFileSync(
    path,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir>${folder}/fonts</cachedir>
  <match><edit name="family" mode="prepend" binding="strong">
    <string>DejaVu Sans</string>
  </edit></match>
</fontconfig>
`,
  );
  return path;
}

function startBrowser(folder: string): Promise<BrowserServer> {
  return chromium.launchServer({
    executablePath: process.env.VINCI_CHROMIUM ?? '/usr/bin/chromium',
    env: { ...process.env, FONTCONFIG_FILE: fontSettings(folder) },
    host: '127.0.0.1',
    timeout: patience,
    chromiumSandbox: process.getuid?.() !== 0, // the sandbox does not run as root
    args: [
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-quic',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', // nothing beyond this machine
      '--font-render-hinting=none',
      '--force-color-profile=srgb',
      '--hide-scrollbars',
    ],
  });
}

async function record(work: Workshop): Promise<void> {
  work.write('tower.yaml', tower(9, 0.3));
  work.write('alone.yaml', balls(1, 1, 50));
  work.write('many.yaml', balls(5000, 18, 20));
  work.write('springs.yaml', springs('planar'));
  work.write('springs_in_space.yaml', springs('spatial'));
  const slide = work.scene('sliding_box');
  await Promise.all([
    work.run('tower.yaml', 'tower.h5'),
    work.run(work.scene('gripper'), 'gripper.h5', '--output-interval', '0.01'),
    work.run('alone.yaml', 'alone.h5'),
    work.run('many.yaml', 'many.h5'),
    work.run('springs.yaml', 'springs.h5'),
    work.run('springs.yaml', 'stiff_springs.h5', '--set', 'k=800'),
    work.run('springs_in_space.yaml', 'springs_in_space.h5'),
    work.run(
      work.scene('tumbling_parts'),
      'parts.h5',
      '--duration',
      '0.6',
      '--output-interval',
      '0.002',
    ),
    work.run(slide, 'exact.h5', '--duration', '0.6', '--output-interval', '0.002'),
    work.run(
      slide,
      'pyramid.h5',
      '--duration',
      '0.6',
      '--output-interval',
      '0.002',
      '--cone',
      'pyramid',
      '--directions',
      '4',
    ),
  ]);
  await Promise.all([
    work.page('gripper.html', 'gripper.h5'),
    work.page('four_bar.html', work.scene('four_bar')),
    work.page('tower.html', 'tower.h5'),
    work.page('parts.html', 'parts.h5'),
    work.page('compared.html', 'exact.h5', 'pyramid.h5'),
    work.page('springs.html', 'springs.h5'),
    work.page('springs_in_space.html', 'springs_in_space.h5'),
    work.page('compared_springs.html', 'springs.h5', 'stiff_springs.h5'),
  ]);
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'vinci-browser-'));
  const work = new Workshop(folder, required('VINCI_PROGRAM'));
  const [browser] = await Promise.all([startBrowser(folder), record(work)]);
  project.provide('endpoint', browser.wsEndpoint());
  project.provide('folder', folder);
  return async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  };
}
