import type { Page } from '@playwright/test';
import { colorMap } from '#kernels/color/maps.ts';
import type { SceneState } from '#web/viewer/engine/layer.ts';
import type { SceneTools } from './support/scene/entry.ts';
import { openScenePage } from './support/scene/scene-page.ts';
import { expect, test } from './support/test.ts';

declare const sceneTools: SceneTools;

const size = 160;
const edges = { edges: true, occlusion: false };
interface Drawing {
  balls: { centre: [number, number, number]; radius: number }[];
  /** 0 leaves triangles in their order, 1 reverses it, higher numbers shuffle it */
  orders?: number[];
  surface?: Partial<SceneState['surface']>;
  scene?: SceneState['scene'];
  fromBehind?: boolean;
  /** in front of a dark page */
  isOnDark?: boolean;
}

/** Pictures (RGBA, premultiplied), one for each order of the triangles. */
const draw = (page: Page, drawing: Drawing): Promise<Uint8ClampedArray[]> =>
  page.evaluate(
    ({ balls, orders = [0], surface, scene, fromBehind, isOnDark, lut, edge }) => {
      const engine = new sceneTools.Engine(document.createElement('canvas'));
      const state = sceneTools.plainState(Uint8Array.from(lut));
      if (fromBehind) state.camera = { ...state.camera, position: [0, 30, 0] };
      const pictures = orders.map((order) => {
        const place = (i: number) => (order < 2 ? (order === 0 ? i : -i) : (i * 7919 * order) % 100_003);
        engine.setSurface(sceneTools.makeBalls(balls, 48, place));
        engine.apply({ ...state, surface: { ...state.surface, ...surface }, scene: scene ?? state.scene });
        return engine.picture(edge, edge, isOnDark);
      });
      engine.dispose();
      return pictures;
    },
    { ...drawing, lut: [...colorMap('viridis')], edge: size },
  );

const pixel = (picture: Uint8ClampedArray | undefined, x: number, y: number) =>
  picture?.slice(4 * (y * size + x), 4 * (y * size + x) + 4) ?? new Uint8ClampedArray();
/** The greatest difference of a byte. */
const difference = (a: Uint8ClampedArray | undefined, b: Uint8ClampedArray | undefined) => {
  expect(a?.length).toBe(b?.length);
  return (a ?? new Uint8ClampedArray()).reduce<number>(
    (most, value, i) => Math.max(most, Math.abs(value - (b?.[i] ?? 0))),
    0,
  );
};
/** of a whole picture, 0 to 255 */
const mean = (picture: Uint8ClampedArray | undefined) =>
  (picture ?? new Uint8ClampedArray()).reduce((sum, value) => sum + value, 0) / (picture?.length ?? 1);

test('shapes are translucent, outlined and shaded, and exact colours stay exact', async ({ page }) => {
  await openScenePage(page);
  /** one in front of the other */
  const pair: Drawing['balls'] = [
    { centre: [0, 4, 0], radius: 3 },
    { centre: [0.5, -4, 0], radius: 3 },
  ];

  await test.step('half-transparent surfaces look the same in any order of their triangles', async () => {
    const pictures = await draw(page, { balls: pair, orders: [0, 1, 2, 3], surface: { opacity: 0.4 } });
    for (const other of pictures.slice(1)) expect(difference(pictures[0], other)).toBeLessThanOrEqual(2);
    // In the middle rays cross four walls perpendicularly: their transmissions are multiplied.
    const alpha = pixel(pictures[0], size / 2, size / 2)[3] ?? 0;
    expect(Math.abs(alpha / 255 - (1 - 0.6 ** 4))).toBeLessThan(0.02);
    // At the rim the ray runs along a wall.
    const rim = pixel(pictures[0], Math.round(size / 2 - 0.245 * size), size / 2)[3] ?? 0;
    expect(rim / 255).toBeGreaterThan(1 - 0.6 ** 2 + 0.1);
  });

  await test.step('nearer surfaces have a higher weight', async () => {
    // From front to back the colour map goes from dark blue to yellow.
    const surface = { opacity: 0.6, scalar: 'awayMm', shaded: false };
    const [front] = await draw(page, { balls: pair, surface });
    const [back] = await draw(page, { balls: pair, surface, fromBehind: true });
    const green = (picture: Uint8ClampedArray | undefined) => pixel(picture, size / 2, size / 2)[1] ?? 0;
    expect(green(back)).toBeGreaterThan(green(front) + 40);
  });

  await test.step('edges darken outlines and leave faces unchanged', async () => {
    const ball = [{ centre: [0, 0, 0] as [number, number, number], radius: 3 }];
    const [plain] = await draw(page, { balls: ball });
    const [lined] = await draw(page, { balls: ball, scene: edges });
    expect(difference(pixel(plain, 80, 80), pixel(lined, 80, 80))).toBeLessThanOrEqual(1);
    expect(mean(lined)).toBeLessThan(mean(plain) - 0.3);
    const row = Array.from({ length: size }, (_, x) => pixel(plain, x, 80)[0] ?? 0);
    const first = row.findIndex((value) => value > 0);
    const onLine = [0, 1, 2].map((off) => (pixel(lined, first + off, 80)[0] ?? 0) / (row[first + off] || 1));
    expect(Math.min(...onLine)).toBeLessThan(0.75);
  });

  await test.step('outlines of dark objects are light in front of a dark page', async () => {
    const balls = [{ centre: [0, 0, 0] as [number, number, number], radius: 3 }];
    // The lower half is dark.
    const drawing = { balls, surface: { scalar: 'heightMm' }, scene: edges };
    const findGreen = async (isOnDark: boolean) => {
      const [picture] = await draw(page, { ...drawing, isOnDark });
      const row = Array.from({ length: size / 2 }, (_, x) => pixel(picture, x, 0.7 * size));
      const first = row.findIndex((each) => each[3] === 255);
      return Math.max(...row.slice(first, first + 3).map((each) => each[1] ?? 0));
    };
    expect((await findGreen(true)) - (await findGreen(false))).toBeGreaterThan(40);
  });

  await test.step('occlusion darkens the contact of two bodies, and a single ball hardly', async () => {
    const occlusion = { edges: false, occlusion: true };
    const balls = [-2.2, 2.2].map((x) => ({ centre: [x, 0, 0] as [number, number, number], radius: 2.5 }));
    const [plain] = await draw(page, { balls });
    const [dark] = await draw(page, { balls, scene: occlusion });
    const ratio = (x: number) => (pixel(dark, x, 80)[0] ?? 0) / (pixel(plain, x, 80)[0] ?? 1);
    expect(ratio(82)).toBeLessThan(0.92);
    expect(ratio(80 + Math.round(2.2 * 16))).toBeGreaterThan(0.97);
  });

  await test.step('with exact colours each pixel is a colour of the legend, with and without edges and occlusion', async () => {
    const surface = { shaded: false, scalar: 'heightMm' };
    const [exact] = await draw(page, { balls: pair, surface, scene: { edges: true, occlusion: true } });
    const map = colorMap('viridis');
    const entries = new Set(Array.from({ length: 256 }, (_, i) => map.subarray(3 * i, 3 * i + 3).join()));
    const seen = Array.from({ length: size * size }, (_, i) => pixel(exact, i % size, Math.floor(i / size)));
    const colours = seen.filter((each) => each[3] !== 0);
    expect(colours.length).toBeGreaterThan(2000);
    expect(colours.filter((each) => !entries.has(each.slice(0, 3).join()) || each[3] !== 255)).toEqual([]);
  });

  await test.step('a selected place without triangles is shown as a ball, visible through what is in front of it', async () => {
    const [none, ball] = await page.evaluate((edge) => {
      const engine = new sceneTools.Engine(document.createElement('canvas'));
      const state = sceneTools.plainState(new Uint8Array(3 * 258));
      engine.setSurface(sceneTools.makeBalls([{ centre: [0, 0, 0], radius: 3 }], 24));
      const marks = { attribute: 'heightMm', shown: null, chosenId: 999 };
      const pictures = [null, { centre: [0, 0, 0] as [number, number, number], radiusMm: 1 }].map(
        (chosenBall) => {
          engine.apply({ ...state, places: { ...marks, chosenBall } });
          const bytes = engine.picture(edge, edge);
          engine.setSurface(sceneTools.makeBalls([{ centre: [0, 0, 0], radius: 3 }], 24));
          return [...bytes.subarray(4 * (edge * (edge / 2) + edge / 2)).subarray(0, 3)];
        },
      );
      engine.dispose();
      return pictures;
    }, size);
    const pink = ([r = 0, g = 0]: number[] = []) => r - g;
    expect(pink(ball) - pink(none)).toBeGreaterThan(40);
  });

  await test.step('a restored graphics context draws the same', async () => {
    const isSame = await page.evaluate(async (edge) => {
      const canvas = document.createElement('canvas');
      const engine = new sceneTools.Engine(canvas);
      const state = sceneTools.plainState(new Uint8Array(3 * 258));
      engine.setSurface(sceneTools.makeBalls([{ centre: [0, 0, 0], radius: 3 }], 24));
      engine.apply({ ...state, scene: { edges: true, occlusion: true } });
      const before = engine.picture(edge, edge).join();
      const happens = (name: string) =>
        new Promise((resolve) => canvas.addEventListener(name, resolve, { once: true }));
      const card = canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context');
      canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
      const lost = happens('webglcontextlost');
      card?.loseContext();
      await lost;
      engine.draw(edge, edge, 1, true);
      const restored = happens('webglcontextrestored');
      // It can't be restored while the page still handles its loss.
      setTimeout(() => card?.restoreContext());
      await restored;
      const after = engine.picture(edge, edge).join();
      engine.dispose();
      return before === after;
    }, size);
    expect(isSame).toBe(true);
  });
});

test('a simplified surface is drawn until the original is loaded, and during movements', async ({ page }) => {
  await openScenePage(page);
  const seen = await page.evaluate((edge) => {
    const { Engine, makeBalls, plainState } = sceneTools;
    const engine = new Engine(document.createElement('canvas'));
    const ball = (rings: number) => makeBalls([{ centre: [0, 0, 0], radius: 3 }], rings);
    /** 4 rings² triangles, less those at the poles: more than are drawn during movements */
    const [whole, simplified, small] = [ball(360), ball(40), ball(48)];
    const state = plainState(new Uint8Array(3 * 258));
    const take = (isAtRest: boolean) => {
      engine.apply({ ...state, surface: { ...state.surface, scalar: 'heightMm' } });
      engine.draw(edge, edge, 1, isAtRest);
      const hit = engine.pick(edge / 2, edge / 2, edge, edge);
      return {
        triangles: engine.usage.triangles,
        isSimplified: hit?.isSimplified ?? false,
        y: hit?.pointWorld[1],
      };
    };
    const takeBoth = () => ({ moving: take(false), atRest: take(true) });
    engine.setSurface(null, simplified);
    const alone = takeBoth();
    engine.setSurface(whole, simplified);
    const both = takeBoth();
    engine.setSurface(small, simplified);
    const withSmall = takeBoth();
    engine.setSurface(null);
    const none = engine.pick(edge / 2, edge / 2, edge, edge);
    engine.dispose();
    const count = ({ indices }: { indices: Uint32Array }) => indices.length / 3;
    return { alone, both, withSmall, none, counts: [whole, simplified, small].map(count) };
  }, size);
  const [whole = 0, simplified = 0, small = 0] = seen.counts;
  // At rest, antialiasing draws one more triangle, over the whole picture.
  expect(seen.alone.moving).toMatchObject({ triangles: simplified, isSimplified: true });
  expect(seen.alone.atRest).toMatchObject({ triangles: simplified + 1, isSimplified: true });
  // Picking always uses the original surface once it is loaded.
  expect(seen.both.moving).toMatchObject({ triangles: simplified, isSimplified: false });
  expect(seen.both.atRest).toMatchObject({ triangles: whole + 1, isSimplified: false });
  expect(seen.both.moving.y).toBe(seen.both.atRest.y);
  expect(seen.withSmall.moving).toMatchObject({ triangles: small, isSimplified: false });
  expect(seen.none).toBeNull();
});
