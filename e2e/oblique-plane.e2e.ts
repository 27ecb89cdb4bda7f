import type { Page } from '@playwright/test';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { decodeViewState, encodeViewState } from '#web/viewer/state/url-codec.ts';
import { canonicalise } from '#web/viewer/state/view-state.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { plainView } from './support/one-of-each.ts';
import { uploadScan } from './support/scans.ts';
import {
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';
import { readPicture } from './support/viewer.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

/** A tube along z around the origin: radii 3 and 5 mm, 10 mm long; grey values 10000 and 40000. */
const tube = renderBody(hollowCylinder(5, 3, 10), {
  dimensions: [56, 56, 56],
  voxelSizeMm: [0.25, 0.25, 0.25],
  air: 10_000,
  material: 40_000,
});
const size = 400;
const heightMm = 16;
const at = { centerMm: [0, 0, 0] as [number, number, number], heightMm };
/** Right is along x; up is equally along y and z. */
const view: ViewState = canonicalise({
  ...plainView,
  meshId: null,
  layout: 'oblique',
  cursorMm: [0, 0, 0],
  planes: { xy: at, xz: at, yz: at, oblique: at },
  oblique: { normal: [0, -1, 1], up: [0, 0, 1] },
  window: { center: 25_000, width: 60_000 },
});

/** Opens a link to a view; if the project is open already, only the view changes. */
async function open(page: Page, projectId: string, state: ViewState) {
  await page.goto(`${serviceUrl()}/projects/${projectId}#view=${await encodeViewState(state)}`);
  const { layout, planes, oblique } = state;
  await expect
    .poll(() => page.evaluate(() => window.__scanwrightViewer?.state()), { timeout: 60_000 })
    .toMatchObject({ layout, planes, oblique });
  await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
}

const readState = async (page: Page) => {
  const state = await page.evaluate(() => window.__scanwrightViewer?.state());
  if (!state?.oblique) throw new Error('no oblique plane');
  return { ...state, oblique: state.oblique };
};

/** The view as a square picture: grey values by position in mm from the centre, and all of its bytes. */
async function picture(page: Page) {
  const rgba = await readPicture(page, size);
  const greyAt = (rightMm: number, upMm: number) => {
    const [x, y] = [rightMm, -upMm].map((mm) => Math.floor(size / 2 + (mm * size) / heightMm));
    return rgba[4 * ((y ?? 0) * size + (x ?? 0))];
  };
  return { greyAt, bytes: rgba.join() };
}

// The smallest window in which everything fits, because software rendering computes each pixel.
test.use({ viewport: { width: 1280, height: 800 } });

test('an oblique plane shows its grey values, is rotated by hand, keys and numbers, and is restored', async ({
  page,
}) => {
  const { id: workspaceId } = await createWorkspace(`Oblique ${Date.now()}`);
  const { id } = await createProject(workspaceId, 'Tube on a plane');
  const parts: Uint8Array[] = [];
  for await (const part of writeNrrd(makeSlabs(tube))) parts.push(part);
  await uploadScan(id, 'tube.nrrd', Buffer.concat(parts));
  await storeSession(page);

  await test.step('it shows the values of the volume, and nothing outside', async () => {
    await open(page, id, view);
    const { greyAt } = await picture(page);
    // The wall from 3 to 5 mm: unchanged along x, stretched by the tilt along the vertical.
    const stretched = Math.SQRT2;
    for (const [right, up, grey] of [
      [4, 0.5, 191],
      [-4, -0.5, 191],
      [0.5, 4 * stretched, 191],
      [0.5, -4 * stretched, 191],
      [0.5, 2.5 * stretched, 64],
      [2.5, 0.5, 64],
      [6, 0.5, 64],
      [7.6, 0.5, 0x0b],
    ] as const)
      expect(greyAt(right, up), `${right}, ${up} mm`).toBe(grey);
  });

  await test.step('it is rotated by the dot on its line in a slice', async () => {
    await open(page, id, { ...view, layout: 'yz' });
    const box = await page.locator('[data-pane="yz"] canvas').boundingBox();
    if (!box) throw new Error('no pane');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const reach = 0.34 * Math.min(box.width, box.height);
    // Seen from the right, the plane rises by 45° towards +y; the dot rotates it to 30°.
    const put = (degrees: number): [number, number] => [
      x + reach * Math.cos((degrees * Math.PI) / 180),
      y - reach * Math.sin((degrees * Math.PI) / 180),
    ];
    await page.mouse.move(...put(45));
    await page.mouse.down();
    await page.mouse.move(...put(38));
    await page.mouse.move(...put(30));
    await page.mouse.up();
    const { normal } = (await readState(page)).oblique;
    const risen = (Math.atan2(-normal[1], normal[2]) * 180) / Math.PI;
    expect(Math.abs(risen - 30)).toBeLessThan(1.5);
    expect(Math.abs(normal[0])).toBeLessThan(1e-6);
  });

  await test.step('it is rotated by keys and by a number, and restored from the address', async () => {
    await open(page, id, view);
    const first = await picture(page);
    const pane = page.locator('[data-pane="oblique"] canvas');
    await pane.focus();
    await page.keyboard.press('Shift+D');
    const { normal } = (await readState(page)).oblique;
    expect((Math.atan2(Math.abs(normal[0]), Math.hypot(normal[1], normal[2])) * 180) / Math.PI).toBeCloseTo(
      10,
      3,
    );
    expect((await picture(page)).bytes).not.toBe(first.bytes);
    await page.getByTitle('Oblique plane', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Angle of the normal from Z, °' }).fill('60');
    await page.keyboard.press('Enter');
    expect((await readState(page)).oblique.normal[2]).toBeCloseTo(0.5, 6);
    await expectAccessible(page);
    const changed = await picture(page);
    const state = await readState(page);
    await expect
      .poll(async () => await decodeViewState(new URL(page.url()).hash.replace('#view=', '')))
      .toEqual(state);
    await page.reload();
    await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
    expect((await picture(page)).bytes).toBe(changed.bytes);
  });
});
