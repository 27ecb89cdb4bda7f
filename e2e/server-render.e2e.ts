import type { Page } from '@playwright/test';
import type { BookmarkRender } from '#contract/shapes/bookmark.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { legendPx } from '#kernels/overlay/paint-legend.ts';
import { porousBlock } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { plainView } from './support/one-of-each.ts';
import { analysedProject, finished, uploadScan } from './support/scans.ts';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  follow,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';
import { readPicture, viewerIsReady } from './support/viewer.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

const edge = 600;
type Pixels = ArrayLike<number>;

/** The picture of a bookmark rendered by the service, RGBA. */
async function drawnByService(page: Page, bookmarkId: string): Promise<Pixels> {
  const renders = `/api/v2/bookmarks/${bookmarkId}/renders`;
  await call('POST', renders, { width: edge, height: edge });
  let done: BookmarkRender | undefined;
  await expect
    .poll(
      async () => {
        [done] = (await call<{ results: BookmarkRender[] }>('GET', renders)).results;
        return done?.status;
      },
      { timeout: 60_000 },
    )
    .toBe('completed');
  expect(done?.stage).toBeNull();
  const png = Buffer.from(await (await fetch(done?.url ?? '')).arrayBuffer()).toString('base64');
  return page.evaluate(
    async ([data, size]) => {
      const context = new OffscreenCanvas(size, size).getContext('2d');
      const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
      context?.drawImage(await createImageBitmap(blob), 0, 0);
      return context?.getImageData(0, 0, size, size).data ?? [];
    },
    [png, edge] as const,
  );
}

/** The pictures of the viewer and of the service for one bookmark, whose project may already be open. */
async function drawBoth(page: Page, projectId: string, change: Partial<ViewState>) {
  const viewState = { ...plainView, ...change };
  const body = { projectId, name: 'Twice', viewState };
  const { id } = await call<{ id: string }>('POST', '/api/v2/bookmarks', body);
  const address = `/projects/${projectId}?bookmark=${id}`;
  // Opens one bookmark after another in the same page, like a user.
  if (page.url().includes(projectId)) await follow(page, address);
  else await page.goto(serviceUrl() + address);
  // Everything in which two views differ: otherwise the picture could still be that of the previous view.
  const { layout, camera, surface, volume, clips, defects, selectedDefectId, measurements, labels } =
    viewState;
  await expect
    .poll(() => page.evaluate(() => window.__scanwrightViewer?.state()), { timeout: 60_000 })
    .toMatchObject({
      layout,
      camera,
      surface,
      volume,
      clips,
      defects,
      selectedDefectId,
      measurements,
      labels,
    });
  await viewerIsReady(page);
  return { viewer: await readPicture(page, edge), service: await drawnByService(page, id) };
}

/** Of the pixels that `picks` selects in either picture, the share that it selects in both. */
function overlap(one: Pixels, other: Pixels, picks: (red: number, green: number, blue: number) => boolean) {
  let [both, either] = [0, 0];
  const isPicked = (pixels: Pixels, i: number) =>
    picks(pixels[i] ?? 0, pixels[i + 1] ?? 0, pixels[i + 2] ?? 0);
  for (let y = 0; y < edge; y++)
    for (let x = 0; x < edge - legendPx; x++) {
      const i = 4 * (y * edge + x);
      const [a, b] = [isPicked(one, i), isPicked(other, i)];
      if (a && b) both++;
      if (a || b) either++;
    }
  return { share: both / either, pixels: both };
}

/** Share of the pixels of the legend that are alike in both pictures. */
function compareLegends(viewer: Pixels, service: Pixels): number {
  let alike = 0;
  for (let y = 0; y < edge; y++)
    for (let x = edge - legendPx; x < edge; x++) {
      const i = 4 * (y * edge + x);
      const off = [0, 1, 2].map((k) => Math.abs((viewer[i + k] ?? 0) - (service[i + k] ?? 0)));
      if (Math.max(...off) <= 16) alike++;
    }
  return alike / (edge * legendPx);
}

const isAside = (r: number, g: number, b: number) =>
  Math.max(Math.abs(r - 0xf3), Math.abs(g - 0xf5), Math.abs(b - 0xf7)) <= 12;
const isMapped = (r: number, g: number, b: number) => Math.max(r, g, b) - Math.min(r, g, b) > 40;
/** Material is at three quarters between black and white. */
const greys = { center: 24_000, width: 64_000 };
const isGrey = (r: number, g: number, b: number) => r === g && g === b && r > 100 && r < 235;
const isSection = (r: number, g: number, b: number) =>
  Math.abs(r - 128) < 3 && Math.abs(g - 105) < 3 && Math.abs(b - 94) < 3;

/** The colour of a measurement on light ground, and of a selected one on dark ground. */
const isMeasured = (r: number, g: number, b: number) =>
  Math.abs(r - 230) < 40 && Math.abs(g - 162) < 40 && b < 130;

// The smallest window in which everything fits, because software rendering computes each pixel.
test.use({ viewport: { width: 1280, height: 800 } });

test('a picture rendered by the service has the framing, legend, sections and volume of the viewer’s own', async ({
  page,
}) => {
  test.slow();
  const { id: projectId } = await analysedProject('Drawn twice');
  const [meshId] = (await finished(projectId, 'runWallThickness')).outputDataObjectIds;
  const [volumeId] = (await finished(projectId, 'ingest')).outputDataObjectIds;
  await storeSession(page);
  const shown = { volumeId, meshId, window: greys };
  const drawTwice = (change: Partial<ViewState>) => drawBoth(page, projectId, { ...shown, ...change });
  const surface = { ...plainView.surface, scalar: 'thicknessMm', range: [1.5, 2.5] as [number, number] };
  // On the side of the camera.
  const cut = { enabled: true, normal: [-0.3, -1, 0.2] as [number, number, number], offsetMm: 0.4 };

  await test.step('the part covers the same pixels, and the legend has the same colours', async () => {
    const { viewer, service } = await drawTwice({ surface });
    expect(overlap(viewer, service, (...rgb) => !isAside(...rgb)).share).toBeGreaterThan(0.98);
    const mapped = overlap(viewer, service, isMapped);
    expect(mapped.pixels).toBeGreaterThan(20_000);
    expect(mapped.share).toBeGreaterThan(0.98);
    expect(compareLegends(viewer, service)).toBeGreaterThan(0.97);
  });

  await test.step('sections are filled in the same places', async () => {
    for (const [section, projection, isFilled] of [
      ['grey', 'perspective', isGrey],
      ['plain', 'orthographic', isSection],
    ] as const) {
      const camera = {
        position: [14, -34, 18] as [number, number, number],
        target: [0, 0, 0] as [number, number, number],
        up: [0, 0, 1] as [number, number, number],
        projection,
        heightMm: 16,
      };
      const clips = { ...plainView.clips, planes: [cut], section };
      const { viewer, service } = await drawTwice({ surface, camera, clips });
      const filled = overlap(viewer, service, isFilled);
      expect(filled.pixels, section).toBeGreaterThan(8000);
      expect(filled.share, `${section}, ${projection}`).toBeGreaterThan(0.97);
      expect(overlap(viewer, service, (...rgb) => !isAside(...rgb)).share).toBeGreaterThan(0.98);
    }
  });

  await test.step('translucent objects have the same opacity in any order', async () => {
    const through = await drawTwice({ surface: { ...surface, opacity: 0.4 } });
    expect(overlap(through.viewer, through.service, (...rgb) => !isAside(...rgb)).share).toBeGreaterThan(
      0.98,
    );
    expect(apart(through)).toBeLessThan(4);
  });

  await test.step('the volume has the same extent and brightness', async () => {
    const hidden = { ...plainView.surface, visible: false, scalar: null };
    for (const style of ['surface', 'bone', 'xray'] as const) {
      const volume = { ...plainView.volume, visible: true, style };
      const { viewer, service } = await drawTwice({ surface: hidden, volume });
      expect(apart({ viewer, service }), style).toBeLessThan(4);
      const isSeen = (r: number, g: number, b: number) => (style === 'xray' ? g > 60 : !isAside(r, g, b));
      expect(overlap(viewer, service, isSeen).share, style).toBeGreaterThan(0.98);
    }
  });

  await test.step('measurements and pinned labels are in the same places', async () => {
    await call('POST', `/api/v2/projects/${projectId}/measurements`, {
      dataObjectId: volumeId,
      name: 'Across',
      kind: 'distance',
      points: [
        [-3, -3, 0],
        [3, 3, 0],
      ],
    });
    await page.reload();
    const pointMm = [-2, 3, 0] as [number, number, number];
    const labels = [{ pointMm, title: 'Thickness', value: 2.5, unit: 'mm', note: 'Look here' }];
    const measurements = { visible: true, selectedId: null };
    const cursorMm = [-6, -6, 0] as [number, number, number];
    for (const layout of ['3d', 'xy'] as const) {
      const bare = await drawTwice({ layout, cursorMm, measurements: { ...measurements, visible: false } });
      // An axis and the frame of its letter blend to a few such pixels.
      expect(overlap(bare.viewer, bare.service, isMeasured).pixels, layout).toBeLessThan(10);
      const marked = await drawTwice({ layout, cursorMm, measurements, labels });
      const measured = overlap(marked.viewer, marked.service, isMeasured);
      expect(measured.pixels, layout).toBeGreaterThan(150);
      // Lines and dots agree; letters of the same size differ by up to two pixels in position.
      expect(measured.share, layout).toBeGreaterThan(0.4);
      const countAdded = (before: Pixels, after: Pixels) =>
        Array.from(differs(before, after)).filter((each) => each > 0).length / 4;
      const own = countAdded(bare.viewer, marked.viewer);
      const served = countAdded(bare.service, marked.service);
      expect(own).toBeGreaterThan(1000);
      expect(Math.abs(Math.log(served / own)), layout).toBeLessThan(0.2);
    }
  });
});

/** The colour of the selected defect, lit or over another. */
const isChosen = (r: number, g: number, b: number) => r > 150 && r - g > 70 && b - g > 20;

test('a picture rendered by the service shows the same defects, equally marked and hatched', async ({
  page,
}) => {
  test.slow();
  const { id: workspaceId } = await createWorkspace(`Pores drawn twice ${Date.now()}`);
  const { id: projectId } = await createProject(workspaceId, 'Pores drawn twice');
  const pores = [
    { centerMm: [-2, -0.5, 0], radiusMm: 0.8 },
    { centerMm: [2, 0.5, 0], radiusMm: 1.1 },
    { centerMm: [0, 2.4, 0], radiusMm: 1 },
  ] as const;
  const block = renderBody(
    porousBlock(
      [8, 8, 8],
      pores.map(({ centerMm, radiusMm }) => ({ centerMm: [...centerMm], radiusMm })),
    ),
    { dimensions: [48, 48, 48], voxelSizeMm: [0.2, 0.2, 0.2] },
  );
  await uploadScan(projectId, 'block.nrrd', await collect(writeNrrd(makeSlabs(block))));
  await call('POST', `/api/v2/projects/${projectId}/createMesh`, {});
  await finished(projectId, 'createMesh');
  await call('POST', `/api/v2/projects/${projectId}/runIntegrityAnalysis`, {});
  const [volumeId] = (await finished(projectId, 'ingest')).outputDataObjectIds;
  const [meshId] = (await finished(projectId, 'runIntegrityAnalysis')).outputDataObjectIds;
  await storeSession(page);
  const camera = {
    position: [4, -30, 22] as [number, number, number],
    target: [0, 0, 0] as [number, number, number],
    up: [0, 0, 1] as [number, number, number],
    projection: 'orthographic' as const,
    heightMm: 10,
  };
  // All three are beyond the limits of the colours, and the smallest is filtered out.
  const surface = { ...plainView.surface, scalar: 'volumeMm3', range: [0.1, 1] as [number, number] };
  const defects = { ...plainView.defects, filter: [{ column: 'volumeMm3', min: 3, max: null }] };
  const shown = { volumeId, meshId, camera, surface, cursorMm: [-4.6, -4.6, 0] as [number, number, number] };
  for (const layout of ['xy', '3d'] as const) {
    const drawn = await drawBoth(page, projectId, { ...shown, layout, defects, selectedDefectId: '2' });
    const chosen = overlap(drawn.viewer, drawn.service, isChosen);
    expect(chosen.pixels, layout).toBeGreaterThan(layout === 'xy' ? 300 : 2000);
    expect(chosen.share, layout).toBeGreaterThan(0.9);
    // Equally bright: the surface that it belongs to does not shine through.
    const brightness = [drawn.viewer, drawn.service].map((pixels) => measureBrightness(pixels, isChosen));
    expect(Math.abs((brightness[0] ?? 0) - (brightness[1] ?? 0)), `${layout}: ${brightness}`).toBeLessThan(4);
    const mapped = overlap(drawn.viewer, drawn.service, isMapped);
    expect(mapped.pixels, layout).toBeGreaterThan(2000);
    expect(mapped.share, layout).toBeGreaterThan(0.9);
    const all = await drawBoth(page, projectId, { ...shown, layout });
    // Filtered defects are missing from both pictures at the same places.
    expect(compareLegends(all.viewer, all.service), layout).toBeGreaterThan(0.95);
    const left = overlap(
      differs(all.viewer, drawn.viewer),
      differs(all.service, drawn.service),
      (red) => red > 0,
    );
    expect(left.pixels, layout).toBeGreaterThan(500);
    expect(left.share, layout).toBeGreaterThan(0.85);
  }
  // The part around them is included in the framing, and has the same transparency.
  const around = await drawBoth(page, projectId, { ...shown, camera: null });
  const part = overlap(around.viewer, around.service, (...rgb) => !isAside(...rgb));
  expect(part.pixels).toBeGreaterThan(80_000);
  expect(part.share).toBeGreaterThan(0.98);
  expect(apart(around)).toBeLessThan(3);
  const outlined = await drawBoth(page, projectId, { ...shown, layout: 'xy' });
  expect(apart(outlined)).toBeLessThan(3);
});

/** Mean red, of 255, of the selected pixels. */
function measureBrightness(pixels: Pixels, picks: (red: number, green: number, blue: number) => boolean) {
  let [sum, count] = [0, 0];
  for (let i = 0; i < 4 * edge * edge; i += 4) {
    const [red = 0, green = 0, blue = 0] = [pixels[i], pixels[i + 1], pixels[i + 2]];
    if (!picks(red, green, blue)) continue;
    sum += red;
    count++;
  }
  return sum / count;
}

/** Mean difference of two pictures, of 255. */
function apart({ viewer, service }: { viewer: Pixels; service: Pixels }): number {
  let sum = 0;
  for (let i = 0; i < 4 * edge * edge; i++) sum += Math.abs((viewer[i] ?? 0) - (service[i] ?? 0));
  return sum / (3 * edge * edge);
}

/** White where the two pictures differ. */
const differs = (one: Pixels, other: Pixels): Pixels =>
  Uint8Array.from({ length: 4 * edge * edge }, (_, i) => {
    const at = i - (i % 4);
    const off = [0, 1, 2].map((k) => Math.abs((one[at + k] ?? 0) - (other[at + k] ?? 0)));
    return Math.max(...off) > 60 ? 255 : 0;
  });
