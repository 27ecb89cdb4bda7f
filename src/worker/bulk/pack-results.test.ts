import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listMeasured } from '#contract/analyses/data-kinds.ts';
import { bytesSource } from '#formats/bytes/byte-source.ts';
import { readZipDirectory } from '#formats/zip/zip-directory.ts';
import { UnpackedCache, zipEntrySource } from '#formats/zip/zip-entry-source.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { type BulkRow, createBulkRequest, retryBulk } from '#storage/bulk/requests.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { workspaceMembers, workspaces } from '#storage/db/schema-accounts.ts';
import { measurements } from '#storage/db/schema-collaboration.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import {
  bulkItems,
  bulkRequests,
  operations,
  recipeInvocations,
  recipes,
  recipeVersions,
} from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { cancelWork } from '#storage/work/life.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;
let actor: { userId: string; email: string };
let withResults: string[];
let without: string;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function addResult(projectId: string, minMm: number): Promise<void> {
  const { db, organizationId, store } = harness;
  const [{ id: operationId }] = await db
    .insert(operations)
    .values({ projectId, organizationId, operation: 'runWallThickness', status: 'completed' })
    .returning();
  const content = exampleContent('wallThickness', { minMm, regionCount: 3 });
  const [{ id: dataObjectId }] = await db
    .insert(dataObjects)
    .values({
      projectId,
      ...content,
      name: 'Wall: thickness',
      createdByOperationId: operationId,
    })
    .returning();
  const blobKey = `files/aa/${crypto.randomUUID()}`;
  const bytes = Buffer.from(`mesh of ${projectId}`);
  await registerBlob(db, { key: blobKey, kind: 'object' });
  await store.put(blobKey, bytes);
  await db.insert(dataObjectFiles).values({
    dataObjectId,
    fileName: 'thickness.glb',
    mediaType: 'model/gltf-binary',
    sizeBytes: bytes.length,
    sha256: sha256(bytes),
    blobKey,
  });
}

beforeAll(async () => {
  harness = await openWorkerHarness();
  const { db, userId } = harness;
  actor = { userId, email: 'engineer@example.com' };
  const [{ id: workspaceId }] = await db.select().from(workspaces);
  // A viewer may take results away.
  await db.insert(workspaceMembers).values({ workspaceId, userId, role: 'viewer' });
  withResults = [await harness.newProject('Lot; "7", =1'), await harness.newProject('Lot; "7", =1')];
  without = await harness.newProject('Empty');
  for (const [i, id] of withResults.entries()) await addResult(id, 0.5 + i);
  await harness.startWorker();
});
afterAll(() => harness.close());

const ask = (projectIds: string[]) =>
  inTransaction(harness.db, (tx) =>
    createBulkRequest(tx, actor, { type: 'downloadResults', parameters: {}, projectIds }),
  );
async function ended({ id }: { id: string }): Promise<BulkRow> {
  const read = async () => (await harness.db.select().from(bulkRequests).where(eq(bulkRequests.id, id)))[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  return read();
}
async function unpack(row: BulkRow): Promise<Map<string, Uint8Array>> {
  const source = bytesSource('results.zip', await harness.store.read(row.blobKey ?? ''));
  const cache = new UnpackedCache();
  const entries = new Map<string, Uint8Array>();
  for (const entry of await readZipDirectory(source)) {
    const part = zipEntrySource(source, entry, cache);
    entries.set(entry.path, await part.read(0, part.size));
  }
  return entries;
}

it('packs one folder per project, all measured values in one table, and correct checksums', async () => {
  const row = await ended(await ask([...withResults, without]));
  expect(row).toMatchObject({ status: 'completed', completedCount: 2, failedCount: 1, error: null });
  const items = await harness.db.select().from(bulkItems).where(eq(bulkItems.bulkRequestId, row.id));
  expect(items.find(({ projectId }) => projectId === without)?.error?.code).toBe('NOTHING_TO_EXPORT');
  const entries = await unpack(row);
  const [first, second] = ['Lot; -7-, =1', 'Lot; -7-, =1 (2)'];
  expect([...entries.keys()]).toEqual([
    `${first}/Wall- thickness/thickness.glb`,
    `${first}/results.csv`,
    `${second}/Wall- thickness/thickness.glb`,
    `${second}/results.csv`,
    'results.csv',
    'SHA256SUMS',
  ]);
  const text = (path: string) => Buffer.from(entries.get(path) ?? []).toString();
  expect(text(`${second}/Wall- thickness/thickness.glb`)).toBe(`mesh of ${withResults[1]}`);
  const sums = text('SHA256SUMS').trimEnd().split('\n');
  expect(sums).toHaveLength(entries.size - 1);
  for (const line of sums) {
    const [sum, path] = [line.slice(0, 64), line.slice(66)];
    expect([path, sha256(entries.get(path) ?? new Uint8Array(0))]).toEqual([path, sum]);
  }
  const lines = text('results.csv').trimEnd().split('\r\n');
  const perResult = listMeasured(exampleContent('wallThickness')).length;
  expect(perResult).toBeGreaterThan(5);
  expect(lines).toHaveLength(1 + 2 * perResult);
  expect(lines[1].startsWith(`"Lot; -7-, =1",${withResults[0]},"Lot; ""7"", =1",,,,,`)).toBe(true);
  const values = lines.slice(1).map((line) => line.split(',').slice(-5).join(','));
  expect(values).toEqual(
    expect.arrayContaining([
      'minMm,Thinnest wall,0.5,mm,',
      'minMm,Thinnest wall,1.5,mm,',
      'regionCount,Regions below the minimum thickness,3,,',
    ]),
  );
});

it('packs everything again on retry, including results added since', async () => {
  const before = await ended(await ask([withResults[0], without]));
  expect(before.completedCount).toBe(1);
  await addResult(without, 9);
  const row = await inTransaction(harness.db, (tx) => retryBulk(tx, before.id));
  const after = await ended(row ?? before);
  expect([after.status, after.completedCount, after.failedCount]).toEqual(['completed', 2, 0]);
  expect([...(await unpack(after)).keys()].filter((path) => path.endsWith('.glb'))).toHaveLength(2);
});

it('contains manual measurements, even without other results', async () => {
  const projectId = await harness.newProject('Measured by hand');
  const [scan] = await harness.db
    .insert(dataObjects)
    .values({ projectId, ...exampleContent('mesh'), name: 'Part' })
    .returning();
  const uncertainty = { expanded: 0.0123, k: 2 as const, contributions: [] };
  await harness.db.insert(measurements).values({
    projectId,
    dataObjectId: scan.id,
    name: 'Bore A',
    kind: 'circle',
    points: [],
    featureIds: [],
    placement: 'edge',
    result: {
      values: [
        { quantity: 'diameter', value: 12.34567, unit: 'mm', uncertainty },
        { quantity: 'formError', value: 0.00321, unit: 'mm', uncertainty: null },
      ],
      feature: {
        ...{
          kind: 'circle',
          centerMm: [1, 2, 3],
          direction: [0, 0, 1],
          radiusMm: 6.172835,
          apexAngleDeg: null,
        },
        ...{ rmsMm: 0.00102, formErrorMm: 0.00321, pointCount: 24 },
      },
      method: 'circle by least squares',
      provenance: {
        dataObjectName: 'Part',
        dataObjectVersion: 1,
        surfaceName: null,
        voxelSizeMm: null,
        pointUncertaintyMm: null,
        version: 1,
      },
    },
  });
  const entries = await unpack(await ended(await ask([projectId])));
  for (const path of ['results.csv', 'Measured by hand/results.csv']) {
    const lines = Buffer.from(entries.get(path) ?? [])
      .toString()
      .trimEnd()
      .split('\r\n');
    const [head, ...rows] = lines.map((line) => line.split(','));
    expect(rows.every((row) => row.length === head.length)).toBe(true);
    const cells = rows.map((row) => row.slice(-5).join(','));
    expect(cells.slice(0, 5)).toEqual([
      'circle.diameter,Circle: Diameter,12.346,mm,0.012',
      'circle.formError,Circle: Form error,0.003,mm,',
      'circle.points,Circle: Points,24,,',
      'circle.rms,Circle: RMS deviation,0.00102,mm,',
      'circle.centreX,Circle: Centre X,1,mm,',
    ]);
    expect(cells.at(-1)).toBe('circle.directionZ,Circle: Direction Z,1,,');
    expect(rows[0]?.slice(7, 10)).toEqual([scan.id, 'measurement', 'Bore A']);
  }
});

it('of one recipe version contains only its results, with their gate, its limit and the version', async () => {
  const { db, organizationId } = harness;
  const [{ id: recipeId }] = await db.insert(recipes).values({ organizationId, name: 'Wall' }).returning();
  const steps = [{ key: 'wall', operation: 'runWallThickness' as const, parameters: {}, needs: [] }];
  const gate = { key: 'thin', measure: 'wall.minMm', comparison: '>=' as const, unit: 'mm', guardBand: 0 };
  const ids: string[] = [];
  const projectIds: string[] = [];
  for (const version of [1, 2]) {
    const gates = [{ ...gate, limit: version }];
    const values = {
      recipeId,
      organizationId,
      version,
      name: 'Wall',
      status: 'released' as const,
      steps,
      gates,
    };
    const [{ id: recipeVersionId }] = await db.insert(recipeVersions).values(values).returning();
    const projectId = await harness.newProject(`Version ${version}`);
    await addResult(projectId, 1.5);
    const [run] = await db
      .insert(recipeInvocations)
      .values({
        ...{ projectId, organizationId, recipeId, recipeVersionId, status: 'completed' as const },
        definition: { steps, gates },
        gates: [{ key: 'thin', measured: 1.5, limit: version, verdict: version === 1 ? 'pass' : 'fail' }],
      })
      .returning();
    const made = { invocationId: run.id, stepKey: 'wall' };
    await db.update(operations).set(made).where(eq(operations.projectId, projectId));
    ids.push(recipeVersionId);
    projectIds.push(projectId);
  }
  const parameters = { recipePk: recipeId, recipeVersionId: ids[1] };
  const row = await ended(
    await inTransaction(db, (tx) =>
      createBulkRequest(tx, actor, { type: 'downloadResults', parameters, projectIds }),
    ),
  );
  expect([row.completedCount, row.failedCount]).toEqual([1, 1]);
  const entries = await unpack(row);
  const table = Buffer.from(entries.get('results.csv') ?? []).toString();
  expect(table).toContain(',Wall,2,thin,>=,2,mm,0,fail,minMm,Thinnest wall,1.5,mm');
  expect(table).not.toContain(',Wall,1,');
});

it('fails without an archive if there are no results at all', async () => {
  const row = await ended(await ask([await harness.newProject('Also empty'), crypto.randomUUID()]));
  expect(row).toMatchObject({ status: 'failed', failedCount: 2, blobKey: null });
});

it('fails rather than deliver a stored file that was modified, and leaves no archive', async () => {
  const id = await harness.newProject('Damaged');
  await addResult(id, 1);
  const [object] = await harness.db.select().from(dataObjects).where(eq(dataObjects.projectId, id));
  const [file] = await harness.files(object.id);
  await harness.store.put(file.blobKey, Buffer.alloc(file.sizeBytes, 1));
  const row = await ended(await ask([id]));
  expect(row).toMatchObject({ status: 'failed', blobKey: null, error: { code: 'INTERNAL' } });
});

it('can be cancelled before it starts, and leaves no archive', async () => {
  await harness.stopWorker();
  const { id } = await ask(withResults);
  // As if a worker had begun and been killed.
  await harness.db.update(bulkRequests).set({ status: 'processing' }).where(eq(bulkRequests.id, id));
  await inTransaction(harness.db, (tx) => cancelWork(tx, 'bulk', id));
  await harness.startWorker();
  expect(await ended({ id })).toMatchObject({ status: 'cancelled', cancelledCount: 2, blobKey: null });
});
