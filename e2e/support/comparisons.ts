/** Pictures of comparisons, drawn by the viewer and by the service. */
import type { Page } from '@playwright/test';
import type { BookmarkRender } from '#contract/shapes/bookmark.ts';
import { call, expect, serviceUrl } from './test.ts';

/** Mean difference, of 255, between two pictures of 640 × 400 pixels. */
export const measureApart = (page: Page, addresses: readonly [string, string]): Promise<number> =>
  page.evaluate(async (both) => {
    const [one, other] = await Promise.all(
      both.map(async (address) => {
        const context = new OffscreenCanvas(640, 400).getContext('2d');
        context?.drawImage(await createImageBitmap(await (await fetch(address)).blob()), 0, 0);
        return context?.getImageData(0, 0, 640, 400).data ?? new Uint8ClampedArray();
      }),
    );
    return (
      (one ?? []).reduce((sum, byte, i) => sum + Math.abs(byte - (other?.[i] ?? 0)), 0) / (640 * 400 * 3)
    );
  }, addresses);

/** The picture of a bookmark rendered by the service. */
export async function drawByService(bookmarkId: string): Promise<string> {
  const renders = `/api/v2/bookmarks/${bookmarkId}/renders`;
  await call('POST', renders, { width: 640, height: 400 });
  let url: string | null = null;
  await expect
    .poll(
      async () => {
        const [{ status, url: made }] = (await call<{ results: BookmarkRender[] }>('GET', renders)).results;
        url = made;
        return status;
      },
      { timeout: 60_000 },
    )
    .toBe('completed');
  return new URL(url ?? '', serviceUrl()).href;
}
