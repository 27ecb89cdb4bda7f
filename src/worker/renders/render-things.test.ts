import { and, eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { viewState } from '#contract/testing/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs, type Vector3 } from '#kernels/grid/volume.ts';
import { porousBlock } from '#kernels/testing/bodies.ts';
import { boxMesh } from '#kernels/testing/compare-bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { workspaceMembers } from '#storage/db/schema-accounts.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { fromAbove, openRenderHarness, type RenderHarness, tube, view } from '../testing/render-harness.ts';

let harness: RenderHarness;
let render: RenderHarness['render'];
let projectId: string;
beforeAll(async () => {
  harness = await openRenderHarness();
  ({ projectId, render } = harness);
});
afterAll(() => harness.close());

it('draws the defects that pass the filter, and the selected one on top', async () => {
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
    ...view.defects,
    filter: [{ column: 'volumeMm3', min: 2 * read(small, 'volumeMm3'), max: null }],
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
    return rows.flat().filter((rgb) => rgb.join() !== [0xf3, 0xf5, 0xf7].join()).length / 320 ** 2;
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

it('draws scans side by side and overlaid, each in its aligned position, for users who may see them', async () => {
  const other = await harness.newProject('Another tube');
  const bytes = await collect(writeNrrd(makeSlabs(tube)));
  const ingested = await harness.ended(await harness.upload('tube.nrrd', bytes, {}, other));
  const volume = await harness.output(ingested.id, 'volume');
  await harness.ended(await harness.request('createMesh', {}, other));
  const compare: NonNullable<ViewState['compare']> = {
    scans: [projectId, other].map((id) => ({ projectId: id, volumeId: null })),
    ...{ view: 'xy', mode: 'side', over: 1, share: 0.25, held: null },
    ...{ aligned: true, middleMm: [0, 0, 0], heightMm: 16 },
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
  // Both panes share a camera; the second scan is further to the right.
  expect(seen('left')).toBeGreaterThan(20);
  expect(seen('right') - seen('left')).toBeGreaterThan(20);

  // Overlaid in one pane: only the first, only the second, both at the requested opacity, and one on each side.
  const readRow = async (change: Partial<typeof compare>) => {
    const { row, pixel } = await draw({ view: '3d', ...change });
    expect(row).toMatchObject({ status: 'completed' });
    // Without the edges, on which the line of a swipe may stand.
    return Array.from({ length: 636 }, (_, x) => pixel(x + 2, 200));
  };
  const [only, second] = [
    await readRow({ mode: 'swipe', share: 0 }),
    await readRow({ mode: 'swipe', share: 1 }),
  ];
  const findMiddle = (row: number[][]) => {
    const covered = row.flatMap((rgb, x) => (isGround(rgb) ? [] : [x]));
    return covered.reduce((sum, x) => sum + x, 0) / covered.length;
  };
  expect(findMiddle(second) - findMiddle(only)).toBeGreaterThan(20);
  expect(await readRow({ mode: 'blink' })).toEqual(only);
  expect(await readRow({ mode: 'blink', held: 'other' })).toEqual(second);
  const parted = await readRow({ mode: 'swipe', share: 0.5 });
  expect(parted.slice(0, 315)).toEqual(only.slice(0, 315));
  expect(parted.slice(321)).toEqual(second.slice(321));
  const blended = await readRow({ mode: 'blend', share: 0.25 });
  const expected = only.map((rgb, x) =>
    isGround(second[x]) ? rgb : rgb.map((byte, k) => byte + (second[x][k] - byte) / 4),
  );
  const off = blended.map((rgb, x) => Math.max(...rgb.map((byte, k) => Math.abs(byte - expected[x][k]))));
  // But for pixels that an edge of the second runs through.
  expect(off.filter((bytes) => bytes > 1).length).toBeLessThan(12);
  const [there, here] = [
    await readRow({ mode: 'swipe', share: 0, aligned: false }),
    await readRow({ mode: 'swipe', share: 1, aligned: false }),
  ];
  expect(Math.abs(findMiddle(there) - findMiddle(here))).toBeLessThan(1);
});

it('draws the reference of the view’s alignment in its aligned position', async () => {
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

it('draws a nominal shape with flat faces and sharp edges', async () => {
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
