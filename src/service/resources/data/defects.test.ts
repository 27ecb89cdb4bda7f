import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Defect } from '#contract/analyses/integrity.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

const makeDefect = (n: number, changes: Partial<Defect> = {}): Defect => ({
  id: n,
  kind: 'porosity',
  voxels: 10 + n,
  volumeMm3: 1 / n,
  countedVolumeMm3: 1 / n,
  volumeBandMm3: [0, 2 / n],
  probability: n / 1000,
  depth: 0.7,
  significance: n % 2 === 0 ? null : n,
  equivalentDiameterMm: Math.cbrt(1 / n),
  enclosingDiameterMm: 1,
  areaMm2: 1,
  openingMm: null,
  sphericity: 0.9,
  compactness: 0.5,
  centerMm: [n, 2 * n, -n],
  boundsMm: { min: [n, n, n], max: [n + 1, n + 1, n + 1] },
  distanceToSurfaceMm: n,
  projectedAreasMm2: [1, 2, 3],
  surfaceConnected: n % 10 === 0,
  gapLike: false,
  cutAt: n === 7 ? 'x- z+' : null,
  belowDetectionLimit: n > 50,
  ...changes,
});

async function addResult(text: string): Promise<string> {
  const { id: projectId } = await service.project();
  const [{ id }] = await service.db
    .insert(dataObjects)
    .values({ projectId, ...exampleContent('integrity'), name: 'Integrity' })
    .returning();
  const blobKey = `files/aa/${id}`;
  await registerBlob(service.db, { key: blobKey, kind: 'object' });
  await service.blobs.put(blobKey, Buffer.from(text));
  await service.db.insert(dataObjectFiles).values({
    dataObjectId: id,
    fileName: 'defects.json',
    mediaType: 'application/json',
    sizeBytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
    blobKey,
  });
  return id;
}

interface Answer {
  count: number;
  next: string | null;
  nextCursor?: string;
  results: Defect[];
  code?: string;
}
const list = (id: string, query = '', token = service.token) =>
  service.ask<Answer>('GET', `/api/v2/data/${id}/defects${query}`, undefined, { token });

test('lists all defects page by page, from files of this version and of earlier ones', async () => {
  const defects = Array.from({ length: 260 }, (_, i) => makeDefect(i + 1));
  const lines = `[\n${defects.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`;
  const before = defects.map(({ probability: _, depth: __, ...each }) => each);
  for (const [text, expected] of [
    [lines, defects],
    [`${JSON.stringify(before, null, 2)}\n`, before],
  ] as const) {
    const id = await addResult(text);
    const { body: first } = await list(id, '?page_size=200');
    expect([first.count, first.results]).toEqual([260, expected.slice(0, 200)]);
    const { body: last } = await list(id, `?page_size=200&cursor=${first.nextCursor}`);
    expect([last.next, last.results]).toEqual([null, expected.slice(200)]);
    expect((await list(id, '?page=2&page_size=200')).body.results).toEqual(expected.slice(200));
  }
});

test('sorts by a number, with missing values last, and filters by limits', async () => {
  const defects = Array.from({ length: 100 }, (_, i) => makeDefect(i + 1, i === 3 ? { kind: 'crack' } : {}));
  const id = await addResult(JSON.stringify(defects, null, 2));
  const listIds = async (query: string) => (await list(id, query)).body.results.map((defect) => defect.id);
  expect(await listIds('?ordering=-probability&page_size=3')).toEqual([100, 99, 98]);
  expect(await listIds('?ordering=-significance&page_size=3')).toEqual([99, 97, 95]);
  expect(await listIds('?ordering=significance&page=51&page_size=1')).toEqual([2]);
  expect(await listIds('?minProbability=0.09&maxVoxels=102&ordering=voxels')).toEqual([90, 91, 92]);
  expect(await listIds('?ordering=centerZMm&page_size=2')).toEqual([100, 99]);
  expect(await listIds('?minCenterYMm=180&maxCenterXMm=92&ordering=-centerXMm')).toEqual([92, 91, 90]);
  expect(await listIds('?kind=crack&kind=inclusion')).toEqual([4]);
  expect(await listIds('?cut=true')).toEqual([7]);
  expect(await listIds('?surfaceConnected=true&belowDetectionLimit=false')).toEqual([10, 20, 30, 40, 50]);
  expect((await list(id, '?ordering=colour')).status).toBe(400);
  expect((await list(id, '?page=9')).status).toBe(404);
});

test('is not found without access to the project, and for other kinds of results', async () => {
  const id = await addResult('[\n]\n');
  expect((await list(id)).body.results).toEqual([]);
  const stranger = await service.stranger();
  expect((await list(id, '', stranger.token)).status).toBe(404);
  const { id: projectId } = await service.project();
  const [mesh] = await service.db
    .insert(dataObjects)
    .values({ projectId, ...exampleContent('mesh'), name: 'Mesh' })
    .returning();
  const refused = await list(mesh.id);
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
});
