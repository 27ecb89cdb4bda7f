import { defineConfig } from '@playwright/test';
import { browserArguments, findBrowser } from './e2e/support/browser.ts';

/** First, or one of them is left alone at the end with half of the processor. */
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
 * A page lives for seconds: what it does only some thousand times isn't worth optimizing, and its garbage can wait. Takes a
 * twelfth off what pages take of the processor.
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
  // One more than the processors of CI: a journey waits, now and then, for a process to start or a message to come.
  workers: 3,
  timeout: 240_000,
  // As long as on a machine that is many times slower: who waits for a state waits no longer than that takes.
  expect: { timeout: 30_000 },
  forbidOnly: true,
  // A machine that stalls for a moment costs a second try, which the report names as flaky; a fault fails both.
  retries: 1,
  reporter: [['line'], ['json', { outputFile: 'test-results/e2e.json' }]],
  outputDir: 'test-results/e2e',
  use: {
    viewport: { width: 1440, height: 900 },
    // A name that the page no longer has fails its step, not after the time of the whole journey.
    actionTimeout: 60_000,
    // Nothing fades for who has asked for less motion: no time goes into frames. The first journey sees what moves.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // Takes a tenth of the time of every journey.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: await findBrowser(),
      args: [...browserArguments, `--js-flags=${shortLived.join(',')}`],
    },
  },
});
