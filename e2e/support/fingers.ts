import type { Locator, Page } from '@playwright/test';

type Touch = 'touchStart' | 'touchMove' | 'touchEnd';

/** Touches a part of the page with two fingers: their distance, and the displacement of their midpoint to the right, in pixels. */
export async function putFingers(page: Page, part: Locator) {
  await part.scrollIntoViewIfNeeded();
  const box = await part.boundingBox();
  if (!box) throw new Error('nothing to touch');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const fingers = await page.context().newCDPSession(page);
  return (type: Touch, apart = 0, right = 0) =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd'
          ? []
          : [
              { x: x + right - apart / 2, y, id: 1 },
              { x: x + right + apart / 2, y, id: 2 },
            ],
    });
}
