/**
 * Cancelling at whatever moment: a first run writes down every place that an analysis passes (each stage that it
 * reports, each kind of task that its threads get, each file that it stores), then each of them is where another run
 * is cancelled. A stage that comes new is cancelled too, without a word here.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { slabsOf } from '#kernels/grid/volume.ts';
import { hollowCylinder } from '#kernels/phantoms/bodies.ts';
import { renderBody } from '#kernels/phantoms/render.ts';
import { operations } from '#storage/db/schema-work.ts';
import { CancelRequested } from '#storage/queue/cancel.ts';
import { openWorkerBench, type WorkerBench } from '../testing/worker-bench.ts';
import { WorkRun } from '../work-run.ts';
import { runOperation } from './run-operation.ts';

let bench: WorkerBench;
beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.startWorker();
  const tube = renderBody(hollowCylinder(2, 1.4, 4), {
    dimensions: [40, 40, 40],
    voxelSizeMm: [0.125, 0.125, 0.125],
    noise: 600,
  });
  await bench.ended(await bench.upload('tube.nrrd', await collect(writeNrrd(slabsOf(tube)))));
});
afterAll(() => bench.close());
afterEach(() => {
  vi.restoreAllMocks();
});

const contextOf = () => {
  if (!bench.worker) throw new Error('the worker was not started');
  return bench.worker.context;
};

/** Runs one here, without the queue; `onPlace` hears of each place that it passes, in the moment itself. */
async function run(
  [kind, parameters]: [string, Record<string, unknown>],
  signal: AbortSignal,
  onPlace: (place: string) => void,
) {
  const context = contextOf();
  const { pool, store } = context;
  const report = WorkRun.prototype.report;
  vi.spyOn(WorkRun.prototype, 'report').mockImplementation(function (this: WorkRun, fraction, stage) {
    report.call(this, fraction, stage);
    if (stage !== undefined) onPlace(`stage: ${stage}`);
  });
  const runTask = pool.run.bind(pool) as typeof pool.run;
  vi.spyOn(pool, 'run').mockImplementation(((name, input, options) => {
    const answer = runTask(name, input, options);
    // The task is with its thread now.
    onPlace(`task: ${name}`);
    return answer;
  }) as typeof pool.run);
  const put = store.put.bind(store);
  vi.spyOn(store, 'put').mockImplementation((...args) => {
    const answer = put(...args);
    onPlace('file');
    return answer;
  });
  const [{ id }] = await bench.db
    .insert(operations)
    .values({
      projectId: bench.projectId,
      organizationId: bench.organizationId,
      operation: kind,
      parameters,
      createdBy: bench.userId,
    })
    .returning();
  try {
    await runOperation(context, { operationId: id }, { signal });
  } finally {
    vi.restoreAllMocks();
  }
  const [row] = await bench.db.select().from(operations).where(eq(operations.id, id));
  return row;
}

/** Everything that is kept: rows of blobs, and files on the disk. */
async function kept() {
  const { rows } = await bench.database.connection.pool.query<{ key: string }>('select key from blobs');
  const files = await readdir(path.join(bench.config.dataDir, 'blobs'), {
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

for (const [kind, parameters, stages] of kinds) {
  const title = [kind, parameters['method']].filter(Boolean).join(', ');
  it(`${title}: cancelled at any stage, task or file, it ends within a second and leaves nothing`, async () => {
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

    const before = await kept();
    for (const place of places) {
      const times = passed.filter((other) => other === place).length;
      // The first time, and where it comes often, in the middle of its work.
      for (const wanted of new Set([1, Math.ceil(times / 2)])) {
        const controller = new AbortController();
        let count = 0;
        let cancelledAt = Number.NaN;
        const row = await run([kind, parameters], controller.signal, (now) => {
          if (now !== place || ++count !== wanted) return;
          cancelledAt = performance.now();
          controller.abort(new CancelRequested('the test cancels'));
        });
        const where = `${place}, time ${wanted} of ${times}`;
        expect(performance.now() - cancelledAt, where).toBeLessThan(1_000);
        expect([row.status, row.error, row.outputDataObjectIds], where).toEqual(['cancelled', null, []]);
        expect(await bench.outputs(row.id), where).toEqual([]);
        expect(await kept(), where).toEqual(before);
      }
    }
  });
}

it('what waits for the processor behind other work is cancelled without waiting for it', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { heavyWork } = contextOf();
  const ahead = heavyWork.pass(new AbortController().signal, 0, () => released);
  try {
    const controller = new AbortController();
    let cancelledAt = Number.NaN;
    const row = await run(['createMesh', {}], controller.signal, (place) => {
      if (place !== 'stage: Waiting for the processor') return;
      setImmediate(() => {
        cancelledAt = performance.now();
        controller.abort(new CancelRequested('the test cancels'));
      });
    });
    expect(row.status).toBe('cancelled');
    expect(performance.now() - cancelledAt).toBeLessThan(1_000);
  } finally {
    release();
    await ahead;
  }
});
