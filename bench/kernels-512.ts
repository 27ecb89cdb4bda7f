/**
 * Mesh and wall thickness of a 512³ uint16 volume on the worker's threads: seconds of each stage, peak memory of the
 * process, longest block of its main thread.
 * `node bench/kernels-512.ts [edge, by default 512] [mesh] [sphere] [ray] [simplify] [formats] [cancel] [sparse]`
 *
 * The volume repeats a noisy tube of 128³ voxels; with `sparse` only in one half of every fourth layer of tubes. Slabs
 * are assembled on demand, so the source itself takes hardly any memory. `cancel` cancels each run in each of its
 * stages and prints how long that took.
 * Peak memory per run needs Linux; elsewhere it is the peak of the process so far.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { AnalysisContext, VolumeInput } from '#analyses/analysis.ts';
import { runAnalysis } from '#analyses/registry.ts';
import { noData } from '#analyses/testing/no-data.ts';
import { readPath, type StepKind } from '#contract/analyses/steps.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { identityDirections, type SlabSource } from '#kernels/grid/volume.ts';
import { hollowCylinder, turnedBody } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { startThreadPool } from '#worker/threads/pool.ts';
import { cpuSeconds, peakMebibytes, startPeak } from './process-figures.ts';

const runs: Record<string, { kind: StepKind; parameters: Record<string, unknown> }> = {
  mesh: { kind: 'createMesh', parameters: {} },
  sphere: { kind: 'runWallThickness', parameters: { method: 'sphere', minThicknessMm: 1.2 } },
  ray: { kind: 'runWallThickness', parameters: { method: 'ray', minThicknessMm: 1.2 } },
  simplify: { kind: 'createMesh', parameters: { targetTriangles: 500_000 } },
  formats: { kind: 'createMesh', parameters: { formats: ['stl', 'ply', '3mf'] } },
};
const words = process.argv.slice(2);
const edge = Number(words.find((word) => /^\d+$/.test(word)) ?? 512);
const named = Object.keys(runs).filter((name) => words.includes(name));
const tile = 128;
const sparse = words.includes('sparse');
const isFull = (z: number, y: number) => !sparse || (Math.floor(z / tile) % 4 === 0 && y < edge / 2);

function tiledTube(): SlabSource {
  const { data } = renderBody(turnedBody(hollowCylinder(5.1, 3.7, 9.3), [17, 9, 0]), {
    dimensions: [tile, tile, tile],
    voxelSizeMm: [0.1, 0.1, 0.1],
    noise: 1200,
  });
  return {
    grid: {
      dimensions: [edge, edge, edge],
      voxelSizeMm: [0.1, 0.1, 0.1],
      originMm: [0, 0, 0],
      directions: identityDirections(),
    },
    dataType: 'uint16',
    readSlab: async (zStart, zEnd) => {
      const slab = new Uint16Array(edge * edge * (zEnd - zStart));
      for (let z = zStart; z < zEnd; z++) {
        for (let y = 0; y < edge; y++) {
          if (!isFull(z, y)) continue;
          const row = ((z % tile) * tile + (y % tile)) * tile;
          for (let x = 0; x < edge; x += tile) {
            const part = data.subarray(row, row + Math.min(tile, edge - x));
            slab.set(part, ((z - zStart) * edge + y) * edge + x);
          }
        }
      }
      return slab;
    },
  };
}

const pool = await startThreadPool();
const source = tiledTube();
const volume: VolumeInput = { ...source, ...(await summarizeVolume(source, pool)) };

interface Watched {
  stages: Map<string, { seconds: number; cpuSeconds: number }>;
  result: Awaited<ReturnType<typeof runAnalysis>> | undefined;
  stoppedAfterMs: number;
}

/** Runs once; with a stage, cancels 100 ms after that stage begins. */
async function watched(name: string, stopIn?: string): Promise<Watched> {
  const { kind, parameters } = runs[name];
  const controller = new AbortController();
  const stages: Watched['stages'] = new Map();
  let current = '';
  let since = performance.now();
  let cpuSince = cpuSeconds();
  let stoppedAt = Number.NaN;
  const close = () => {
    const now = performance.now();
    const cpu = cpuSeconds();
    if (current !== '') stages.set(current, { seconds: (now - since) / 1000, cpuSeconds: cpu - cpuSince });
    [since, cpuSince] = [now, cpu];
  };
  const context: Omit<AnalysisContext, 'doubts' | 'judged'> = {
    volume: async () => volume,
    part: async () => ({ volume }),
    surface: noData.surface,
    radiographs: () => Promise.reject(new Error('there are none')),
    newVolume: () => Promise.reject(new Error('none is made')),
    quality: async () => null,
    pool,
    signal: controller.signal,
    progress: (_, stage) => {
      if (stage === current) return;
      close();
      current = stage;
      if (stage === stopIn) {
        setTimeout(() => {
          stoppedAt = performance.now();
          controller.abort(new Error('stopped'));
        }, 100);
      }
    },
  };
  const result = await runAnalysis(kind, parameters, { sourceDataObjectId: 'scan' }, context).catch(
    (error) => {
      if (!controller.signal.aborted) throw error;
      return undefined;
    },
  );
  close();
  return { stages, result, stoppedAfterMs: performance.now() - stoppedAt };
}

for (const name of named.length > 0 ? named : ['mesh', 'sphere', 'ray']) {
  startPeak();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const start = performance.now();
  const cpuStart = cpuSeconds();
  const { stages, result } = await watched(name);
  delay.disable();
  const total = (performance.now() - start) / 1000;
  const metadata = result?.dataObjects[0].metadata;
  console.log(
    `${name} ${edge}³, ${pool.threads} threads: ${total.toFixed(1)} s (CPU ${(cpuSeconds() - cpuStart).toFixed(1)} s), peak ${peakMebibytes().toFixed(0)} MiB, main thread blocked for ${(delay.max / 1e6).toFixed(0)} ms at most, ${metadata && readPath(metadata, 'triangles')} triangles`,
  );
  for (const [stage, { seconds, cpuSeconds: cpu }] of stages) {
    console.log(`  ${stage}: ${seconds.toFixed(2)} s (CPU ${cpu.toFixed(2)} s)`);
  }
  if (!words.includes('cancel')) continue;
  for (const stage of stages.keys()) {
    const stopped = await watched(name, stage);
    console.log(
      `  stopped in “${stage}”: ${stopped.result ? 'was over before' : `after ${stopped.stoppedAfterMs.toFixed(0)} ms`}`,
    );
  }
}
await pool.close();
