/** Records the headings that a page has shown, however briefly. */
import type { Page } from '@playwright/test';

declare const window: { __headings?: string[] };

/** Records every level-2 heading from now on, in order; runs in the page. */
export function noteHeadings(): void {
  const seen: string[] = [];
  window.__headings = seen;
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('h2'))
      if (textContent && textContent !== seen.at(-1)) seen.push(textContent);
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

export const readHeadings = async (page: Page): Promise<string[]> =>
  (await page.evaluate(() => window.__headings)) ?? [];
