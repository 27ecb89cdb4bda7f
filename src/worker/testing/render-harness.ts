/** Pictures of saved views, drawn by the test's own worker for a project with a tube. */
import { eq } from 'drizzle-orm';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { viewState } from '#contract/testing/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { bookmarkRenders, bookmarks, notifications } from '#storage/db/schema-collaboration.ts';
import { requestWork } from '#storage/work/life.ts';
import { readPixels } from './read-pixels.ts';
import { openWorkerHarness } from './worker-harness.ts';

/** A tube along z about the origin: radii 3 and 5 mm, length 10 mm. */
export const tube = renderBody(hollowCylinder(5, 3, 10), {
  dimensions: [56, 56, 56],
  voxelSizeMm: [0.25, 0.25, 0.25],
});
const grey = Float64Array.from(tube.data).sort();
const [air, material] = [grey[0], grey[grey.length - 1]];
export const plane = { centerMm: [0, 0, 0] as [number, number, number], heightMm: 16 };

export const view: ViewState = {
  ...viewState,
  layout: 'xy',
  // Outside the part, which keeps the crosshair lines away from it.
  cursorMm: [-6.9, -6.9, 0],
  planes: { xy: plane, xz: plane, yz: plane, oblique: null },
  window: { center: (air + material) / 2, width: (material - air) * 2 },
  surface: { ...viewState.surface, shaded: false },
  slices: { ...viewState.slices, surface: false },
  volume: { ...viewState.volume, visible: false },
};

export const fromAbove = {
  position: [0, 0, 40] as [number, number, number],
  target: [0, 0, 0] as [number, number, number],
  up: [0, 1, 0] as [number, number, number],
  projection: 'orthographic' as const,
  heightMm: 16,
};

export async function openRenderHarness() {
  const harness = await openWorkerHarness();
  await harness.startWorker();
  const { projectId } = harness;
  await harness.ended(await harness.upload('tube.nrrd', await collect(writeNrrd(makeSlabs(tube)))));
  await harness.ended(await harness.request('createMesh'));

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

  /** Events sent to the user who requested the picture. */
  async function listNotifications({ bookmarkId }: { bookmarkId: string }) {
    const rows = await harness.db
      .select()
      .from(notifications)
      .where(eq(notifications.userId, harness.userId));
    return rows
      .filter(({ subject }) => subject?.id === bookmarkId)
      .map(({ kind, title, body }) => ({ kind, title, body }));
  }

  return { ...harness, render, listNotifications };
}

export type RenderHarness = Awaited<ReturnType<typeof openRenderHarness>>;
export type Drawn = Awaited<ReturnType<RenderHarness['render']>>;
