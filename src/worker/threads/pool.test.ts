import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnalysisContext, AnalysisResult, VolumeInput } from '#analyses/analysis.ts';
import { runAnalysis } from '#analyses/registry.ts';
import { noData } from '#analyses/testing/no-data.ts';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import type { WasmModule } from '#kernels/simd/webassembly.ts';
import { placeGrid } from '#kernels/surface/grid-layout.ts';
import { kernelTasks } from '#kernels/task.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { expectWithin, startStopwatch } from '../testing/contention.ts';
import { startThreadPool, type ThreadPool } from './pool.ts';

let module: WasmModule;
let pool: ThreadPool;
let volume: VolumeInput;
beforeAll(async () => {
  module = await kernelModule();
  pool = await startThreadPool({ module, threads: 2 });
  const body = hollowCylinder(5, 3.5, 9);
  const source = makeSlabs(
    renderBody(body, { dimensions: [56, 56, 56], voxelSizeMm: [0.2, 0.2, 0.2], noise: 1000 }),
  );
  volume = { ...source, ...(await summarizeVolume(source, inlinePool(module))) };
});
afterAll(() => pool.close());

const contextWith = (
  pool: KernelPool,
  signal = new AbortController().signal,
): Omit<AnalysisContext, 'doubts' | 'judged'> => ({
  ...noData,
  volume: async () => volume,
  part: async () => ({ volume }),
  pool,
  signal,
  progress: () => {},
});
const run = (context: Omit<AnalysisContext, 'doubts' | 'judged'>): Promise<AnalysisResult> =>
  runAnalysis('runWallThickness', {}, { sourceDataObjectId: 'tube' }, context);

describe('the thread pool', () => {
  it('returns the same bytes as in place', async () => {
    const [threaded, inPlace] = await Promise.all([
      run(contextWith(pool)),
      run(contextWith(inlinePool(module, 3))),
    ]);
    expect(threaded.dataObjects[0].metadata).toEqual(inPlace.dataObjects[0].metadata);
    const [glb, other] = [threaded, inPlace].map((result) => joinBytes(result.dataObjects[0].files[0].parts));
    expect(Buffer.compare(glb, other)).toBe(0);
  });

  it('stops between tasks if the signal is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped by the user');
    const context = { ...contextWith(pool, controller.signal), progress: () => controller.abort(reason) };
    await expect(run(context)).rejects.toBe(reason);
  });

  it('ends a thread with a long task if the signal is aborted, and continues with a new one', async () => {
    const other = await startThreadPool({ module, threads: 1 });
    const reason = new Error('stopped by the user');
    await other.withArena(async (arena) => {
      const { memory } = arena;
      const zeros = arena.allocate(64, 'Zeros');
      const thickness = arena.allocate(4, 'The result');
      const grid = placeGrid(arena, {
        address: 0,
        planes: [0, 4],
        isU16: 1,
        stride: 16,
        cells: [2, 2, 2],
        voxelSizeMm: [1, 1, 1],
        iso: -1,
        air: 0,
        span: 0,
        pure: 0,
      });
      const table = arena.allocate(4, 'A block of material');
      arena.integers(table, 1).set([1]);
      const blocks = arena.place('Blocks', { table, nx: 1, ny: 1, nz: 1 });
      const [normals, cone] = [arena.allocate(12, 'Next to no normal'), arena.allocate(12, 'Straight on')];
      arena.floats(normals, 3).set([1e-30, 0, 0]);
      arena.floats(cone, 3).set([0, 0, 1]);
      const places = { positions: zeros, normals, blocks, cone, thickness };
      const range = { memory, grid: grid.at, from: 0, rayCount: 1, ...places };
      await expectWithin(1000, async () => {
        const controller = new AbortController();
        // The thread is warm once it has answered.
        await other.run(kernelTasks.rays, { ...range, to: 0, limit: 1 });
        // A ray of next to no direction stays where it is, in material, and never arrives.
        const long = other.run(
          kernelTasks.rays,
          { ...range, to: 1, limit: Number.MAX_VALUE },
          { signal: controller.signal },
        );
        const stopped = expect(long).rejects.toBe(reason);
        const elapsedMs = startStopwatch();
        controller.abort(reason);
        await stopped;
        return elapsedMs();
      });
    });
    await expect(run(contextWith(other))).resolves.toMatchObject({
      dataObjects: [{ kind: 'wallThickness' }],
    });
    await other.close();
  });

  it('never reuses memory that a result holds', async () => {
    for (const each of [pool, inlinePool(module)]) {
      const [first, second] = [1, 2].map(() => each.withArena(async (arena) => arena.memory));
      const handedOver = await each.withArena(async (arena) => {
        arena.handOver();
        return arena.memory;
      });
      await Promise.all([first, second]);
      expect(await each.withArena(async (arena) => arena.memory)).not.toBe(handedOver);
    }
  });

  it('rejects with the error of a task, and continues', async () => {
    await pool.withArena(async (arena) => {
      const beyond = { memory: arena.memory, kind: 0, source: 2 ** 32 - 8, count: 4096, counts: 65536 };
      await expect(pool.run(kernelTasks.countValues, beyond)).rejects.toThrow(/memory access out of bounds/);
    });
    await expect(run(contextWith(pool))).resolves.toMatchObject({ dataObjects: [{ kind: 'wallThickness' }] });
  });

  it('rejects pending tasks when it is closed', async () => {
    const other = await startThreadPool({ module, threads: 1 });
    const running = run(contextWith(other));
    const refused = expect(running).rejects.toThrow(/closed|ended/);
    await other.close();
    await refused;
    await expect(run(contextWith(other))).rejects.toThrow('the kernel pool is closed');
  });
});
