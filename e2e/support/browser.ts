/** Finds a Chromium for the journeys; installs one if possible, otherwise says how. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

/**
 * Software WebGL, and no background network access. Pages are composited without WebGL: in software that would take
 * more processor time than everything else on a page.
 */
export const browserArguments = [
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--disable-gpu-compositing',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const starts = (path: string) =>
  spawnSync(path, ['--no-sandbox', '--headless', '--version'], { timeout: 20_000 }).status === 0;

const packaged = async () => {
  if (process.platform !== 'linux') return undefined;
  const { default: bundled } = await import('@sparticuz/chromium');
  return bundled.executablePath();
};

const fromDebian = () => {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.log('No Chromium found: installing the one of this Debian (apt-get install chromium)');
  spawnSync('apt-get', ['update'], { stdio: 'ignore' });
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
  return systemPaths[0];
};

/** The path of a browser that starts: CHROME_PATH, Playwright's own, the one from npm, the system's, Debian's. */
export async function findBrowser(): Promise<string> {
  const named = process.env.CHROME_PATH;
  if (named) {
    if (existsSync(named) && starts(named)) return named;
    throw new Error(`CHROME_PATH is ${named}, which is no browser that starts`);
  }
  const places = [
    () => chromium.executablePath(),
    // Before the system's: as a headless shell it needs a quarter less processor time.
    packaged,
    ...systemPaths.map((path) => () => path),
    fromDebian,
  ];
  for (const place of places) {
    const path = await place();
    if (path && existsSync(path) && starts(path)) return path;
  }
  throw new Error(
    'The journeys need a Chromium: set CHROME_PATH, or run “npx playwright install chromium”, or install your system’s package',
  );
}
