import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { legendPx } from '#kernels/overlay/paint-legend.ts';
import { bookmarks, measurements } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { WorkLost } from '#storage/work/life.ts';
import {
  type Drawn,
  fromAbove,
  openRenderHarness,
  plane,
  type RenderHarness,
  tube,
  view,
} from '../testing/render-harness.ts';
import { runRender } from './run-render.ts';

let harness: RenderHarness;
let render: RenderHarness['render'];
let projectId: string;
beforeAll(async () => {
  harness = await openRenderHarness();
  ({ projectId, render } = harness);
  await harness.ended(await harness.request('runWallThickness'));
});
afterAll(() => harness.close());

it('a bookmark deleted meanwhile removes its picture, without a failure', async () => {
  const { row } = await render(view, { width: 16, height: 16 });
  await harness.db.delete(bookmarks).where(eq(bookmarks.id, row.bookmarkId));
  const context = { db: harness.db };
  await expect(runRender({ row, project: { id: projectId }, context } as never)).rejects.toThrow(WorkLost);
});

/** A slice of 640 × 640 pixels beside the legend of its contour. */
const besideLegend = { width: 640 + legendPx, height: 640 };

it('draws the surface’s contour on a slice, at the body’s boundary and in its colour', async () => {
  const surface = { ...view.surface, scalar: 'thicknessMm', range: [1.9, 2.1] as [number, number] };
  const slices = { ...view.slices, surface: true };
  const { pixel } = await render({ ...view, surface, slices }, besideLegend);
  const atMm = (x: number, y: number) => pixel(Math.round(319.5 + 40 * x), Math.round(319.5 - 40 * y));
  const isGrey = ([r, g, b]: number[]) => r === g && g === b;
  // The colour that viridis has in its middle: walls are 2 mm thick.
  for (const radius of [3, 5]) {
    const [r, g, b] = atMm(radius / Math.SQRT2, radius / Math.SQRT2);
    expect(Math.hypot(r - 0x21, g - 0x90, b - 0x8c), `${radius} mm: ${[r, g, b]}`).toBeLessThan(60);
    for (const off of [-0.2, 0.2])
      expect(isGrey(atMm((radius + off) / Math.SQRT2, (radius + off) / Math.SQRT2))).toBe(true);
  }
  const bar = Array.from({ length: 560 }, (_, y) => pixel(640 + 70, 50 + y));
  expect(bar.filter((rgb) => Math.max(...rgb) - Math.min(...rgb) > 30).length).toBeGreaterThan(500);
});

it('draws arrows across the measured walls, only if requested', async () => {
  const surface = { ...view.surface, scalar: 'thicknessMm', range: [1.9, 2.1] as [number, number] };
  const size = { width: 640, height: 640 };
  const countAcross = async (walls: boolean) => {
    const slices = { ...view.slices, walls };
    const { row, pixel } = await render({ ...view, surface, slices }, size);
    expect(row).toMatchObject({ status: 'completed', error: null });
    // Arrows along the radius stand where a circle in the middle of the wall is neither grey nor dark.
    const isInk = Array.from({ length: 1440 }, (_, i) => {
      const angle = (2 * Math.PI * i) / 1440;
      const rgb = pixel(Math.round(319.5 + 160 * Math.cos(angle)), Math.round(319.5 - 160 * Math.sin(angle)));
      return Math.max(...rgb) - Math.min(...rgb) > 30;
    });
    return isInk.filter((each, i) => each && !isInk[(i + 1439) % 1440]).length;
  };
  expect(await countAcross(false)).toBe(0);
  const arrows = await countAcross(true);
  // A circle of 25 mm with an arrow every 64 pixels of 1/40 mm, away from those of the other face.
  expect(arrows).toBeGreaterThan(8);
  expect(arrows).toBeLessThan(24);
});

it('draws measurements and pinned notes only in the slice that contains them', async () => {
  /** Orange, on edges of the line with grey in it. */
  const isInk = ([r, , b]: number[]) => r - b > 90;
  const [volume] = await harness.db.select().from(dataObjects).where(eq(dataObjects.kind, 'volume'));
  const [made] = await harness.db
    .insert(measurements)
    .values({
      ...{ projectId, dataObjectId: volume.id, name: 'Across', kind: 'distance', featureIds: [] },
      points: [
        [-4, -2, 0],
        [4, -2, 0],
      ],
      placement: 'free',
      result: { values: [], feature: null, method: '', provenance: {} as never },
    })
    .returning();
  const size = { width: 320, height: 320 };
  const labels = [
    { pointMm: [-2.4, 3.2, 0] as [number, number, number], title: '', value: null, unit: '', note: 'Here' },
  ];
  const marked = { ...view, labels, measurements: { visible: true, selectedId: null } };
  const at = ({ pixel }: Drawn, x: number, y: number) => pixel(160 + 20 * x, 160 - 20 * y);
  const drawn = await render(marked, size);
  expect(isInk(at(drawn, 1, -2))).toBe(true);
  // The ring around the place of a label, of light ink.
  const ring = [0, 1, 2, 3, 4].map((px) => at(drawn, -2.4 + px / 20, 3.2)).map(([r]) => r);
  expect(Math.max(...ring)).toBeGreaterThan(220);
  for (const state of [
    { ...marked, measurements: { visible: false, selectedId: null }, labels: [] },
    { ...marked, cursorMm: [-6.9, -6.9, 3] as [number, number, number] },
  ]) {
    const bare = await render(state, size);
    expect(isInk(at(bare, 1, -2))).toBe(false);
    expect(at(bare, -2.4, 3.2)).toEqual([191, 191, 191]);
  }
  await harness.db.delete(measurements).where(eq(measurements.id, made.id));
});

it('draws an oblique plane through the cursor, and its contour, as the viewer does', async () => {
  // To the right along x, up along y and z alike.
  const oblique = {
    normal: [0, -1, 1] as [number, number, number],
    up: [0, 0, 1] as [number, number, number],
  };
  const planes = { xy: plane, xz: plane, yz: plane, oblique: plane };
  const slices = { ...view.slices, surface: true };
  const cursorMm = [-6.9, 0, 0] as [number, number, number];
  const state = { ...view, layout: 'oblique' as const, oblique, planes, slices, cursorMm };
  const { row, pixel } = await render(state, { width: 320, height: 320 });
  expect(row).toMatchObject({ status: 'completed', error: null, stage: null });
  const atMm = (u: number, v: number) => pixel(160 + 20 * u, Math.round(160 - 20 * v));
  const upMm = (yMm: number) => yMm * Math.SQRT2;
  expect(atMm(4, 0.4)).toEqual([191, 191, 191]);
  expect(atMm(0, upMm(4))).toEqual([191, 191, 191]);
  expect(atMm(0, upMm(2.4))).toEqual([64, 64, 64]);
  expect(atMm(0, upMm(-2.4))).toEqual([64, 64, 64]);
  // The line is light and a little blue; without it the edge of the wall has the grey of half-way, 128.
  for (const v of [upMm(3), upMm(-3)]) {
    const [red = 0, , blue = 0] = atMm(0, v);
    expect([red > 160, blue > red + 3]).toEqual([true, true]);
  }
  // Counts violet pixels: the line on a slice, or the outline and normal of the oblique plane in 3D.
  const countViolet = async (layout: 'xy' | '3d', orientation: typeof oblique | null) => {
    const camera = { ...fromAbove, position: [30, -20, 20] as [number, number, number], heightMm: 24 };
    const drawn = await render(
      { ...state, layout, camera, oblique: orientation },
      { width: 320, height: 320 },
    );
    const isViolet = ([r, g, b]: number[]) => b > 200 && b - g > 60 && r - g > 20;
    const all = Array.from({ length: 320 * 320 }, (_, i) => drawn.pixel(i % 320, Math.floor(i / 320)));
    return {
      count: all.filter(isViolet).length,
      onLine: [-3, -2, -1, 0, 1, 2, 3].some((px) => isViolet(drawn.pixel(240, 160 + px))),
    };
  };
  expect((await countViolet('xy', oblique)).onLine).toBe(true);
  expect((await countViolet('3d', oblique)).count).toBeGreaterThan(200);
  for (const layout of ['xy', '3d'] as const) expect((await countViolet(layout, null)).count).toBe(0);
});

it('draws a slice of the body with the grey values of the window', async () => {
  const { row, pixel } = await render(view, { width: 320, height: 320 });
  expect(row).toMatchObject({ status: 'completed', error: null });
  // 20 pixels a mm; the window is twice as wide as from air to material: a quarter and three quarters of 255.
  const atMm = (x: number, y: number) => pixel(160 + 20 * x, 160 - 20 * y);
  expect(atMm(4, 0)).toEqual([191, 191, 191]);
  expect(atMm(0, 4)).toEqual([191, 191, 191]);
  expect(atMm(0, 0)).toEqual([64, 64, 64]);
  expect(atMm(6, 0)).toEqual([64, 64, 64]);
  // Beyond the volume, which ends at 7 mm.
  expect(atMm(7.5, 0)).toEqual([0x0b, 0x0d, 0x10]);
  expect(await harness.listNotifications(row)).toEqual([
    {
      kind: 'render.completed',
      title: 'Picture is ready: A view',
      body: expect.stringMatching(/^320 × 320, /),
    },
  ]);
});

const scene = { ...view, layout: '3d' as const, camera: fromAbove };
const small = { width: 160, height: 160 };
/** 10 pixels a mm */
const atMm = ({ pixel }: Drawn, x: number, y: number) => pixel(80 + 10 * x, 80 - 10 * y);
const aside = [0xf3, 0xf5, 0xf7];

it('fills cut faces with grey values or one colour, or leaves them open', async () => {
  const cut = { enabled: true, normal: [0, 0, 1] as [number, number, number], offsetMm: 0 };
  for (const [projection, at] of [
    ['orthographic', 3.5],
    // The removed half was nearer to the camera; the section is at the distance of the target.
    ['perspective', 3.5],
  ] as const) {
    for (const [section, inWall] of [
      ['grey', [191, 191, 191]],
      ['plain', [128, 105, 94]],
    ] as const) {
      const clips = { ...view.clips, planes: [cut], section };
      const drawn = await render({ ...scene, camera: { ...fromAbove, projection }, clips }, small);
      expect(drawn.row).toMatchObject({ status: 'completed', error: null, stage: null });
      for (const [x, y] of [
        [at, 1],
        [1, -at],
        [-at, -1],
      ] as const)
        expect(atMm(drawn, x, y), `${section} ${projection}`).toEqual(inWall);
      // The bore goes through, and nothing is filled beside the part.
      if (projection === 'orthographic') expect(atMm(drawn, 1, 1)).toEqual(aside);
      expect(atMm(drawn, 6, 1)).toEqual(aside);
    }
  }
  const clips = { ...view.clips, planes: [cut], section: 'open' as const };
  const open = await render({ ...scene, clips }, small);
  expect([atMm(open, 3.5, 1).join(), atMm(open, 1, -3.5).join()]).not.toContain('191,191,191');
});

it('draws the volume in 3D at its surface, with grey values on the cut', async () => {
  const shaded = { ...scene, surface: { ...view.surface, shaded: true } };
  const camera = { ...fromAbove, position: [20, -30, 20] as [number, number, number] };
  const surface = await render({ ...shaded, camera }, small);
  const hidden = { ...shaded.surface, visible: false };
  const volume = { ...view.volume, visible: true };
  const alone = await render({ ...shaded, camera, surface: hidden, volume }, small);
  expect(alone.row).toMatchObject({ status: 'completed', error: null, stage: null });
  // The lines of the box and the cursor are thin; what is wider is the part.
  const isPart = ({ pixel }: typeof alone, x: number, y: number) =>
    [pixel(x, y), pixel(x + 2, y + 2), pixel(x - 2, y + 1)].every((rgb) => rgb.join() !== aside.join());
  let [both, either, apart] = [0, 0, 0];
  for (let y = 2; y < 158; y++)
    for (let x = 2; x < 158; x++) {
      const [one, other] = [isPart(surface, x, y), isPart(alone, x, y)];
      if (one && other) both++;
      if (one && other) apart += Math.abs((surface.pixel(x, y)[1] ?? 0) - (alone.pixel(x, y)[1] ?? 0));
      if (one || other) either++;
    }
  expect(both).toBeGreaterThan(5000);
  expect(both / either).toBeGreaterThan(0.98);
  // Its light is that of the surface.
  expect(apart / both).toBeLessThan(10);
  const cut = { enabled: true, normal: [0, 0, 1] as [number, number, number], offsetMm: 0 };
  const clips = { ...view.clips, planes: [cut] };
  const open = await render({ ...shaded, clips, surface: hidden, volume }, small);
  expect(atMm(open, 3.5, 1)).toEqual([191, 191, 191]);
  expect(atMm(open, 1, 1)).toEqual(aside);
});

it('draws the volume in each style, with a density by path length', async () => {
  const draw = (style: ViewState['volume']['style']) =>
    render(
      {
        ...scene,
        surface: { ...view.surface, visible: false },
        volume: { ...view.volume, visible: true, style },
      },
      small,
    );
  const dark = [0x0b, 0x0d, 0x10];
  for (const style of ['xray', 'maximum'] as const) {
    const drawn = await draw(style);
    expect(atMm(drawn, 6, 1)).toEqual(dark);
    expect(atMm(drawn, 1, 1)).toEqual(dark);
    expect(atMm(drawn, 3.5, 1)[1]).toBeGreaterThan(120);
  }
  const bone = await draw('bone');
  expect(atMm(bone, 1, 1)).toEqual(aside);
  const [red, , blue] = atMm(bone, 3.5, 1);
  expect(red).toBeGreaterThan(blue + 15);
});

it('draws each voxel unsmoothed if the view does not smooth', async () => {
  const { pixel } = await render({ ...view, smooth: false }, { width: 320, height: 320 });
  const colours = new Set(Array.from({ length: 320 }, (_, x) => pixel(x, 160).join()));
  const voxels = new Set(tube.data.subarray(56 * 56 * 28, 56 * 56 * 29));
  expect(pixel(160 + 80, 160)).toEqual([191, 191, 191]);
  // Apart from the background, no more shades than the slice has grey values.
  expect(colours.size).toBeLessThanOrEqual(voxels.size + 1);
  // 5 pixels a voxel: the four others repeat it.
  expect(pixel(31, 160)).toEqual(pixel(34, 160));
});

it('draws the surface from the view’s camera, coloured by its values, and cut open', async () => {
  const camera = {
    position: [0, -40, 0] as [number, number, number],
    target: [0, 0, 0] as [number, number, number],
    up: [0, 0, 1] as [number, number, number],
    projection: 'orthographic' as const,
    heightMm: 16,
  };
  const surface = { ...view.surface, scalar: 'thicknessMm', range: [1.9, 2.1] as [number, number] };
  const size = { width: 320, height: 320 };
  const cursorMm = [-6.9, -6.9, -6.9] as [number, number, number];
  const shown = { ...view, layout: '3d' as const, camera, cursorMm, surface };
  const whole = await render(shown, size);
  expect(whole.row).toMatchObject({ status: 'completed', error: null });
  const ground = [0xf3, 0xf5, 0xf7];
  const atMm = (picture: typeof whole, x: number, z: number) => picture.pixel(160 + 20 * x, 160 - 20 * z);
  expect(atMm(whole, 5.5, 0)).toEqual(ground);
  expect(atMm(whole, 0, 5.5)).toEqual(ground);
  const [red, green, blue] = atMm(whole, 0, 0);
  // 2 mm is in the middle of the range: the green of viridis, within the accuracy of the measurement.
  expect(green).toBeGreaterThan(red + 20);
  expect(green + blue).toBeGreaterThan(150);
  const cut = async (clips: Partial<ViewState['clips']>) =>
    render({ ...shown, clips: { ...view.clips, ...clips, section: 'open' } }, size);
  // Two planes leave the quarter below on the left.
  const quarter = await cut({
    planes: [
      { enabled: true, normal: [0, 0, 2], offsetMm: 0 },
      { enabled: true, normal: [1, 0, 0], offsetMm: 1 },
      { enabled: false, normal: [0, -1, 0], offsetMm: -9 },
    ],
  });
  const isSeen = (picture: typeof whole, x: number, z: number) =>
    atMm(picture, x, z).join() !== ground.join();
  expect([isSeen(quarter, 0, 2), isSeen(quarter, 2, -2), isSeen(quarter, 0, -2)]).toEqual([
    false,
    false,
    true,
  ]);
  // The box goes through the tube from the front to the back.
  const box = { enabled: true, minMm: [-2, -9, -3], maxMm: [1, 9, 2] } as const;
  const inBox = (keep: 'inside' | 'outside') =>
    cut({ box: { ...box, minMm: [...box.minMm], maxMm: [...box.maxMm], keep } });
  const inside = await inBox('inside');
  const outside = await inBox('outside');
  for (const [x, z] of [
    [0, 0],
    [-1.8, -2.8],
    [2, 0],
    [0, 3],
  ] as const) {
    const isInBox = x < 1 && z < 2;
    expect([isSeen(inside, x, z), isSeen(outside, x, z)]).toEqual([isInBox, !isInBox]);
  }
});

it('hatches the contour where values exceed the limits of the colours', async () => {
  const slices = { ...view.slices, surface: true };
  const countWhite = async (range: [number, number]) => {
    const surface = { ...view.surface, scalar: 'thicknessMm', range };
    const { pixel } = await render({ ...view, surface, slices }, besideLegend);
    const ring = Array.from({ length: 360 }, (_, degree) => {
      const angle = (degree * Math.PI) / 180;
      return pixel(Math.round(319.5 + 200 * Math.cos(angle)), Math.round(319.5 - 200 * Math.sin(angle)));
    });
    return ring.filter(([red, , blue]) => red > 240 && blue > 150).length;
  };
  // Walls of 2 mm are above the second limits: white lies over the yellow of the map.
  expect(await countWhite([0, 2.5])).toBe(0);
  expect(await countWhite([0, 1])).toBeGreaterThan(100);
});

it('draws four panes in 4K', async () => {
  const { row, pixel } = await render({ ...view, layout: 'grid' }, { width: 3840, height: 2160 });
  expect(row).toMatchObject({ status: 'completed', width: 3840, height: 2160 });
  expect(pixel(960, 540)).toEqual([64, 64, 64]);
  expect(pixel(2890, 10)).toEqual([0xf3, 0xf5, 0xf7]);
  expect(pixel(2890, 540)).not.toEqual([0xf3, 0xf5, 0xf7]);
});

it('shows no later scan in a view that names only a surface', async () => {
  const [surface] = await harness.db.select().from(dataObjects).where(eq(dataObjects.kind, 'mesh'));
  const { row, pixel } = await render({ ...view, meshId: surface.id, volumeId: null }, small);
  expect(row).toMatchObject({ status: 'completed', error: null });
  expect(pixel(80 + 40, 80)).toEqual([0x0b, 0x0d, 0x10]);
});

it('reports what is missing if the view shows deleted data, or the project has none', async () => {
  const size = { width: 64, height: 64 };
  const gone = await render({ ...view, meshId: crypto.randomUUID() }, size);
  expect(gone.row).toMatchObject({ status: 'failed', error: { code: 'MISSING_INPUT' } });
  expect(await harness.listNotifications(gone.row)).toEqual([
    { kind: 'render.failed', title: 'Picture failed: A view', body: gone.row.error?.detail },
  ]);
  const empty = await render(view, size, await harness.newProject('Empty'));
  expect(empty.row).toMatchObject({ status: 'failed', error: { code: 'MISSING_INPUT' } });
});
