import type { Page } from '@playwright/test';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { type Block, buildStep } from '#formats/testing/build-step.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { legendPx } from '#kernels/overlay/paint-legend.ts';
import { type Body, box } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { encodeViewState } from '#web/viewer/state/url-codec.ts';
import { canonicalise } from '#web/viewer/state/view-state.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { plainView } from './support/one-of-each.ts';
import { finished } from './support/scans.ts';
import {
  apiToken,
  call,
  createProject,
  createWorkspace,
  expect,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';
import { uploadBytes } from './support/upload.ts';
import { readPicture, viewerIsReady } from './support/viewer.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

/** A block of 12 × 12 × 6 mm whose bore is 0.2 mm too wide all around. */
const nominal: Block = { size: [12, 12, 6], holeRadius: 2 };
const madeRadiusMm = 2.2;
const size = 600;
const heightMm = 15;
const at = { centerMm: [0, 0, 0] as [number, number, number], heightMm };

async function scanBlock(): Promise<Uint8Array> {
  const solid = box([...nominal.size]);
  const body: Body = {
    ...solid,
    distanceMm: (x, y, z) => Math.max(solid.distanceMm(x, y, z), madeRadiusMm - Math.hypot(x, y)),
  };
  return collect(
    writeNrrd(makeSlabs(renderBody(body, { dimensions: [60, 60, 36], voxelSizeMm: [0.25, 0.25, 0.25] }))),
  );
}

const show = (meshId: string | undefined, scalar: string, map: ViewState['surface']['map']) =>
  canonicalise({
    ...plainView,
    meshId,
    layout: 'xy',
    cursorMm: [0, 0, 0],
    planes: { xy: at, xz: at, yz: at, oblique: null },
    surface: { ...plainView.surface, scalar, map },
  });

async function open(page: Page, projectId: string, state: ViewState) {
  await page.goto('about:blank');
  await page.goto(
    `${serviceUrl()}/projects/${projectId}?data=${state.meshId}#view=${await encodeViewState(state)}`,
  );
  await viewerIsReady(page);
}

/** Number of positions on a circle around the bore with a coloured pixel, without the crosshair. */
async function countColours(page: Page, radiusMm: number): Promise<number> {
  const rgba = await readPicture(page, size);
  let count = 0;
  for (let degree = 0; degree < 360; degree++) {
    if (Math.min(degree % 90, 90 - (degree % 90)) < 5) continue;
    const [x = 0, y = 0] = [Math.cos, Math.sin].map(
      (turn) => (turn((degree * Math.PI) / 180) * radiusMm * size) / heightMm,
    );
    // The legend is beside the slice.
    const first = 4 * (size * Math.floor(size / 2 + y) + Math.floor((size - legendPx) / 2 + x));
    const rgb = rgba.slice(first, first + 3);
    if (Math.max(...rgb) - Math.min(...rgb) > 40) count++;
  }
  return count;
}

test('a slice shows deviations as whiskers and thicknesses as arrows across the wall, if switched on', async ({
  page,
}) => {
  test.slow();
  const workspace = await createWorkspace(`Marks ${Date.now()}`);
  const { id } = await createProject(workspace.id, 'Bored block with marks');
  const upload = async (filename: string, bytes: Uint8Array) => {
    await uploadBytes(serviceUrl(), await apiToken(), bytes, { projectId: id, filename });
    await finished(id, 'ingest');
  };
  await upload('block.nrrd', await scanBlock());
  await upload('nominal.step', new TextEncoder().encode(buildStep(nominal)));
  const run = async (operation: string, parameters: object) => {
    await call('POST', `/api/v2/projects/${id}/${operation}`, parameters);
    return (await finished(id, operation)).outputDataObjectIds[0];
  };
  const tolerance = { lowerMm: -0.3, upperMm: 0.3 };
  const comparison = await run('runMeshCompare', { alignment: 'none', tolerance });
  await run('createMesh', {});
  const thickness = await run('runWallThickness', {});
  await storeSession(page);

  await test.step('whiskers start at the nominal bore and point outwards, five times as long as the deviation', async () => {
    await open(page, id, show(comparison, 'deviationMm', 'coolwarm'));
    expect(await countColours(page, 2.6)).toBe(0);
    await expect(page.getByRole('region', { name: /^Legend: / }), 'without 3D beside it').toBeVisible();
    await page.getByRole('button', { name: 'Surface', exact: true }).click();
    await page.getByLabel('Deviation whiskers on slices').check();
    await page.getByLabel('Magnification').selectOption('5');
    // From 2.0 mm to 3.0 mm; nothing beyond.
    expect(await countColours(page, 2.6)).toBeGreaterThan(20);
    expect(await countColours(page, 3.2)).toBe(0);
    await expect(page.getByLabel('Wall thickness arrows on slices')).toHaveCount(0);
  });

  await test.step('the link restores them', async () => {
    const state = await page.evaluate(() => window.__scanwrightViewer?.state());
    expect(state?.slices).toMatchObject({ whiskers: true, magnification: 5 });
    await open(page, id, canonicalise(state));
    expect(await countColours(page, 2.6)).toBeGreaterThan(20);
  });

  await test.step('arrows are drawn across the walls beside the bore', async () => {
    await open(page, id, show(thickness, 'thicknessMm', 'viridis'));
    expect(await countColours(page, 4)).toBe(0);
    await page.getByRole('button', { name: 'Surface', exact: true }).click();
    await page.getByLabel('Wall thickness arrows on slices').check();
    expect(await countColours(page, 4)).toBeGreaterThan(2);
  });
});
