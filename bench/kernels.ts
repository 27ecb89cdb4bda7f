/**
 * Compares each kernel with the best Debian program for the same task, alternately in one run on the same processors. A
 * row reports missing packages; a row whose results differ fails.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildKernels } from '#kernels/simd/build.ts';
import { startThreadPool } from '#worker/threads/pool.ts';
import { disagreements } from './kernels/figures.ts';
import { computeRatios } from './kernels/ratios.ts';
import { formatLine, isMetBy, type KernelMeasurement, summarizeMeasurements } from './kernels/report.ts';
import type { Ours, Place, Rival, Row } from './kernels/row.ts';
import { rows } from './kernels/rows.ts';
import { installedPackages, listMissing, notMeasured } from './peers/packages.ts';
import { peakMebibytes, startPeak } from './process-figures.ts';

/** Edges at which the limits apply; smaller ones are measured for comparison. */
const limitedEdge = 512;
const usualEdges = [256, 512];
/** Runs of each, fewer when they take too long. */
const maxRuns = 7;
const secondsPerRival = 20;

/** Words select rows by name and by edge; without words, all run. */
export async function benchKernels(words: readonly string[]): Promise<KernelMeasurement[]> {
  const edges = words.map(Number).filter((edge) => edge > 0);
  const named = rows.filter(({ word }) => words.includes(word));
  const installed = await installedPackages();
  const folder = await mkdtemp(path.join(tmpdir(), 'kernels-'));
  // Built from the current sources.
  await buildKernels();
  const pool = await startThreadPool();
  const found: KernelMeasurement[] = [];
  try {
    for (const edge of edges.length > 0 ? edges : usualEdges) {
      for (const row of named.length > 0 ? named : rows) {
        for (const measurement of await measureRow(row, { pool, folder, edge }, installed)) {
          console.log(formatLine(measurement));
          found.push(measurement);
        }
      }
    }
  } finally {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}

async function measureRow(
  row: Row,
  place: Place,
  installed: ReadonlySet<string>,
): Promise<KernelMeasurement[]> {
  const { rivals, withOurs } = await row.prepare(place);
  const measurements = rivals.map(({ peer, atLeast }): KernelMeasurement => {
    const missing = listMissing(peer.packages, installed);
    return {
      kernel: row.name,
      edge: place.edge,
      peer: peer.name,
      packages: peer.packages,
      atLeast: place.edge >= limitedEdge ? (atLeast ?? null) : null,
      ...(missing.length > 0 ? { notMeasured: notMeasured(missing) } : {}),
    };
  });
  if (measurements.every((measurement) => measurement.notMeasured)) return measurements;
  await withOurs(async (ours) => {
    startPeak();
    // Warm-up run: compiles code and allocates memory.
    await ours.run();
    for (const [i, rival] of rivals.entries()) {
      if (!measurements[i].notMeasured) Object.assign(measurements[i], await inTurn(ours, rival));
    }
  });
  return measurements.map((measurement) => ({ ...measurement, isMet: isMetBy(measurement) }));
}

/** Alternates ours and theirs, so that other load on the machine affects both equally. */
async function inTurn(ours: Ours, { peer, agreement }: Rival): Promise<Partial<KernelMeasurement>> {
  const running = await peer.start();
  try {
    const [oursSeconds, theirsSeconds]: [number[], number[]] = [[], []];
    const start = performance.now();
    let isWarm = false;
    while (theirsSeconds.length < maxRuns) {
      const own = await ours.run();
      const other = await running.run();
      // Where theirs is slow, there are few runs: one of ours before and after each shows the state of the machine.
      const after = other > 10 * own ? [await ours.run()] : [];
      const spent = (performance.now() - start) / 1000;
      // The first run of theirs is not counted either, unless there is no time for another.
      if (isWarm || spent > secondsPerRival / 2) {
        oursSeconds.push(own, ...after);
        theirsSeconds.push(other);
      }
      isWarm = true;
      if (spent > secondsPerRival && theirsSeconds.length > 0) break;
    }
    return {
      ratios: computeRatios(oursSeconds, theirsSeconds),
      runs: theirsSeconds.length,
      theirsPeakMebibytes: await running.peakMebibytes(),
      oursPeakMebibytes: peakMebibytes(),
      disagreements: disagreements(await ours.result(), await running.result(), agreement),
    };
  } finally {
    running.stop();
  }
}

/** Reports missing packages and missed limits; returns whether everything measured is correct and fast enough. */
export function reportKernels(measurements: readonly KernelMeasurement[]): boolean {
  for (const line of summarizeMeasurements(measurements)) console.log(line);
  return measurements.every(({ isMet }) => isMet !== false);
}
