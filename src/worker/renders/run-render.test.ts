import { and, eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { viewState } from '#contract/testing/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs, type Vector3 } from '#kernels/grid/volume.ts';
import { hollowCylinder, porousBlock } from '#kernels/testing/bodies.ts';
import { boxMesh } from '#kernels/testing/compare-bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { workspaceMembers } from '#storage/db/schema-accounts.ts';
import { bookmarkRenders, bookmarks, measurements, notifications } from '#storage/db/schema-collaboration.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { requestWork, WorkLost } from '#storage/work/life.ts';
import { readPixels } from '../testing/read-pixels.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import { runRender } from './run-render.ts';

/** A tube along z around the zero of its frame: radii 3 and 5 mm, 10 mm long. */
const tube = renderBody(hollowCylinder(5, 3, 10), {
  dimensions: [56, 56, 56],
  voxelSizeMm: [0.25, 0.25, 0.25],
});
const grey = Float64Array.from(tube.data).sort();
const [air, material] = [grey[0], grey[grey.length - 1]];
const plane = { centerMm: [0, 0, 0] as [number, number, number], heightMm: 16 };

const view: ViewState = {
  ...viewState,
  layout: 'xy',
  // Beside the part, and with it the lines of the crosshair.
  cursorMm: [-6.9, -6.9, 0],
  planes: { xy: plane, xz: plane, yz: plane, oblique: null },
  window: { center: (air + material) / 2, width: (material - air) * 2 },
  surface: { ...viewState.surface, shaded: false },
  slices: { ...viewState.slices, surface: false },
  volume: { ...viewState.volume, visible: false },
};

let harness: WorkerHarness;
let projectId: string;
beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  ({ projectId } = harness);
  await harness.ended(await harness.upload('tube.nrrd', await collect(writeNrrd(makeSlabs(tube)))));
  await harness.ended(await harness.request('createMesh'));
  await harness.ended(await harness.request('runWallThickness'));
});
afterAll(() => harness.close());

async function render(viewState: ViewState, size: { width: number; height: number }, into = projectId) {
  const id = await harness.db.transaction(async (tx) => {
    const values = { projectId: into, name: 'A view', viewState, createdBy: harness.userId };
    const [bookmark] = await tx.insert(bookmarks).values(values).returning();
    const [row] = await tx
      .insert(bookmarkRenders)
      .values({ bookmarkId: bookmark.id, createdBy: harness.userId, ...size })
      .returning();
    await requestWork(tx, 'render', row);
    return row.id;
  });
  const read = async () =>
    (await harness.db.select().from(bookmarkRenders).where(eq(bookmarkRenders.id, id)))[0];
  await harness.until(async () => ['completed', 'failed'].includes((await read()).status));
  const row = await read();
  return { row, pixel: row.blobKey ? readPixels(await harness.store.read(row.blobKey)) : () => [] };
}

/** What who asked for a picture was told of it. */
async function listTold({ bookmarkId }: { bookmarkId: string }) {
  const rows = await harness.db.select().from(notifications).where(eq(notifications.userId, harness.userId));
  return rows
    .filter(({ subject }) => subject?.id === bookmarkId)
    .map(({ kind, title, body }) => ({ kind, title, body }));
}

it('a bookmark that is deleted meanwhile takes its picture with it, which is no failure', async () => {
  const { row } = await render(view, { width: 16, height: 16 });
  await harness.db.delete(bookmarks).where(eq(bookmarks.id, row.bookmarkId));
  const context = { db: harness.db };
  await expect(runRender({ row, project: { id: projectId }, context } as never)).rejects.toThrow(WorkLost);
});

it('draws the contour of the surface on a slice, where the body ends and in its colour', async () => {
  const surface = { ...view.surface, scalar: 'thicknessMm', range: [1.9, 2.1] as [number, number] };
  const slices = { ...view.slices, surface: true };
  const { pixel } = await render({ ...view, surface, slices }, { width: 640, height: 640 });
  const atMm = (x: number, y: number) => pixel(Math.round(319.5 + 40 * x), Math.round(319.5 - 40 * y));
  const isGrey = ([r, g, b]: number[]) => r === g && g === b;
  // The colour that viridis has in its middle: walls are 2 mm thick.
  for (const radius of [3, 5]) {
    const [r, g, b] = atMm(radius / Math.SQRT2, radius / Math.SQRT2);
    expect(Math.hypot(r - 0x21, g - 0x90, b - 0x8c), `${radius} mm: ${[r, g, b]}`).toBeLessThan(60);
    for (const off of [-0.2, 0.2])
      expect(isGrey(atMm((radius + off) / Math.SQRT2, (radius + off) / Math.SQRT2))).toBe(true);
  }
});

it('draws arrows across the walls that were measured, and none where they are not asked for', async () => {
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
  // 25 mm of circle at one arrow every 64 pixels of 1/40 mm, kept apart from those of the other face.
  expect(arrows).toBeGreaterThan(8);
  expect(arrows).toBeLessThan(24);
});

it('draws what was measured, and what is pinned to places, in the slice that they lie in alone', async () => {
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
  const at = ({ pixel }: Awaited<ReturnType<typeof render>>, x: number, y: number) =>
    pixel(160 + 20 * x, 160 - 20 * y);
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

it('draws a plane of any lie through the cursor, and its contour, as the viewer does', async () => {
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
  // Where it crosses a slice, and in 3D its outline and its normal: the violet of what is moved by hand.
  const countViolet = async (layout: 'xy' | '3d', lie: typeof oblique | null) => {
    const camera = { ...fromAbove, position: [30, -20, 20] as [number, number, number], heightMm: 24 };
    const drawn = await render({ ...state, layout, camera, oblique: lie }, { width: 320, height: 320 });
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

it('draws a slice with the grey values of the window where the body is', async () => {
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
  expect(await listTold(row)).toEqual([
    {
      kind: 'render.completed',
      title: 'Picture is ready: A view',
      body: expect.stringMatching(/^320 × 320, /),
    },
  ]);
});

const fromAbove = {
  position: [0, 0, 40] as [number, number, number],
  target: [0, 0, 0] as [number, number, number],
  up: [0, 1, 0] as [number, number, number],
  projection: 'orthographic' as const,
  heightMm: 16,
};
const scene = { ...view, layout: '3d' as const, camera: fromAbove };
const small = { width: 160, height: 160 };
/** 10 pixels a mm */
const atMm = ({ pixel }: Awaited<ReturnType<typeof render>>, x: number, y: number) =>
  pixel(80 + 10 * x, 80 - 10 * y);
const aside = [0xf3, 0xf5, 0xf7];

it('fills where the part is cut open with grey values, one colour, or leaves it open', async () => {
  const cut = { enabled: true, normal: [0, 0, 1] as [number, number, number], offsetMm: 0 };
  for (const [projection, at] of [
    ['orthographic', 3.5],
    // What is cut away was nearer to the eye; the section is as far from it as the target.
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

it('draws the volume in 3D where its surface is, cut open in its grey values', async () => {
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

it('draws the volume in each of its styles, as dense as the way through it is long', async () => {
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

it('draws each voxel as it is when the view does not smooth', async () => {
  const { pixel } = await render({ ...view, smooth: false }, { width: 320, height: 320 });
  const colours = new Set(Array.from({ length: 320 }, (_, x) => pixel(x, 160).join()));
  const voxels = new Set(tube.data.subarray(56 * 56 * 28, 56 * 56 * 29));
  expect(pixel(160 + 80, 160)).toEqual([191, 191, 191]);
  // Beside the ground, no more shades than the slice has grey values.
  expect(colours.size).toBeLessThanOrEqual(voxels.size + 1);
  // 5 pixels a voxel: the four others repeat it.
  expect(pixel(31, 160)).toEqual(pixel(34, 160));
});

it('draws the surface from the camera of the view, coloured by what is measured, and cuts it open', async () => {
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

it('draws the defects that the filter keeps, and the chosen one over all else', async () => {
  const into = await harness.newProject('Porous');
  const pores = [
    { centerMm: [-2, 0, 0] as Vector3, radiusMm: 0.9 },
    { centerMm: [2, 0, 0] as Vector3, radiusMm: 1.3 },
  ];
  const box = renderBody(porousBlock([9, 9, 9], pores), {
    dimensions: [56, 56, 56],
    voxelSizeMm: [0.2, 0.2, 0.2],
  });
  await harness.ended(await harness.upload('box.nrrd', await collect(writeNrrd(makeSlabs(box))), {}, into));
  const found = await harness.ended(await harness.request('runIntegrityAnalysis', {}, into));
  const [defects] = await harness.outputs(found.id);
  const table = (await harness.files(defects.id)).find(({ fileName }) => fileName === 'defects.csv');
  const [heading = '', ...rows] = new TextDecoder()
    .decode(await harness.store.read(table?.blobKey ?? ''))
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const read = (row: string[], name: string) => Number(row[heading.indexOf(name)]);
  expect(rows.length).toBe(2);
  const small = rows.find((row) => read(row, 'centerXMm') < 0) ?? [];
  const onlyLarge = {
    filter: [{ column: 'volumeMm3', min: 2 * read(small, 'volumeMm3'), max: null }],
    order: null,
  };
  const [scan] = await harness.db
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.projectId, into), eq(dataObjects.kind, 'volume')));
  const shown = {
    ...view,
    volumeId: scan.id,
    meshId: defects.id,
    // Beside the pores, in the box.
    cursorMm: [-4, -4, 0] as [number, number, number],
    slices: { ...view.slices, surface: true },
    surface: { ...view.surface, scalar: null },
  };
  const isPink = ([r, g, b]: number[]) => r > 200 && g < 130 && b > 110 && b < 220;
  const size = { width: 320, height: 320 };
  // 20 pixels a mm in both.
  for (const layout of ['xy', '3d'] as const) {
    const state = { ...shown, layout, camera: fromAbove };
    const draw = async (change: Partial<ViewState>) => {
      const { row, pixel } = await render({ ...state, ...change }, size, into);
      expect(row).toMatchObject({ status: 'completed', error: null });
      return (xMm: number, yMm: number) => pixel(160 + Math.round(20 * xMm), 160 - Math.round(20 * yMm));
    };
    const [all, some, chosen] = [
      await draw({}),
      await draw({ defects: onlyLarge }),
      await draw({ defects: onlyLarge, selectedDefectId: String(read(small, 'id')) }),
    ];
    // On the contour in the slice, in 3D within the ball.
    const reach = layout === 'xy' ? Math.SQRT1_2 : 0.4;
    const [ofSmall, ofLarge] = [
      [-2 + 0.9 * reach, 0.9 * reach] as const,
      [2 + 1.3 * reach, 1.3 * reach] as const,
    ];
    expect(some(...ofSmall), layout).not.toEqual(all(...ofSmall));
    expect(some(...ofLarge), layout).toEqual(all(...ofLarge));
    expect([isPink(all(...ofSmall)), isPink(some(...ofSmall))], layout).toEqual([false, false]);
    expect(isPink(chosen(...ofSmall)), `${layout} ${chosen(...ofSmall)}`).toBe(true);
    expect(chosen(...ofLarge), layout).toEqual(all(...ofLarge));
  }
  // A column of the table colours them: the small one by the low end of the map, the large one by the high end.
  const byDiameter = {
    ...view.surface,
    scalar: 'equivalentDiameterMm',
    range: [1.7, 2.7] as [number, number],
    map: 'viridis' as const,
  };
  const coloured = await render(
    { ...shown, layout: '3d', camera: fromAbove, surface: byDiameter },
    size,
    into,
  );
  const [[red, , blue], [yellow, green, little]] = [
    coloured.pixel(160 - 40 - 8, 160 + 6),
    coloured.pixel(160 + 40 + 8, 160 + 6),
  ];
  expect([blue > red, yellow > little + 60, green > little + 60]).toEqual([true, true, true]);
  // The part around them is seen through, in 3D and as an outline on slices, and framed with them.
  await harness.ended(await harness.request('createMesh', {}, into));
  const countSeen = async (referenceVisible: boolean) => {
    const around = { ...shown, layout: '3d' as const, camera: null, referenceVisible };
    const { pixel } = await render(around, size, into);
    const rows = Array.from({ length: 320 }, (_, y) => Array.from({ length: 320 }, (_, x) => pixel(x, y)));
    return rows.flat().filter((rgb) => rgb.join() !== aside.join()).length / 320 ** 2;
  };
  expect(await countSeen(true)).toBeGreaterThan(0.35);
  expect(await countSeen(false)).toBeLessThan(0.12);
  const outlined = async (reference: boolean) => {
    const slices = { ...shown.slices, reference };
    const { pixel } = await render({ ...shown, slices }, size, into);
    // The wall at 4.5 mm, beside the crosshair.
    return [-1, 0, 1].map((px) => Math.min(...pixel(250 + px, 140)));
  };
  expect(Math.max(...(await outlined(true)))).toBeGreaterThan(210);
  expect(Math.max(...(await outlined(false)))).toBeLessThan(200);
  // Without the table nobody knows which they are: no picture shows all of them in its place.
  await harness.db.delete(dataObjectFiles).where(eq(dataObjectFiles.id, table?.id ?? ''));
  for (const some of [{ defects: onlyLarge }, { selectedDefectId: String(read(small, 'id')) }]) {
    const { row } = await render({ ...shown, ...some }, size, into);
    expect(row).toMatchObject({ status: 'failed', blobKey: null, error: { code: 'MISSING_INPUT' } });
    expect(row.error?.detail).toContain('defects.csv');
  }
  expect((await render(shown, size, into)).row).toMatchObject({ status: 'completed' });
});

it('hatches the contour of what is beyond the limits of the colours', async () => {
  const slices = { ...view.slices, surface: true };
  const countWhite = async (range: [number, number]) => {
    const surface = { ...view.surface, scalar: 'thicknessMm', range };
    const { pixel } = await render({ ...view, surface, slices }, { width: 640, height: 640 });
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

it('draws scans beside and over each other, each where its alignment lays it, for who may see them', async () => {
  const other = await harness.newProject('Another tube');
  const bytes = await collect(writeNrrd(makeSlabs(tube)));
  const ingested = await harness.ended(await harness.upload('tube.nrrd', bytes, {}, other));
  const volume = await harness.output(ingested.id, 'volume');
  await harness.ended(await harness.request('createMesh', {}, other));
  const compare: NonNullable<ViewState['compare']> = {
    scans: [projectId, other].map((id) => ({ projectId: id, volumeId: null })),
    ...{ view: 'xy', mode: 'side', over: 1, share: 0.25, aligned: true, middleMm: [0, 0, 0], heightMm: 16 },
  };
  const draw = (change: Partial<typeof compare>) =>
    render({ ...view, compare: { ...compare, ...change } }, { width: 640, height: 320 });

  const refused = await draw({});
  expect(refused.row).toMatchObject({ status: 'failed', error: { code: 'MISSING_INPUT' } });
  expect(JSON.stringify(refused.row.error)).toContain('you may not see it');
  const [{ workspaceId }] = await harness.db.select().from(projects).where(eq(projects.id, other));
  const member = { workspaceId, userId: harness.userId, role: 'viewer' as const };
  await harness.db.insert(workspaceMembers).values(member);

  // 16 mm over 320 rows are 20 pixels a millimetre; beside each other the panes' middles are at 159 and 480.
  const readAt = ({ pixel }: Awaited<ReturnType<typeof draw>>, xMm: number, middle = 319.5) =>
    pixel(Math.round(middle + 20 * xMm), 130)[0];
  const [wall, bore] = [3.8, 1.5];
  const beside = await draw({});
  expect(beside.row).toMatchObject({ status: 'completed', stage: null });
  for (const middle of [159, 480]) {
    for (const side of [-1, 1]) expect(readAt(beside, side * wall, middle)).toBeGreaterThan(150);
    for (const side of [-1, 1]) expect(readAt(beside, side * bore, middle)).toBeLessThan(90);
  }

  // Its alignment lays it 6 mm to the right: its left wall is where the first has its right one, and further in.
  const [aligned] = await harness.db
    .insert(operations)
    .values({
      ...{ projectId: other, organizationId: harness.organizationId, operation: 'runAutoAlignLite' },
      ...{ status: 'completed', inputDataObjectIds: [volume.id, volume.id], createdBy: harness.userId },
    })
    .returning();
  await harness.db.insert(dataObjects).values({
    ...{ projectId: other, kind: 'alignment', name: 'Laid', createdByOperationId: aligned.id },
    metadata: { matrix: [1, 0, 0, 6, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] } as never,
  });
  const inBore = 2.2;
  const [isolated, first] = [
    await draw({ mode: 'blend', share: 1 }),
    await draw({ mode: 'blend', share: 0 }),
  ];
  expect(readAt(isolated, inBore)).toBeGreaterThan(150);
  expect(readAt(first, inBore)).toBeLessThan(90);
  const half = readAt(await draw({ mode: 'blend', share: 0.5 }), inBore);
  expect(Math.abs(half - (readAt(isolated, inBore) + readAt(first, inBore)) / 2)).toBeLessThan(2);
  const asScanned = await draw({ mode: 'blend', share: 1, aligned: false });
  expect(readAt(asScanned, inBore)).toBeLessThan(90);
  // A quarter of the width is 160 pixels, 8 mm: the second begins 8 mm right of the middle, before its right wall.
  const swiped = await draw({ mode: 'swipe' });
  expect(readAt(swiped, inBore)).toBe(readAt(first, inBore));
  expect(readAt(swiped, 6 + wall)).toBeGreaterThan(150);
  expect(readAt(first, 6 + wall)).toBeLessThan(30);

  const solid = await draw({ view: '3d' });
  const isGround = ([red = 0, , blue = 0]: number[]) => Math.abs(red - 0xf3) < 3 && Math.abs(blue - 0xf7) < 3;
  const bounds = { left: [0, 318], right: [322, 639] } as const;
  const seen = (side: keyof typeof bounds) => {
    const [from, to] = bounds[side];
    const columns = Array.from({ length: to - from }, (_, k) => from + k);
    const covered = columns.filter((x) => !isGround(solid.pixel(x, 200)));
    return covered.reduce((sum, x) => sum + x - from, 0) / Math.max(1, covered.length);
  };
  // One camera, in which the second stands further to the right.
  expect(seen('left')).toBeGreaterThan(20);
  expect(seen('right') - seen('left')).toBeGreaterThan(20);
});

it('draws what the alignment of the view has laid the scan on, where it then lies', async () => {
  const rows = await harness.db.select().from(dataObjects).where(eq(dataObjects.projectId, projectId));
  const [volume, mesh] = ['volume', 'mesh'].map((kind) => rows.find((row) => row.kind === kind));
  const inputDataObjectIds = [volume?.id ?? '', mesh?.id ?? ''];
  const work = { projectId, organizationId: harness.organizationId, operation: 'runAutoAlignLite' };
  const [laid, other] = await Promise.all(
    [2, -2].map(async (mm) => {
      const values = { ...work, status: 'completed' as const, inputDataObjectIds, createdBy: harness.userId };
      const [made] = await harness.db.insert(operations).values(values).returning();
      const metadata = { matrix: [1, 0, 0, mm, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] } as never;
      const place = { projectId, kind: 'alignment' as const, name: `${mm}`, createdByOperationId: made.id };
      return (
        await harness.db
          .insert(dataObjects)
          .values({ ...place, metadata })
          .returning()
      )[0];
    }),
  );
  const shown = { ...view, volumeId: volume?.id ?? null, meshId: mesh?.id ?? null };
  // The reference lies where the scan was before it was moved: its outer wall at 5 mm is at 3 or at 7.
  const readInk = async (alignmentId: string | null) => {
    const { row, pixel } = await render({ ...shown, alignmentId }, { width: 640, height: 640 });
    expect(row).toMatchObject({ status: 'completed' });
    return [-7, -3, 3, 7].map((mm) => {
      const around = Array.from({ length: 40 }, (_, k) => pixel(Math.round(319.5 + 40 * mm), 300 + k));
      return around.some((rgb) => Math.max(...rgb) - Math.min(...rgb) > 60);
    });
  };
  expect(await readInk(null)).toEqual([false, false, false, false]);
  expect(await readInk(laid.id)).toEqual([true, false, true, false]);
  expect(await readInk(other.id)).toEqual([false, true, false, true]);
  await harness.db.delete(dataObjects).where(inArray(dataObjects.id, [laid.id, other.id]));
  const gone = await render({ ...shown, alignmentId: laid.id }, { width: 64, height: 64 });
  expect(gone.row.error).toMatchObject({ code: 'MISSING_INPUT' });
});

it('draws a nominal shape with flat faces up to its sharp edges', async () => {
  const into = await harness.newProject('Nominal');
  const stl = writeStl(boxMesh([10, 10, 10]));
  await harness.ended(await harness.upload('block.stl', stl, { kind: 'cad', unit: 'mm' }, into));
  const [cad] = await harness.db.select().from(dataObjects).where(eq(dataObjects.projectId, into));
  expect(cad.kind).toBe('cad');
  const scene = { edges: false, gradient: false, occlusion: false };
  const surface = { ...viewState.surface, shaded: true, scalar: null };
  const shown = { ...viewState, layout: '3d' as const, meshId: cad.id, volumeId: null, scene, surface };
  const { row, pixel } = await render(shown, { width: 400, height: 400 }, into);
  expect(row.error).toBeNull();
  // Its upper face, as seen from a corner: near the middle of the picture, at its own middle, and near both sides.
  const [first, ...others] = [
    [200, 160],
    [200, 120],
    [200, 60],
    [140, 115],
    [260, 115],
  ].map(([x, y]) => pixel(x, y));
  expect(first).not.toEqual(pixel(5, 5));
  for (const each of others) expect(each).toEqual(first);
});

it('draws four panes in 4K', async () => {
  const { row, pixel } = await render({ ...view, layout: 'grid' }, { width: 3840, height: 2160 });
  expect(row).toMatchObject({ status: 'completed', width: 3840, height: 2160 });
  expect(pixel(960, 540)).toEqual([64, 64, 64]);
  expect(pixel(2890, 10)).toEqual([0xf3, 0xf5, 0xf7]);
  expect(pixel(2890, 540)).not.toEqual([0xf3, 0xf5, 0xf7]);
});

it('shows of a view that names only a surface no scan that came later', async () => {
  const [surface] = await harness.db.select().from(dataObjects).where(eq(dataObjects.kind, 'mesh'));
  const { row, pixel } = await render({ ...view, meshId: surface.id, volumeId: null }, small);
  expect(row).toMatchObject({ status: 'completed', error: null });
  expect(pixel(80 + 40, 80)).toEqual([0x0b, 0x0d, 0x10]);
});

it('says what is missing when the view shows data that is gone, or the project has none', async () => {
  const size = { width: 64, height: 64 };
  const gone = await render({ ...view, meshId: crypto.randomUUID() }, size);
  expect(gone.row).toMatchObject({ status: 'failed', error: { code: 'MISSING_INPUT' } });
  expect(await listTold(gone.row)).toEqual([
    { kind: 'render.failed', title: 'Picture failed: A view', body: gone.row.error?.detail },
  ]);
  const empty = await render(view, size, await harness.newProject('Empty'));
  expect(empty.row).toMatchObject({ status: 'failed', error: { code: 'MISSING_INPUT' } });
});
