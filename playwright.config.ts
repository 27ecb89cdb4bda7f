import { defineConfig } from '@playwright/test';
import { browserArguments, findBrowser } from './e2e/support/browser.ts';

/** Started first, so that no long journey runs alone at the end while a processor is idle. */
const longest = [
  'every-page',
  'held-work',
  'bulk',
  'volume-in-3d',
  'server-render',
  'compare',
  'bookmarks',
  'run-a-recipe',
  'every-dialog',
  'resume-an-upload',
  'panes',
  'compare-with-cad',
  'every-analysis',
  'measure',
  'projects-table',
  'keyboard-only',
  'slices-on-a-card',
  'start-and-survive',
  'viewer',
].map((name) => `**/${name}.e2e.ts`);

/**
 * V8 flags for pages that live for seconds: functions are optimized later, and garbage is collected less often. Pages
 * take a twelfth less CPU time.
 */
const shortLived = [
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-turbofan=12000',
  '--min-semi-space-size=16',
];

export default defineConfig({
  testDir: 'e2e',
  projects: [
    { name: 'longest', testMatch: longest },
    { name: 'others', testMatch: '**/*.e2e.ts', testIgnore: longest },
  ],
  globalSetup: './e2e/support/global-setup.ts',
  // One more than the processors of CI, because journeys wait at times for a process to start or a message to arrive.
  workers: 3,
  timeout: 240_000,
  // Enough for a much slower machine; on a fast one, an assertion returns as soon as it holds.
  expect: { timeout: 30_000 },
  forbidOnly: true,
  // If only the machine stalled, the second try passes and is reported as flaky; a fault fails both.
  retries: 1,
  reporter: [['line'], ['json', { outputFile: 'test-results/e2e.json' }]],
  outputDir: 'test-results/e2e',
  use: {
    viewport: { width: 1440, height: 900 },
    // A name that no longer exists on the page fails its step long before the journey's timeout.
    actionTimeout: 60_000,
    // Saves the CPU time of animations; analyse-a-scan.e2e.ts runs with them.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // A trace takes a tenth of the time of every journey.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: await findBrowser(),
      args: [...browserArguments, `--js-flags=${shortLived.join(',')}`],
    },
  },
});
