// SPDX-License-Identifier: Apache-2.0
// Tests of the page in a real browser. They need the program with the page in it and Chromium:
//   VINCI_PROGRAM=../build/vinci npm run test:browser
import { defineConfig } from 'vitest/config';
import { patience } from '../support/patience';

export default defineConfig({
  test: {
    include: ['tests/browser/*.test.ts'],
    environment: 'node',
    globalSetup: ['tests/browser/support/setup.ts'],
    pool: 'threads',
    // Files share one browser; two at a time hide its waiting for the disk and for processes.
    maxWorkers: 2,
    minWorkers: 1,
    expect: { poll: { timeout: patience } },
    testTimeout: 2 * patience,
    hookTimeout: 2 * patience,
  },
});
