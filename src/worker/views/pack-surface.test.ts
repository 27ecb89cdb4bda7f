import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SurfaceDetail } from '#contract/shapes/data-object.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { unpackGlb } from '#formats/glb/unpack-glb.ts';
import { writeGlb } from '#formats/glb/write-glb.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { torusMesh } from '#kernels/testing/meshes.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { dataObjectFiles, dataObjects, dataViews } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { requestView } from '#storage/views/request-view.ts';
import { completeWith } from '../results/write-results.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;
const noProvenance = {
  inputs: [],
  parameters: {},
  algorithms: {},
  version: '',
  seconds: 0,
  peakMemoryBytes: 0,
};
let operationId: string;
let meshId: string;
/** more triangles than are drawn of a simplified one */
const ring = torusMesh(5, 2, 400, 405);

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  operationId = await harness.upload('ring.glb', writeGlb(ring));
  meshId = (await harness.ended(operationId)).outputDataObjectIds[0] ?? '';
});
afterAll(() => harness.close());

async function view(detail: SurfaceDetail) {
  const { id } = await inTransaction(harness.db, (tx) => requestView(tx, meshId, { detail }));
  const read = async () => (await harness.db.select().from(dataViews).where(eq(dataViews.id, id)))[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  const row = await read();
  expect(row).toMatchObject({ status: 'completed', mediaType: 'model/gltf-binary' });
  return { row, mesh: readGlb(await unpackGlb(await harness.store.read(row.blobKey ?? ''))) };
}

it('packs every triangle without loss', async () => {
  const { row, mesh } = await view('whole');
  expect(row.parameters).toMatchObject({ triangles: 324_000, wholeTriangles: 324_000 });
  const [before, after] = [ring, mesh].map(({ positions, indices }) => measureMesh(positions, indices));
  expect(after).toMatchObject({ vertices: before.vertices, triangles: before.triangles });
  expect(after.volumeMm3).toBeCloseTo(before.volumeMm3 ?? 0, 6);
  expect(Float32Array.from(mesh.positions).sort()).toEqual(Float32Array.from(ring.positions).sort());
});

it('simplifies enough for smooth rotation', async () => {
  const { row, mesh } = await view('simplified');
  const { triangles } = row.parameters as { triangles: number };
  expect(triangles).toBeGreaterThan(250_000);
  expect(triangles).toBeLessThanOrEqual(300_000);
  expect(mesh.indices.length).toBe(3 * triangles);
  const { volumeMm3 } = measureMesh(mesh.positions, mesh.indices);
  expect(volumeMm3).toBeCloseTo(measureMesh(ring.positions, ring.indices).volumeMm3 ?? 0, 1);
});

it.each([
  ['large', 30e6, ['simplified', 'whole']],
  ['small', 1e6, []],
])('views of a %s surface are requested with its operation', async (_, sizeBytes, expected) => {
  const { db } = harness;
  const [[row], [project], [file]] = await Promise.all([
    db.select().from(operations).where(eq(operations.id, operationId)),
    db.select().from(projects).where(eq(projects.id, harness.projectId)),
    db.select().from(dataObjectFiles).where(eq(dataObjectFiles.dataObjectId, meshId)),
  ]);
  const { kind, metadata } = await harness.output(operationId, 'cad');
  const { sha256, blobKey } = file;
  const files = [{ mediaType: 'model/gltf-binary', sha256, blobKey, fileName: 'surface.glb', sizeBytes }];
  const name = `Ring of ${sizeBytes} bytes`;
  const { write } = completeWith(
    { row, project },
    { dataObjects: [{ kind, name, metadata, files }], warnings: [], provenance: noProvenance },
  );
  await inTransaction(db, async (tx) => write?.(tx));
  const views = await db
    .select({ parameters: dataViews.parameters })
    .from(dataViews)
    .innerJoin(dataObjects, eq(dataObjects.id, dataViews.dataObjectId))
    .where(eq(dataObjects.name, name));
  expect(views.map(({ parameters }) => parameters['detail']).sort()).toEqual(expected);
});
