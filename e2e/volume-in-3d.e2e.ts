import type { Page } from '@playwright/test';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { standardView } from '#kernels/grid/camera.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { sphere } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { encodeViewState } from '#web/viewer/state/url-codec.ts';
import { canonicalise } from '#web/viewer/state/view-state.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { plainView } from './support/one-of-each.ts';
import { finished, uploadScan } from './support/scans.ts';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';
import { readPicture, readViewInAddress } from './support/viewer.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

/** A ball in air: grey values 8000 outside, 40000 inside. */
const ball = { radiusMm: 5, dimensions: 56, voxelSizeMm: 0.25, air: 8000, material: 40000 };
const halfBoxMm = (ball.dimensions * ball.voxelSizeMm) / 2;

async function scannedBall(name: string) {
  const { id: workspaceId } = await createWorkspace(`${name} ${Date.now()}`);
  const { id } = await createProject(workspaceId, name);
  const edge = ball.voxelSizeMm;
  const volume = renderBody(sphere(ball.radiusMm), {
    dimensions: [ball.dimensions, ball.dimensions, ball.dimensions],
    voxelSizeMm: [edge, edge, edge],
    air: ball.air,
    material: ball.material,
  });
  const parts: Uint8Array[] = [];
  for await (const part of writeNrrd(makeSlabs(volume))) parts.push(part);
  await uploadScan(id, 'ball.nrrd', Buffer.concat(parts));
  return id;
}

const size = 400;
/** From the front, at a box around the origin that fills a square picture except for its margin. */
const camera = standardView(
  'front',
  { min: [-halfBoxMm, -halfBoxMm, -halfBoxMm], max: [halfBoxMm, halfBoxMm, halfBoxMm] },
  1,
);
const mmPerPixel = camera.heightMm / size;

const view = (change: Partial<ViewState>): ViewState =>
  canonicalise({ ...plainView, meshId: null, camera, ...change });

const cutBy = (planes: ViewState['clips']['planes']): ViewState['clips'] => ({ ...plainView.clips, planes });

/** The created surface and its scan: a view that names only a surface shows no scan. */
async function readMeshed(projectId: string) {
  const { inputDataObjectIds, outputDataObjectIds } = await finished(projectId, 'createMesh');
  return { volumeId: inputDataObjectIds[0], meshId: outputDataObjectIds[0] };
}

/** Opens a link to a view; if the project is open already, only the view changes. */
async function open(page: Page, projectId: string, state: ViewState) {
  await page.goto(`${serviceUrl()}/projects/${projectId}#view=${await encodeViewState(state)}`);
  const { layout, meshId, camera, surface, volume, clips } = state;
  await expect
    .poll(() => page.evaluate(() => window.__scanwrightViewer?.state()), { timeout: 60_000 })
    .toMatchObject({ layout, meshId, camera, surface, volume, clips });
  await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
}

/** The 3D pane as a square picture, with its colour at a position in mm from its centre. */
async function picture(page: Page) {
  const rgba = await readPicture(page, size);
  const at = (rightMm: number, upMm: number): [number, number, number] => {
    const x = Math.floor(size / 2 + rightMm / mmPerPixel);
    const y = Math.floor(size / 2 - upMm / mmPerPixel);
    const i = 4 * (y * size + x);
    return [rgba[i], rgba[i + 1], rgba[i + 2]];
  };
  return at;
}

const distance = (a: readonly number[], b: readonly number[]) =>
  Math.max(...a.map((each, k) => Math.abs(each - b[k])));

/** Drags in the 3D pane between positions in mm from its centre (right and up); also returns the mm per pixel. */
async function takeScene(page: Page) {
  const box = await page.locator('[data-pane="3d"] canvas').first().boundingBox();
  if (!box) throw new Error('no 3D pane');
  const mm = camera.heightMm / box.height;
  const place = ([right, up]: readonly [number, number]) =>
    [box.x + box.width / 2 + right / mm, box.y + box.height / 2 - up / mm] as const;
  const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
    await page.mouse.move(...place(from));
    await page.mouse.down();
    await page.mouse.move(...place(to), { steps: 3 });
    await page.mouse.up();
  };
  const point = (at: readonly [number, number]) => page.mouse.move(...place(at));
  return { mm, drag, point };
}

// The smallest window in which everything fits, because software rendering computes each pixel.
test.use({ viewport: { width: 1280, height: 800 } });

test('a new scan is visible in 3D before any analysis, with its true size and colours', async ({ page }) => {
  test.slow();
  const projectId = await scannedBall('Ball before any analysis');
  await storeSession(page);

  await test.step('as a solid whose outline matches the ball within a pixel', async () => {
    await open(page, projectId, view({}));
    const at = await picture(page);
    const ground = at(0, halfBoxMm * 1.05);
    const isBall = (x: number, y: number) => distance(at(x, y), ground) > 12;
    for (const upMm of [1.3, -1.3, 3.1, -3.1]) {
      const half = Math.sqrt(ball.radiusMm ** 2 - upMm ** 2);
      const inBox = halfBoxMm - 4 * mmPerPixel;
      const columns = Array.from(
        { length: Math.floor((2 * inBox) / mmPerPixel) },
        (_, i) => i * mmPerPixel - inBox,
      );
      const seen = columns.filter((x) => isBall(x, upMm));
      expect(Math.abs(Math.min(...seen) + half)).toBeLessThan(2 * mmPerPixel);
      expect(Math.abs(Math.max(...seen) - half)).toBeLessThan(2 * mmPerPixel);
      expect(seen.length).toBeGreaterThan((2 * half) / mmPerPixel - 3);
    }
  });

  const maxima = (visible: boolean | null): ViewState['volume'] => ({
    visible,
    style: 'maximum',
    curve: [
      { value: 30_000, opacity: 0, color: '#000000' },
      { value: 31_000, opacity: 1, color: '#000000' },
      { value: ball.material, opacity: 1, color: '#3399cc' },
    ],
  });
  await test.step('as its maximum values, in the colour that the curve gives the maximum', async () => {
    await open(page, projectId, view({ volume: maxima(null) }));
    const at = await picture(page);
    for (const [x, y] of [
      [0.6, 0.6],
      [-2, 1],
      [3, -2.5],
    ] as const)
      expect(distance(at(x, y), [0x33, 0x99, 0xcc])).toBeLessThanOrEqual(1);
    expect(distance(at(5.5, 4.5), [11, 13, 16])).toBeLessThanOrEqual(1);
  });

  await test.step('clipped, with the grey values of the section', async () => {
    const clips = cutBy([{ enabled: true, normal: [0, -1, 0], offsetMm: 1 }]);
    await open(page, projectId, view({ clips, window: { center: 30_000, width: 40_000 } }));
    const at = await picture(page);
    expect(distance(at(2, 2), [191, 191, 191])).toBeLessThanOrEqual(2);
    const seen = Math.sqrt(ball.radiusMm ** 2 - 1);
    expect(distance(at(seen + 0.2, 0.3), at(5.5, 5.5))).toBeLessThanOrEqual(2);
    await open(page, projectId, view({ clips: { ...clips, section: 'plain' } }));
    const plain = await picture(page);
    expect(distance(plain(2, 2), [128, 105, 94])).toBeLessThanOrEqual(2);
  });

  await test.step('clipped along a slice, and the clip moved and tilted by hand', async () => {
    await open(page, projectId, view({ layout: 'grid', cursorMm: [0, 0, 0] }));
    await page.locator('[data-pane="xy"] canvas').focus();
    await page.keyboard.press('c');
    await expect(page.getByRole('button', { name: 'Cut the part open along XY' })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    const readClip = async () => {
      const [clip] = (await page.evaluate(() => window.__scanwrightViewer?.state()))?.clips.planes ?? [];
      if (!clip?.enabled) throw new Error('nothing is cut');
      return clip;
    };
    const clip = await readClip();
    expect(clip.normal).toEqual([0, 0, 1]);
    await open(page, projectId, view({ clips: cutBy([clip]) }));
    const at = await picture(page);
    // Above the slice nothing is left of the ball; the handle of the clip is at its centre.
    expect(distance(at(1.5, 3), at(-6.5, 6.5))).toBeLessThan(10);
    expect(distance(at(0, -3), at(-6.5, 6.5))).toBeGreaterThan(30);
    const { mm, drag } = await takeScene(page);
    await drag([0, clip.offsetMm], [0, clip.offsetMm + 2]);
    const moved = await readClip();
    expect(moved.normal).toEqual([0, 0, 1]);
    expect(Math.abs(moved.offsetMm - clip.offsetMm - 2)).toBeLessThan(3 * mm);
    // The handle is at 0.16 of the scan's diagonal above the plane.
    const reach = 0.16 * 2 * halfBoxMm * Math.sqrt(3);
    await drag([0, moved.offsetMm + reach], [reach, moved.offsetMm + reach]);
    const { normal } = await readClip();
    expect((Math.atan2(normal[0], normal[2]) * 180) / Math.PI).toBeCloseTo(45, -1);
    await page.getByTitle('Cut open in 3D', { exact: true }).click();
    await page.getByRole('group', { name: 'Plane 1' }).getByRole('button', { name: 'Edit' }).click();
    const tilt = page.getByLabel('Angle of the cut’s normal from Z, °');
    await tilt.fill('90');
    await page.keyboard.press('Enter');
    expect((await readClip()).normal[2]).toBeCloseTo(0, 5);
  });

  await test.step('a side of the box is moved inwards by hand: the part beyond it is gone, the section stays grey, Undo restores it', async () => {
    const clips: ViewState['clips'] = {
      ...cutBy([]),
      box: { enabled: true, minMm: [-6, -1, -6], maxMm: [6, 6, 6], keep: 'inside' },
    };
    await open(page, projectId, view({ clips, window: { center: 30_000, width: 40_000 } }));
    const whole = await picture(page);
    const sectionGrey = [191, 191, 191];
    for (const upMm of [0.5, 3]) expect(distance(whole(2, upMm), sectionGrey)).toBeLessThanOrEqual(2);
    // The panel opened in the previous step hides nothing of the part, and stays open during the drag.
    const { drag } = await takeScene(page);
    await drag([0, 6], [0, 1.5]);
    const cut = await picture(page);
    expect(distance(cut(2, 0.5), sectionGrey)).toBeLessThanOrEqual(2);
    expect(distance(cut(2, 3), cut(-6.5, 3))).toBeLessThan(10);
    const panel = page.getByRole('region', { name: 'Cut open in 3D' });
    // Undone wherever the focus is.
    await page.getByRole('button', { name: 'Run analysis' }).focus();
    await page.keyboard.press('Control+z');
    expect((await picture(page))(2, 3)).toEqual(whole(2, 3));
    await expect(page.getByText('Undone: change of a cut')).toBeVisible();
    await panel.getByRole('button', { name: 'Fit', exact: true }).focus();
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
    await expect(page.getByTitle('Cut open in 3D', { exact: true })).toBeFocused();
  });

  await test.step('it is hidden behind a surface, and shown where nothing is in front of it', async () => {
    await call('POST', `/api/v2/projects/${projectId}/createMesh`, {});
    const shown = await readMeshed(projectId);
    const opaque = { ...plainView.surface, shaded: false };
    // The open page may not have received the mesh yet.
    await page.goto('about:blank');
    await open(page, projectId, view({ ...shown, surface: opaque }));
    const alone = await picture(page);
    await (await takeScene(page)).point([0, 0]);
    // The ball's nearest point, read from its surface at the pointer.
    await expect(page.getByTestId('hover-label')).toHaveText(/-?0\.0\d, -[45]\.\d\d, -?0\.0\d\smm/);
    expect(alone(5.5, 4.5)).toEqual([243, 245, 247]);
    await open(page, projectId, view({ ...shown, surface: opaque, volume: maxima(true) }));
    const both = await picture(page);
    expect(both(2, 2)).toEqual(alone(2, 2));
    expect(distance(both(5.5, 4.5), [11, 13, 16])).toBeLessThanOrEqual(1);
    const through = { ...opaque, opacity: 0.5 };
    await open(page, projectId, view({ ...shown, surface: through, volume: maxima(true) }));
    const mixed = await picture(page);
    // Through two walls, each with an opacity of one half.
    const expected = alone(2, 2).map((each, k) => 0.75 * each + 0.25 * [0x33, 0x99, 0xcc][k]);
    expect(distance(mixed(2, 2), expected)).toBeLessThanOrEqual(3);
    await page.getByRole('group', { name: 'Layers' }).getByLabel('Surface', { exact: true }).uncheck();
    expect(distance((await picture(page))(2, 2), [0x33, 0x99, 0xcc])).toBeLessThanOrEqual(1);
    await expect.poll(async () => (await readViewInAddress(page))?.surface.visible).toBe(false);
    const cut = (section: ViewState['clips']['section']) => ({
      ...cutBy([{ enabled: true, normal: [0, -1, 0], offsetMm: 1 }]),
      section,
    });
    const opened = { ...shown, surface: opaque, window: { center: 40_000, width: 40_000 } };
    await open(page, projectId, view({ ...opened, clips: cut('open') }));
    const hollow = await picture(page);
    await open(page, projectId, view({ ...opened, clips: cut('grey') }));
    const filled = await picture(page);
    for (const [x, y] of [
      [2, 2],
      [-3, 1],
      [4.6, 0.3],
    ] as const) {
      expect(distance(filled(x, y), [128, 128, 128])).toBeLessThanOrEqual(2);
      expect(distance(hollow(x, y), filled(x, y))).toBeGreaterThan(20);
    }
    const seenMm = Math.sqrt(ball.radiusMm ** 2 - 1);
    expect(filled(seenMm + 0.2, 0.3)).toEqual(hollow(seenMm + 0.2, 0.3));
    // A click on the section moves to it, not to the wall behind.
    await page.locator('[data-pane="3d"] canvas').first().click();
    await expect
      .poll(async () => (await page.evaluate(() => window.__scanwrightViewer?.state()))?.cursorMm?.[1])
      .toBeCloseTo(-1, 3);
  });

  await test.step('and a box cuts a hole, with the sections of all of its sides', async () => {
    const shown = await readMeshed(projectId);
    const surface = { ...plainView.surface, shaded: false };
    const opened = { ...shown, surface, window: { center: 40_000, width: 40_000 } };
    const hole = (
      keep: 'inside' | 'outside',
      section: ViewState['clips']['section'],
    ): ViewState['clips'] => ({
      ...cutBy([]),
      box: { enabled: true, minMm: [-1, -3, -1], maxMm: [2, -1, 2], keep },
      section,
    });
    await open(page, projectId, view({ ...opened, clips: hole('inside', 'grey') }));
    const inside = await picture(page);
    await open(page, projectId, view({ ...opened, clips: hole('outside', 'grey') }));
    const before = await picture(page);
    const clips = {
      ...hole('outside', 'plain'),
      planes: [{ enabled: true, normal: [0, -1, 0], offsetMm: 2 }],
    };
    await open(page, projectId, view({ ...opened, clips: clips as ViewState['clips'] }));
    const plain = await picture(page);
    const isInHole = (x: number, y: number) => x > -1 && x < 2 && y > -1 && y < 2;
    for (const [x, y] of [
      [0.3, 0.4],
      [1.8, -0.8],
      [-1.3, 0.4],
      [2.6, 2.4],
    ] as const) {
      expect(distance(inside(x, y), [128, 128, 128]) <= 2).toBe(isInHole(x, y));
      // Nothing is clipped in front of the hole: its front wall is complete.
      expect(distance(before(x, y), [128, 128, 128])).toBeGreaterThan(20);
      // The plane opens the hole; around it is the section of the plane, inside it that of the hole's rear side.
      expect(distance(plain(x, y), [128, 105, 94])).toBeLessThanOrEqual(1);
    }
    const seenMm = Math.sqrt(ball.radiusMm ** 2 - 4);
    expect(distance(plain(seenMm - 0.2, 0.3), [128, 105, 94])).toBeLessThanOrEqual(1);
    expect(distance(plain(seenMm + 0.2, 0.3), [128, 105, 94])).toBeGreaterThan(20);
    await page.locator('[data-pane="3d"] canvas').first().click();
    const readDepth = async () =>
      (await page.evaluate(() => window.__scanwrightViewer?.state()))?.cursorMm?.[1];
    await expect.poll(readDepth).toBeCloseTo(-1, 3);
    // The scan itself is open there, too.
    const { style } = plainView.volume;
    const solid = { ...clips, section: 'grey' } as ViewState['clips'];
    const volume = { visible: true, style, curve: null };
    await open(page, projectId, view({ volume, clips: solid, window: { center: 30_000, width: 40_000 } }));
    const scan = await picture(page);
    expect(distance(scan(0.3, 0.4), [191, 191, 191])).toBeLessThanOrEqual(2);
    expect(distance(scan(-1.3, 0.4), [191, 191, 191])).toBeLessThanOrEqual(2);
    const atSide = scan(seenMm + 0.2, 0.3);
    expect(distance(atSide, [191, 191, 191])).toBeGreaterThan(20);
  });
});

test('the curve is edited by mouse and by number, stored in the address, and contexts are released', async ({
  page,
}) => {
  test.slow();
  const projectId = await scannedBall('Ball with a curve');
  await storeSession(page);
  await open(page, projectId, view({}));
  const volume = () => page.evaluate(() => window.__scanwrightViewer?.state().volume);
  const panel = page.getByRole('region', { name: 'Volume in 3D' });

  await test.step('a style, a number, a drag', async () => {
    await page.getByRole('button', { name: 'Volume', exact: true }).click();
    await panel.getByLabel('Style').selectOption('Bone-like');
    await expect.poll(volume).toEqual({ visible: null, style: 'bone', curve: null });
    await panel.getByLabel('Opacity of point 2').fill('45');
    await panel.getByLabel('Opacity of point 2').press('Enter');
    await expect.poll(async () => (await volume())?.curve?.[1].opacity).toBe(0.45);
    const before = (await volume())?.curve;
    const box = await panel.locator('canvas').boundingBox();
    if (!box || !before) throw new Error('no curve');
    // The fourth point is the last: at the right end of the picture, at a height of eight tenths.
    const along = (before[3].value - ball.air) / (ball.material - ball.air);
    const x = box.x + 42 + along * (box.width - 84);
    const y = (opacity: number) => box.y + 8 + (1 - opacity) * (box.height - 40);
    await page.mouse.move(x, y(0.8));
    await page.mouse.down();
    await page.mouse.move(x, y(0.5), { steps: 3 });
    await page.mouse.up();
    await expect.poll(async () => (await volume())?.curve?.[3].opacity).toBeCloseTo(0.5, 1);
    expect((await volume())?.curve?.slice(0, 3)).toEqual(before.slice(0, 3));
    const value = panel.getByTestId('grey-plot-value');
    await expect(value).toHaveText(/^[\d,]+: [\d,]+ voxels, opacity \d+\s%$/);
    expect(await value.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
    expect(await value.evaluate((text) => text.scrollHeight - text.clientHeight)).toBeLessThanOrEqual(0);
    await panel.getByRole('button', { name: 'Enlarge the opacity curve' }).click();
    const large = page.getByRole('dialog', { name: 'Opacity curve' });
    await expect(large.locator('canvas')).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Opacity curve as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^grey-values-histogram.*\.csv$/);
    await panel.getByRole('button', { name: 'Add point' }).press('Enter');
    await expect.poll(async () => (await volume())?.curve?.length).toBe(5);
    await page.evaluate(() => window.__scanwrightViewer?.whenIdle());
    await expectAccessible(page);
    // Brightness of the axis labels, below the plot.
    const readInk = () =>
      panel.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
        const from = Math.ceil(canvas.height * 0.82);
        const { data } =
          canvas.getContext('2d')?.getImageData(0, from, canvas.width, canvas.height - from) ?? {};
        const inks = [...(data ?? [])].filter((_, i) => i % 4 === 0 && (data?.[i + 3] ?? 0) > 150);
        return inks.reduce((sum, ink) => sum + ink, 0) / inks.length;
      });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(readInk).toBeGreaterThan(160);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(readInk).toBeLessThan(96);
  });

  await test.step('a link shows the same', async () => {
    const kept = await volume();
    await expect.poll(async () => (await readViewInAddress(page))?.volume).toEqual(kept);
    await page.reload();
    await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
    expect(await volume()).toEqual(kept);
  });

  await test.step('after eighteen more viewers, beyond the limit of contexts in a browser, the first one of the page still works', async () => {
    await page.evaluate(() => {
      const context = document.createElement('canvas').getContext('webgl2');
      Object.assign(window, { oldest: context });
    });
    const [data, overview] = ['Data', 'Overview'].map((name) => page.getByRole('tab', { name }));
    for (let mount = 0; mount < 18; mount++) {
      await data.click();
      await expect(page.getByTestId('scan-viewer')).toHaveCount(0);
      await overview.click();
      await expect(page.locator('[data-pane="3d"] canvas').first()).toBeVisible();
    }
    await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
    const isLost = await page.evaluate(() =>
      (window as unknown as { oldest: WebGL2RenderingContext }).oldest.isContextLost(),
    );
    expect(isLost).toBe(false);
  });
});
