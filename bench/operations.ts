/**
 * Whole operations on a stored volume: reading the chunks, computing, writing the files. Seconds and peak memory of
 * each stage. `node bench/operations.ts [edge, by default 512] [mesh] [sphere] [ray] [integrity] [local] [in=<folder>]`
 *
 * The body is a cast housing of several hundred voxels with noise and 400 pores; `in` keeps its volume for the next
 * time. A surface is determined by the first operation that needs it, as in the product.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AnalysisContext, VolumeInput } from '#analyses/analysis.ts';
import { runAnalysis } from '#analyses/registry.ts';
import { shareSurfaces } from '#analyses/testing/scan-run.ts';
import { readPath, type StepKind } from '#contract/analyses/steps.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { createVolumeWriter } from '#formats/ome-zarr/volume-writer.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { identityDirections } from '#kernels/grid/volume.ts';
import { openDiskStore } from '#storage/blobs/disk-store.ts';
import { sendParts } from '#worker/operations/store-files.ts';
import { startThreadPool } from '#worker/threads/pool.ts';
import { castPart } from './cast-part.ts';
import { cpuSeconds, peakMebibytes, startPeak } from './process-figures.ts';

const words = process.argv.slice(2);
const surface = { mode: words.includes('local') ? 'local' : 'iso50' };
const runs: Record<string, { kind: StepKind; parameters: Record<string, unknown> }> = {
  mesh: { kind: 'createMesh', parameters: { surface } },
  sphere: { kind: 'runWallThickness', parameters: { method: 'sphere', minThicknessMm: 1.2, surface } },
  ray: { kind: 'runWallThickness', parameters: { method: 'ray', minThicknessMm: 1.2, surface } },
  integrity: { kind: 'runIntegrityAnalysis', parameters: { threshold: surface } },
};
const edge = Number(words.find((word) => /^\d+$/.test(word)) ?? 512);
const wanted = Object.keys(runs).filter((name) => words.includes(name));
const kept = words.find((word) => word.startsWith('in='))?.slice(3);
const folder = kept ?? (await mkdtemp(path.join(tmpdir(), 'operations-')));
const store = await openDiskStore(folder);
const key = `volumes/cast-${edge}`;
const pool = await startThreadPool();

const isThere = await stat(path.join(folder, key, 'zarr.json')).catch(() => null);
if (!isThere) {
  const start = performance.now();
  const writer = createVolumeWriter(store, key, {
    dimensions: [edge, edge, edge],
    voxelSizeMm: [0.1, 0.1, 0.1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType: 'uint16',
  });
  for (const slab of castPart(edge, 16)) await writer.append(slab);
  await writer.finish();
  console.log(`drawn and stored in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
const reader = await openVolumeReader(store, key);
const coarser = reader.meta.levels.slice(1).map((_, i) => reader.slabs(i + 1));
const source = { ...reader.slabs(0), coarser };
const summaryStart = performance.now();
const summary = await summarizeVolume(source, pool);
const volume: VolumeInput = { ...source, ...summary };
// Local levels are used where the judge finds a scan uneven, which this one is not.
const judged: ScanQuality | null = words.includes('local')
  ? {
      ...{ hasContrast: true, contrastToNoise: 20, airGrey: summary.peaks?.air ?? 0, unevenness: 0.3 },
      ...{ materials: [{ grey: summary.peaks?.material ?? 0, share: 1 }], blurVoxels: 0.6, gradient: 0 },
      ...{ rings: 0, border: [], thinnestWallVoxels: null, thinShare: 0, saturatedShare: 0, lostSlices: 0 },
    }
  : null;
const { surface: shared } = shareSurfaces();
console.log(`grey values counted in ${((performance.now() - summaryStart) / 1000).toFixed(2)} s (at ingest)`);

/** A separate function, so that no memory of an operation is retained while the next one runs. */
async function runOne(name: string): Promise<void> {
  const { kind, parameters } = runs[name];
  startPeak();
  const start = performance.now();
  const cpuStart = cpuSeconds();
  const stages = new Map<string, { seconds: number; cpu: number; peak: number }>();
  let current = '';
  let since = { time: start, cpu: cpuStart };
  const enter = (stage: string) => {
    const now = { time: performance.now(), cpu: cpuSeconds() };
    const { seconds, cpu, peak } = stages.get(current) ?? { seconds: 0, cpu: 0, peak: 0 };
    stages.set(current, {
      seconds: seconds + (now.time - since.time) / 1000,
      cpu: cpu + now.cpu - since.cpu,
      peak: Math.max(peak, peakMebibytes()),
    });
    [current, since] = [stage, now];
    startPeak();
  };
  const context: Omit<AnalysisContext, 'doubts' | 'judged'> = {
    volume: async () => volume,
    part: async () => ({ volume }),
    surface: shared,
    radiographs: () => Promise.reject(new Error('there are none')),
    newVolume: () => Promise.reject(new Error('none is made')),
    quality: async () => judged,
    pool,
    signal: new AbortController().signal,
    progress: (_, stage) => {
      if (stage !== current) enter(stage);
    },
  };
  const { dataObjects } = await runAnalysis(kind, parameters, { sourceDataObjectId: 'scan' }, context);
  enter('Storing');
  for (const { fileName, parts } of dataObjects.flatMap(({ files }) => files ?? [])) {
    await store.put(`files/${name}-${edge}-${fileName}`, sendParts(parts));
  }
  enter('');
  const total = (performance.now() - start) / 1000;
  const { metadata } = dataObjects[0];
  const said = ['triangles', 'vertices', 'volumeMm3', 'defectCount', 'count', 'porosityPercent', 'meanMm']
    .map((fact) => [fact, readPath(metadata, fact)])
    .filter(([, value]) => value !== undefined)
    .map((pair) => pair.join(' '));
  const peak = Math.max(...[...stages.values()].map((stage) => stage.peak));
  console.log(
    `${name} ${edge}³, ${pool.threads} threads: ${total.toFixed(1)} s (CPU ${(cpuSeconds() - cpuStart).toFixed(1)} s), peak ${peak.toFixed(0)} MiB; ${said.join(', ')}`,
  );
  for (const [stage, { seconds, cpu, peak }] of stages) {
    if (stage)
      console.log(`  ${stage}: ${seconds.toFixed(2)} s (CPU ${cpu.toFixed(2)} s), ${peak.toFixed(0)} MiB`);
  }
}

for (const name of wanted.length > 0 ? wanted : Object.keys(runs)) await runOne(name);
await pool.close();
await store.close();
if (kept === undefined) await rm(folder, { recursive: true });
