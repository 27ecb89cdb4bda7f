/**
 * Cancelling at any moment: a first run records every point that an analysis passes (each stage that it reports, each
 * kind of task of its threads, each file that it stores); then one run is cancelled at each of them. New stages are
 * covered without a change here.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { operations, workQueue } from '#storage/db/schema-work.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import { carryOut } from '../work/carry-out.ts';
import { CancelRequested } from '../work/work.ts';
import { WorkRun } from '../work/work-run.ts';
import { workRunners } from '../work-runners.ts';

let harness: WorkerHarness;
beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  const tube = renderBody(hollowCylinder(1.4, 0.8, 2.8), {
    dimensions: [28, 28, 28],
    voxelSizeMm: [0.125, 0.125, 0.125],
    noise: 600,
  });
  await harness.ended(await harness.upload('tube.nrrd', await collect(writeNrrd(makeSlabs(tube)))));
});
afterAll(() => harness.close());
afterEach(() => {
  vi.restoreAllMocks();
});

const makeContext = () => {
  if (!harness.worker) throw new Error('the worker was not started');
  return harness.worker.context;
};

/** Runs an operation without the queue; calls `onPlace` synchronously at each point that it passes. */
async function run(
  [kind, parameters]: [string, Record<string, unknown>],
  signal: AbortSignal,
  onPlace: (place: string) => void,
) {
  const context = makeContext();
  const { pool, store } = context;
  const report = WorkRun.prototype.report;
  vi.spyOn(WorkRun.prototype, 'report').mockImplementation(function (this: WorkRun, fraction, stage) {
    report.call(this, fraction, stage);
    if (stage !== undefined) onPlace(`stage: ${stage}`);
  });
  const runTask = pool.run.bind(pool) as typeof pool.run;
  vi.spyOn(pool, 'run').mockImplementation(((task, input, options) => {
    const answer = runTask(task, input, options);
    // The task is with its thread now.
    onPlace(`task: ${task.name}`);
    return answer;
  }) as typeof pool.run);
  const put = store.put.bind(store);
  vi.spyOn(store, 'put').mockImplementation((...args) => {
    const answer = put(...args);
    onPlace('file');
    return answer;
  });
  const [{ id }] = await harness.db
    .insert(operations)
    .values({
      projectId: harness.projectId,
      organizationId: harness.organizationId,
      operation: kind,
      parameters,
      createdBy: harness.userId,
    })
    .returning();
  // Held by nobody who would take it, so that it runs here.
  const held = { workerId: harness.userId, beatAt: new Date(Date.now() + 3_600_000) };
  await harness.db
    .insert(workQueue)
    .values({ id, kind: 'operation', place: 'compute', priority: 0, ...held });
  const task = { name: 'operation', id, claim: 0, place: 'compute' } as const;
  try {
    await carryOut(context, workRunners, task, signal, () => undefined);
  } finally {
    vi.restoreAllMocks();
  }
  const [row] = await harness.db.select().from(operations).where(eq(operations.id, id));
  return row;
}

/** Everything that is kept: rows of blobs, and files on the disk. */
async function kept() {
  const { rows } = await harness.database.connection.pool.query<{ key: string }>('select key from blobs');
  const files = await readdir(path.join(harness.config.dataDir, 'blobs'), {
    recursive: true,
    withFileTypes: true,
  });
  return {
    rows: rows.map(({ key }) => key).sort(),
    files: files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => path.join(parentPath, name))
      .sort(),
  };
}

const kinds: [string, Record<string, unknown>, string[]][] = [
  [
    'createMesh',
    { noiseFilter: 'median', smoothing: 1, targetTriangles: 2_000, formats: ['stl', 'ply'] },
    [
      'Noise filter',
      'Reading the scan',
      'Surface',
      'Measuring the mesh',
      'Simplifying',
      'Writing',
      'Writing the results',
    ],
  ],
  [
    'runWallThickness',
    { method: 'ray', smoothing: 1, minThicknessMm: 0.5 },
    ['Reading the scan', 'Surface', 'Wall thickness', 'Statistics', 'Writing', 'Writing the results'],
  ],
  [
    'runWallThickness',
    { method: 'sphere', smoothing: 1, minThicknessMm: 0.5 },
    ['Reading the scan', 'Surface', 'Wall thickness', 'Statistics', 'Writing', 'Writing the results'],
  ],
];

/** Places of an analysis that it was cancelled at: with another method it passes most of them in the same code. */
const done = new Set<string>();

for (const [kind, parameters, stages] of kinds) {
  const title = [kind, parameters['method']].filter(Boolean).join(', ');
  it(`${title}: stops and leaves nothing, whatever stage, task or file it is cancelled at`, async () => {
    const passed: string[] = [];
    const whole = await run([kind, parameters], new AbortController().signal, (place) => {
      passed.push(place);
    });
    expect(whole.error).toBeNull();
    expect(whole.status).toBe('completed');
    const places = [...new Set(passed)];
    expect(places).toEqual(expect.arrayContaining(stages.map((stage) => `stage: ${stage}`)));
    expect(places.filter((place) => place.startsWith('task: ')).length).toBeGreaterThan(4);
    expect(places).toContain('file');

    // Each run determines the surface anew, as the first one did.
    await harness.db.delete(dataObjects).where(eq(dataObjects.kind, 'surface'));
    const before = await kept();
    for (const place of places.filter((each) => !done.has(`${kind} ${each}`))) {
      done.add(`${kind} ${place}`);
      const times = passed.filter((other) => other === place).length;
      // At the first occurrence, and at the middle one of many.
      for (const wanted of new Set([1, Math.ceil(times / 2)])) {
        const controller = new AbortController();
        let count = 0;
        const after: string[] = [];
        const row = await run([kind, parameters], controller.signal, (now) => {
          if (controller.signal.aborted) after.push(now);
          if (now !== place || ++count !== wanted) return;
          controller.abort(new CancelRequested('the test cancels'));
        });
        const where = `${place}, time ${wanted} of ${times}`;
        // Work in progress may still report; of the next two dozen points at most a few are reached.
        expect(after.length, `${where}: ${after.join(', ')}`).toBeLessThanOrEqual(5);
        expect([row.status, row.error, row.outputDataObjectIds], where).toEqual(['cancelled', null, []]);
        expect(await harness.outputs(row.id), where).toEqual([]);
        expect(await kept(), where).toEqual(before);
      }
    }
  });
}
