import { eq, isNotNull, isNull } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { analysisKinds } from '#contract/analyses/registry.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { inlinePool } from '#kernels/pool.ts';
import { type Layer, PaintedSolid } from '#kernels/reconstruction/painted-solid.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { organizationMembers, organizations, workspaces } from '#storage/db/schema-accounts.ts';
import { dispositions } from '#storage/db/schema-collaboration.ts';
import { dataObjects, narrowRow } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, recipeInvocations, recipeVersions } from '#storage/db/schema-work.ts';
import { readDemoProgress } from '#storage/demo-state.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import { startDemo } from './make-demo.ts';
import { demoParts } from './parts.ts';
import { coarseScale, simulate } from './simulate.ts';

const ballAndBore: Layer[] = [
  { shape: { kind: 'sphere', center: [0, 0, 0], radiusMm: 2 }, attenuation: 0.2 },
  { shape: { kind: 'cylinder', axis: 2, center: [0, 0, 0], radiusMm: 0.5, lengthMm: 9 }, attenuation: 0 },
];

it('a ray sums the attenuation of the topmost shapes', () => {
  const solid = new PaintedSolid([
    { shape: { kind: 'box', min: [-3, -3, -3], max: [3, 3, 3] }, attenuation: 0.1 },
    { shape: { kind: 'sphere', center: [0, 0, 0], radiusMm: 2 }, attenuation: 0.5 },
    { shape: { kind: 'cylinder', axis: 0, center: [0, 0, 0], radiusMm: 1, lengthMm: 2 }, attenuation: 0 },
  ]);
  expect(solid.integral(-10, 0, 0, 1, 0, 0)).toBeCloseTo(2 * 0.1 + 2 * 0.5, 12);
  expect(solid.integral(0, -10, 0, 0, 1, 0)).toBeCloseTo(2 * 0.1 + 2 * 0.5, 12);
  expect(solid.integral(-10, 0, 2.5, 1, 0, 0)).toBeCloseTo(6 * 0.1, 12);
  expect(solid.integral(-10, 5, 0, 1, 0, 0)).toBe(0);
  expect(solid.integral(10, 0, 0, 1, 0, 0)).toBe(0);
});

const scale = {
  cells: 48,
  voxelSizeFactor: 1,
  photonsPerCount: 0.3,
  filter: 'ramLak' as const,
  geometry: {
    sourceToAxisMm: 60,
    sourceToDetectorMm: 240,
    columns: 64,
    rows: 64,
    pixelSizeMm: 0.4,
    projections: 60,
  },
};

it('a scan reproduces the attenuation of the solid, its bore and air', async () => {
  const pool = inlinePool(await kernelModule());
  const { volume } = await simulate({ layers: ballAndBore, seed: 1, voxelSizeMm: 0.1 }, scale, pool);
  const mean = (x: number, y: number, z: number) => {
    let sum = 0;
    for (let k = -1; k <= 1; k++)
      for (let j = -1; j <= 1; j++)
        for (let i = -1; i <= 1; i++) sum += volume.data[((z + k) * 48 + y + j) * 48 + x + i];
    return sum / 27;
  };
  // Air is 4,000, and 1/mm counts 120,000.
  expect(Math.abs(mean(24 + 12, 24, 24) - 28_000)).toBeLessThan(600);
  expect(Math.abs(mean(24, 24 - 12, 24 + 6) - 28_000)).toBeLessThan(600);
  expect(Math.abs(mean(24, 24, 24) - 4000)).toBeLessThan(600);
  expect(Math.abs(mean(3, 3, 24) - 4000)).toBeLessThan(600);
});

it('faces along the rows of the detector keep their distance, wherever they lie within a row', async () => {
  const pool = inlinePool(await kernelModule());
  const height = 1.033;
  const shape: Layer['shape'] = { kind: 'box', min: [-1, -1, -height / 2], max: [1, 1, height / 2] };
  const part = { layers: [{ shape, attenuation: 0.2 }], seed: 1, voxelSizeMm: 0.1 };
  const { volume } = await simulate(part, scale, pool);
  let sum = 0;
  for (let k = 8; k < 40; k++)
    for (let j = -3; j <= 3; j++)
      for (let i = -3; i <= 3; i++) sum += volume.data[(k * 48 + 24 + j) * 48 + 24 + i] - 4000;
  // Rays through the centres of the pixels give 1.0 mm.
  expect(Math.abs((0.1 * sum) / 49 / 24_000 - height)).toBeLessThan(0.01);
});

it('scans of the same part are identical', async () => {
  const pool = inlinePool(await kernelModule());
  const part = { layers: ballAndBore, seed: 9, voxelSizeMm: 0.1 };
  const first = await simulate(part, coarseScale, pool);
  const second = await simulate(part, coarseScale, pool);
  expect(second.volume.data).toEqual(first.volume.data);
  const other = await simulate({ ...part, seed: 10 }, coarseScale, pool);
  expect(other.volume.data).not.toEqual(first.volume.data);
});

it('nominal shapes are closed, and keys, names and numbers of parts are unique', () => {
  for (const { cad } of demoParts) {
    if (!cad) continue;
    expect(measureMesh(cad.mesh.positions, cad.mesh.indices)).toMatchObject({
      watertight: true,
      components: 1,
    });
  }
  for (const field of ['key', 'name', 'partNumber', 'serialNumber'] as const) {
    expect(new Set(demoParts.map((part) => part[field])).size).toBe(demoParts.length);
  }
  expect(demoParts.length).toBeGreaterThanOrEqual(5);
});

let harness: WorkerHarness;
beforeAll(async () => {
  harness = await openWorkerHarness();
});
afterAll(() => harness.close());

it('fills a new installation once, resumes after an interruption, and analyses one part', async () => {
  const { db } = harness;
  await db.delete(projects);
  const values = { name: 'Demo', slug: 'demo' };
  const [{ id: organizationId }] = await db.insert(organizations).values(values).returning();
  await db.insert(organizationMembers).values({ organizationId, userId: harness.userId, isManager: true });
  await db.insert(workspaces).values({ organizationId, name: 'Inspection' });
  const { context } = await harness.startWorker();
  const count = async () => (await db.select({ id: projects.id }).from(projects)).length;
  const first = startDemo(context, coarseScale);
  await harness.until(async () => (await count()) > 0);
  await first.stop();
  expect(await count()).toBeLessThan(demoParts.length);
  expect(await readDemoProgress(db)).toEqual({ made: await count(), parts: demoParts.length });
  await startDemo(context, coarseScale).done;
  expect(await count()).toBe(demoParts.length);
  expect(await readDemoProgress(db)).toBeNull();
  await harness.until(async () => (await db.select().from(operations)).every(({ finishedAt }) => finishedAt));
  const all = await db.select().from(operations);
  expect(all.filter(({ status }) => status !== 'completed')).toEqual([]);
  const [housing] = await db.select().from(projects).where(eq(projects.name, demoParts[0].name));
  const objects = await db.select().from(dataObjects).where(eq(dataObjects.projectId, housing.id));
  expect(objects.map(({ kind }) => kind).sort()).toEqual([
    'alignment',
    'cad',
    'mesh',
    'meshCompare',
    'meshCompare',
    'surface',
    'volume',
    'wallThickness',
  ]);
  expect(housing.dataObjectCount).toBe(8);
  // Its core has slipped by more than it may; at this scale its walls have too few voxels to tell.
  expect(housing.verdict).toBe('indeterminate');
  const decided = await db.select().from(dispositions).where(eq(dispositions.projectId, housing.id));
  expect(decided).toMatchObject([{ decision: 'rework', createdBy: harness.userId }]);
  // A later measurement would make it outdated.
  const measuredAt = all.filter(({ projectId }) => projectId === housing.id).map((each) => each.finishedAt);
  expect(measuredAt.every((at) => at !== null && at <= decided[0].createdAt)).toBe(true);
  const drafts = await db.select().from(recipeVersions).where(eq(recipeVersions.status, 'draft'));
  expect(drafts.map(({ name }) => name)).toEqual(['Housing, first article']);
  expect(housing.storageBytes).toBe(objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const renderVolume = (kind: 'mesh' | 'cad') =>
    objects.flatMap((row) => narrowRow(row, kind)?.metadata.volumeMm3 ?? [])[0];
  const [scanned, nominal] = [renderVolume('mesh'), renderVolume('cad')];
  expect(Math.abs(scanned / nominal - 1)).toBeLessThan(0.05);
  // The rod's recipe has run and judged its measurements.
  await harness.until(async () => {
    const invocations = await db.select().from(recipeInvocations);
    return invocations.length === 2 && invocations.every(({ finishedAt }) => finishedAt !== null);
  });
  const [run] = await db.select().from(recipeInvocations).where(isNotNull(recipeInvocations.recipeId));
  expect([run.status, run.error, run.gates.map(({ verdict }) => verdict)]).toEqual([
    'completed',
    null,
    [expect.any(String), expect.any(String), expect.any(String)],
  ]);
  expect(run.gates.every(({ measured }) => measured !== null)).toBe(true);
  const [rod] = await db.select().from(projects).where(eq(projects.id, run.projectId));
  expect([rod.name, rod.verdict]).toEqual(['Cast rod with porosity', run.verdict]);
  const [bracket] = await db.select().from(projects).where(eq(projects.partNumber, 'SBR-118-01'));
  const ofBracket = await db.select().from(dataObjects).where(eq(dataObjects.projectId, bracket.id));
  expect(ofBracket.map(({ kind }) => kind).sort()).toEqual(['radiographs', 'volume', 'volume']);
  const preview = ofBracket.find(({ name }) => name === 'Reconstruction preview');
  expect(preview?.metadata).toMatchObject({ reconstruction: { beam: 'cone', centerFoundBy: 'symmetry' } });
  const [blade] = await db.select().from(projects).where(eq(projects.partNumber, 'TB-074-02'));
  const ofBlade = await db.select().from(dataObjects).where(eq(dataObjects.projectId, blade.id));
  const textured = ofBlade.find(({ kind }) => kind === 'mesh');
  expect(textured?.metadata).toMatchObject({
    watertight: true,
    texture: { shows: 'grayValue', sizePx: 1024 },
  });
  const [ball] = await db.select().from(projects).where(eq(projects.partNumber, 'REF-SB-4'));
  const ofBall = await db.select().from(dataObjects).where(eq(dataObjects.projectId, ball.id));
  // The main result counts as the newest output of the operation.
  const newestFirst = ofBall.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  expect(newestFirst.map(({ name }) => name).slice(0, 3)).toEqual(['Mesh', 'Material 1', 'Material 2']);
  const [steel] = ofBall
    .filter(({ name }) => name === 'Material 2')
    .flatMap((row) => narrowRow(row, 'mesh')?.metadata.volumeMm3 ?? []);
  expect(Math.abs(steel / ((4 / 3) * Math.PI * 2 ** 3) - 1)).toBeLessThan(0.1);
  // The wedge has gone through a pipeline: two analyses and a gate in one go.
  const [wedge] = await db.select().from(projects).where(eq(projects.partNumber, 'REF-SW-5'));
  const [pipeline] = await db.select().from(recipeInvocations).where(isNull(recipeInvocations.recipeId));
  expect(pipeline).toMatchObject({
    projectId: wedge.id,
    status: 'completed',
    verdict: 'indeterminate',
    error: null,
  });
  const ofWedge = await db.select().from(operations).where(eq(operations.projectId, wedge.id));
  expect(ofWedge.map(({ operation }) => operation).sort()).toEqual([
    'createMesh',
    'ingest',
    'runPipeline',
    'runWallThickness',
  ]);
  // Every kind of analysis has its example.
  const examples = (await db.select().from(operations)).map(({ operation }) => operation);
  for (const kind of analysisKinds) expect(examples).toContain(kind);
  // A third start changes nothing.
  await startDemo(context, coarseScale).done;
  expect(await count()).toBe(demoParts.length);
});

it('does not touch an installation that already has projects', async () => {
  const other = await openWorkerHarness();
  try {
    const { context } = await other.startWorker();
    await startDemo({ ...context, log: pino({ level: 'silent' }) }, coarseScale).done;
    expect(await other.db.select({ id: projects.id }).from(projects)).toHaveLength(1);
  } finally {
    await other.close();
  }
});
