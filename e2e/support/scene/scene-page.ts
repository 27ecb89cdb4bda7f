/** A page with only the viewer's engine, to test pixels and measure times. */
import type { Page } from '@playwright/test';
import { build } from 'vite';

let bundled: Promise<string> | undefined;

async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry: `${import.meta.dirname}/entry.ts`, formats: ['es'] },
    },
  });
  const outputs = Array.isArray(built) ? built : [built];
  const chunk = outputs
    .flatMap((each) => ('output' in each ? each.output : []))
    .find(({ type }) => type === 'chunk');
  if (chunk?.type !== 'chunk') throw new Error('the scene was not bundled');
  return chunk.code;
}

/** Opens the page; evaluated code can use `sceneTools`. */
export async function openScenePage(page: Page): Promise<void> {
  bundled ??= bundle();
  await page.goto('about:blank');
  await page.addScriptTag({ type: 'module', content: await bundled });
  await page.waitForFunction(() => 'sceneTools' in globalThis);
}
