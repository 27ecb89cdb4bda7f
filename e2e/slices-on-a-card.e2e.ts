import type { Page } from '@playwright/test';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { encodeViewState } from '#web/viewer/state/url-codec.ts';
import { canonicalise } from '#web/viewer/state/view-state.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { plainView } from './support/one-of-each.ts';
import { uploadScan } from './support/scans.ts';
import type { SceneTools } from './support/scene/entry.ts';
import { openScenePage } from './support/scene/scene-page.ts';
import { createProject, createWorkspace, expect, serviceUrl, storeSession, test } from './support/test.ts';
import { viewerIsReady } from './support/viewer.ts';

declare const sceneTools: SceneTools;
declare const window: { __scanwrightViewer?: ViewerHooks; cards: WebGL2RenderingContext[]; drawn: number };

const [widthPx, heightPx] = [150, 110];

test('a graphics card draws planes of any orientation and all types of values like the CPU', async ({
  page,
}) => {
  await openScenePage(page);
  const found = await page.evaluate(
    ([widthPx, heightPx]) => {
      const { PlaneCard, cutOblique, drawPlanes, extractPlane, turnGrid } = sceneTools;
      const card = new PlaneCard(
        () => undefined,
        () => new OffscreenCanvas(1, 1).getContext('webgl2'),
      );
      const dimensions: [number, number, number] = [23, 17, 29];
      const grid = {
        dimensions,
        voxelSizeMm: [0.5, 0.7, 0.3] as [number, number, number],
        originMm: [-3, 4, 10] as [number, number, number],
        directions: [0.8, 0.6, 0, -0.6, 0.8, 0, 0, 0, 1] as [
          ...[number, number, number],
          ...[number, number, number],
          ...[number, number, number],
        ],
      };
      const count = dimensions[0] * dimensions[1] * dimensions[2];
      /** 0 to 1, uniformly distributed without a pattern */
      const share = (n: number) => (Math.imul(n + 1, 2_654_435_761) >>> 8) / 2 ** 24;
      const fill = <Values extends { length: number; [n: number]: number }>(
        values: Values,
        low: number,
        high: number,
      ) => {
        for (let n = 0; n < values.length; n++) values[n] = low + (high - low) * share(n);
        return values;
      };
      const floats = fill(new Float32Array(count), -2, 3);
      for (let n = 5; n < count; n += 97) floats[n] = Number.NaN;
      /** Narrow windows far from zero, and wide ones. */
      const kinds = [
        ['uint8', fill(new Uint8Array(count), 0, 256), [40, 200]],
        ['int8', fill(new Int8Array(count), -128, 128), [-100, 90]],
        ['uint16', fill(new Uint16Array(count), 0, 65_536), [9000, 52_000]],
        ['uint16', fill(new Uint16Array(count), 60_000, 60_040), [60_010.5, 60_030]],
        ['int16', fill(new Int16Array(count), -32_768, 32_768), [-1000, 20_000]],
        ['float32', floats, [-1.5, 2.25]],
        ['float32', fill(new Float32Array(count), 1e6, 1e6 + 40), [1e6 + 5.3, 1e6 + 31]],
      ] as const;
      const lies = [
        { normal: [0.3, -0.5, 0.8], up: [0, 0, 1] },
        { normal: [-1, 0.2, 0.1], up: [0.1, 0.3, 1] },
      ] as { normal: [number, number, number]; up: [number, number, number] }[];
      const spare = new OffscreenCanvas(widthPx, heightPx).getContext('2d', { willReadFrequently: true });
      const worst: Record<string, number> = {};
      let drawn = 0;
      const compare = (
        name: string,
        planes: Parameters<typeof drawPlanes>[0],
        view: Parameters<typeof drawPlanes>[1],
        limits: readonly [number, number],
      ) => {
        for (const smooth of [true, false]) {
          const picture = { widthPx, heightPx, pixels: new Uint32Array(widthPx * heightPx) };
          drawPlanes(planes, view, limits, 1, smooth, picture);
          const taken = card.draw('xy', planes, { view, scale: 1, smooth }, limits, [widthPx, heightPx]);
          if (!taken || !spare) throw new Error(`${name} was not drawn`);
          spare.clearRect(0, 0, widthPx, heightPx);
          spare.drawImage(
            taken.canvas,
            ...([0, taken.firstRow, widthPx, heightPx] as const),
            ...([0, 0, widthPx, heightPx] as const),
          );
          const bytes = new Uint8Array(picture.pixels.buffer);
          const { data } = spare.getImageData(0, 0, widthPx, heightPx);
          let off = 0;
          for (let n = 0; n < bytes.length; n++) off = Math.max(off, Math.abs(bytes[n] - data[n]));
          drawn += picture.pixels.reduce((sum, pixel) => sum + (pixel === 0 ? 0 : 1), 0);
          worst[`${name}, ${smooth ? 'linear' : 'nearest'}`] = off;
        }
      };
      for (const [dataType, data, limits] of kinds) {
        const volume = { ...grid, dataType, data };
        const name = `${dataType} ${limits.join(' to ')}`;
        for (const [normal, axis] of (['x', 'y', 'z'] as const).entries()) {
          const [u, v] = [0, 1, 2].filter((each) => each !== normal) as [0 | 1 | 2, 0 | 1 | 2];
          const middle = (k: 0 | 1 | 2) => grid.originMm[k] + 0.43 * dimensions[k] * grid.voxelSizeMm[k];
          const view = { centreU: middle(u), centreV: middle(v), heightMm: 7.3, widthPx, heightPx };
          // On a slice, between two (where no interpolated value ends in one half, which may be rounded either way),
          // and beyond the last.
          for (const slice of [5, 7.3713, 40]) {
            const positionMm = grid.originMm[normal] + slice * grid.voxelSizeMm[normal];
            const plane = extractPlane(volume, axis, positionMm, true);
            compare(`${name}, ${axis} ${slice}`, [plane], view, limits);
          }
          if (axis !== 'z') continue;
          // As received from the service: adjacent tiles over the whole plane, each with its own values.
          const whole = extractPlane(volume, axis, grid.originMm[2], false);
          const { width, height, values, spacingMm, originMm } = extractPlane(volume, axis, 12, true);
          const cut = (from: number, to: number) => ({
            ...{ width: to - from, height, spacingMm, exact: true },
            originMm: [originMm[0] + from * spacingMm[0], originMm[1]] as [number, number],
            values: values.filter((_, n) => n % width >= from && n % width < to),
            goesOn: { left: from > 0, right: to < width, below: false, above: false },
          });
          compare(`${name}, parts`, [whole, cut(3, 11), cut(10, 16)], view, limits);
        }
        for (const [n, orientation] of lies.entries()) {
          const turned = turnGrid(grid, orientation);
          const [u, v, w] = [0, 1, 2].map(
            (k) =>
              (turned.originMm[k] ?? 0) + 0.47 * (turned.dimensions[k] ?? 0) * (turned.voxelSizeMm[k] ?? 0),
          ) as [number, number, number];
          const view = { centreU: u, centreV: v, heightMm: 13, widthPx, heightPx };
          const shown = { positionMm: w, view, scale: 1 };
          const plane = cutOblique(() => turned).cut(volume, shown, true);
          compare(`${name}, oblique ${n}`, [plane], view, limits);
          // In a view other than the one it was cut for, it is drawn from its values.
          compare(`${name}, oblique ${n} nearer`, [plane], { ...view, heightMm: 6 }, limits);
        }
      }
      const wide = extractPlane({ ...grid, dataType: 'int32', data: new Int32Array(count) }, 'z', 12, true);
      const view = { centreU: 0, centreV: 5, heightMm: 7, widthPx, heightPx };
      const look = { view, scale: 1, smooth: true };
      const refused = card.draw('xy', [wide], look, [0, 1], [widthPx, heightPx]) === null;
      card.dispose();
      return { worst, drawn, refused };
    },
    [widthPx, heightPx] as const,
  );
  expect(Object.entries(found.worst).filter(([, off]) => off > 1)).toEqual([]);
  expect(Object.keys(found.worst)).toHaveLength(7 * (9 + 1 + 4) * 2);
  expect(found.drawn).toBeGreaterThan(196 * 0.3 * widthPx * heightPx);
  // More bits than the card's floats have.
  expect(found.refused).toBe(true);
});

/** A tube along z around the origin: radii 3 and 5 mm, 10 mm long. */
const tube = renderBody(hollowCylinder(5, 3, 10), {
  dimensions: [56, 50, 44],
  voxelSizeMm: [0.25, 0.25, 0.25],
  air: 10_000,
  material: 40_000,
});
const at = { centerMm: [0.2, 0.1, 0] as [number, number, number], heightMm: 15 };
const view: ViewState = canonicalise({
  ...plainView,
  meshId: null,
  layout: 'grid',
  cursorMm: [0.4, 3.4, -0.7],
  planes: { xy: at, xz: at, yz: at, oblique: at },
  oblique: { normal: [0.2, -1, 1], up: [0, 0, 1] },
  window: { center: 24_000, width: 41_000 },
});

/** Runs before the page's scripts: makes contexts without a canvas on the page report a graphics card. */
function claimCard(): void {
  window.cards = [];
  window.drawn = 0;
  const getContext = OffscreenCanvas.prototype.getContext as (
    this: OffscreenCanvas,
    kind: string,
    options?: object,
  ) => OffscreenRenderingContext | null;
  Object.assign(OffscreenCanvas.prototype, {
    getContext(this: OffscreenCanvas, kind: string, options?: object) {
      const context = getContext.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false });
      if (!(context instanceof WebGL2RenderingContext)) return context;
      const getParameter = context.getParameter.bind(context);
      const unmaskedRenderer = 0x9246;
      context.getParameter = (name) =>
        name === context.RENDERER || name === unmaskedRenderer ? 'A graphics card' : getParameter(name);
      const drawArrays = context.drawArrays.bind(context);
      context.drawArrays = (...given) => {
        window.drawn++;
        drawArrays(...given);
      };
      window.cards.push(context);
      return context;
    },
  });
}

/** The current content of the panes, including everything drawn over the grey values. */
const readPanes = (page: Page) =>
  page.evaluate(async () => {
    await window.__scanwrightViewer?.whenIdle();
    return [...document.querySelectorAll<HTMLCanvasElement>('canvas[aria-label^="Slice "]')].map(
      (canvas) => ({
        name: canvas.ariaLabel?.split('.')[0] ?? '',
        bytes:
          canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ??
          new Uint8ClampedArray(),
      }),
    );
  });

test('the viewer draws slices on the graphics card if there is one, and on the CPU once it is lost', async ({
  page,
}) => {
  const { id: workspaceId } = await createWorkspace(`Card ${Date.now()}`);
  const { id } = await createProject(workspaceId, 'Tube on a card');
  const parts: Uint8Array[] = [];
  for await (const part of writeNrrd(makeSlabs(tube))) parts.push(part);
  await uploadScan(id, 'tube.nrrd', Buffer.concat(parts));
  await storeSession(page);
  await page.addInitScript(claimCard);
  await page.goto(`${serviceUrl()}/projects/${id}#view=${await encodeViewState(view)}`);
  await viewerIsReady(page);
  await page.locator('canvas[aria-label^="Slice "]').first().focus();
  await page.keyboard.press('PageUp');
  const byCard = await readPanes(page);
  expect(byCard).toHaveLength(4);
  const [contexts, drawn] = await page.evaluate(() => [window.cards.length, window.drawn] as const);
  // One for all panes.
  expect(contexts).toBe(1);
  expect(drawn).toBeGreaterThanOrEqual(4);
  await page.evaluate(async () => {
    const [card] = window.cards;
    const lost = new Promise((resolve) => card?.canvas.addEventListener('webglcontextlost', resolve));
    card?.getExtension('WEBGL_lose_context')?.loseContext();
    await lost;
  });
  const byProcessor = await readPanes(page);
  for (const [n, { name, bytes }] of byCard.entries()) {
    const others = byProcessor[n]?.bytes ?? [];
    expect(others).toHaveLength(bytes.length);
    expect(new Set(bytes).size, name).toBeGreaterThan(50);
    expect(
      bytes.reduce((most, byte, k) => Math.max(most, Math.abs(byte - (others[k] ?? 0))), 0),
      name,
    ).toBeLessThanOrEqual(1);
  }
  expect(await page.evaluate(() => [window.cards.length, window.drawn])).toEqual([1, drawn]);
});

/** The content of the panes of a comparison. */
const readCompared = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    return [...document.querySelectorAll<HTMLCanvasElement>('canvas[data-compare-pane]')].map(
      (canvas) =>
        canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ??
        new Uint8ClampedArray(),
    );
  });

test('compared slices are also drawn on the card, with one context for all panes, and on the CPU once it is lost', async ({
  page,
}) => {
  const { id: workspaceId } = await createWorkspace(`Compared on a card ${Date.now()}`);
  const ids: string[] = [];
  for (const [radiusMm, voxelMm] of [
    [5, 0.25],
    [4.2, 0.31],
  ]) {
    const { id } = await createProject(workspaceId, `Tube of ${radiusMm} mm`);
    const body = renderBody(hollowCylinder(radiusMm, 3, 10), {
      dimensions: [46, 42, 44],
      voxelSizeMm: [voxelMm, voxelMm, voxelMm],
    });
    const parts: Uint8Array[] = [];
    for await (const part of writeNrrd(makeSlabs(body))) parts.push(part);
    await uploadScan(id, 'tube.nrrd', Buffer.concat(parts));
    ids.push(id);
  }
  await storeSession(page);
  await page.addInitScript(claimCard);
  const projects = ids.map((id) => `projects=${id}`).join('&');
  for (const way of ['mode=side', 'mode=blend&share=0.4&view=xz', 'mode=swipe&share=0.3&view=yz']) {
    await page.goto(`${serviceUrl()}/compare?${projects}&${way}&height=13`);
    await expect(page.getByText('Loading the scan…')).toHaveCount(0, { timeout: 60_000 });
    const isDrawn = () => page.evaluate(() => window.drawn > 1);
    await expect.poll(isDrawn, way).toBe(true);
    const byCard = await readCompared(page);
    const drawn = await page.evaluate(async () => {
      const [card] = window.cards;
      const lost = new Promise((resolve) => card?.canvas.addEventListener('webglcontextlost', resolve));
      card?.getExtension('WEBGL_lose_context')?.loseContext();
      await lost;
      return window.drawn;
    });
    const byProcessor = await readCompared(page);
    expect(byCard).toHaveLength(way === 'mode=side' ? 2 : 1);
    for (const [n, bytes] of byCard.entries()) {
      const others = byProcessor[n] ?? [];
      expect(new Set(bytes).size, way).toBeGreaterThan(50);
      expect(others).toHaveLength(bytes.length);
      const most = bytes.reduce((worst, byte, k) => Math.max(worst, Math.abs(byte - (others[k] ?? 0))), 0);
      expect(most, way).toBeLessThanOrEqual(way.includes('blend') ? 2 : 1);
    }
    expect(await page.evaluate(() => [window.cards.length, window.drawn])).toEqual([1, drawn]);
  }
});
