/**
 * Each kernel against the best program of Debian that does the same, in turn with it, in one run on the same processors.
 * A row whose packages are missing says so; a row whose results differ fails.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildKernels } from '#kernels/simd/build.ts';
import { startThreadPool } from '#worker/threads/pool.ts';
import { disagreements } from './kernels/figures.ts';
import { ratiosOf } from './kernels/ratios.ts';
import { isMetBy, type KernelMeasurement, lineOf, summaryOf } from './kernels/report.ts';
import type { Ours, Place, Rival, Row } from './kernels/row.ts';
import { rows } from './kernels/rows.ts';
import { installedPackages, missingOf, notMeasured } from './peers/packages.ts';
import { peakMebibytes, startPeak } from './process-figures.ts';

/** Edges at which the limits hold; smaller ones are measured beside them. */
const limitedEdge = 512;
const usualEdges = [256, 512];
/** Runs of each, unless they take so long that fewer have to do. */
const mostRuns = 7;
const secondsPerRival = 20;

/** Words: names of rows, edges; all of them without. */
export async function benchKernels(words: readonly string[]): Promise<KernelMeasurement[]> {
  const edges = words.map(Number).filter((edge) => edge > 0);
  const named = rows.filter(({ word }) => words.includes(word));
  const installed = await installedPackages();
  const folder = await mkdtemp(path.join(tmpdir(), 'kernels-'));
  // As they are in the sources.
  await buildKernels();
  const pool = await startThreadPool();
  const found: KernelMeasurement[] = [];
  try {
    for (const edge of edges.length > 0 ? edges : usualEdges) {
      for (const row of named.length > 0 ? named : rows) {
        for (const measurement of await measureRow(row, { pool, folder, edge }, installed)) {
          console.log(lineOf(measurement));
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
    const missing = missingOf(peer.packages, installed);
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
    // Once for nothing: code is compiled and memory taken.
    await ours.run();
    for (const [i, rival] of rivals.entries()) {
      if (!measurements[i].notMeasured) Object.assign(measurements[i], await inTurn(ours, rival));
    }
  });
  return measurements.map((measurement) => ({ ...measurement, isMet: isMetBy(measurement) }));
}

/** Ours, theirs, ours, theirs …; whoever else needs the processors disturbs both. */
async function inTurn(ours: Ours, { peer, agreement }: Rival): Promise<Partial<KernelMeasurement>> {
  const running = await peer.start();
  try {
    const [oursSeconds, theirsSeconds]: [number[], number[]] = [[], []];
    const start = performance.now();
    let isWarm = false;
    while (theirsSeconds.length < mostRuns) {
      const own = await ours.run();
      const other = await running.run();
      // Where theirs takes long there are few of them: ours before and after says what the machine was like.
      const after = other > 10 * own ? [await ours.run()] : [];
      const spent = (performance.now() - start) / 1000;
      // The first of theirs is not counted either, unless there is no time for another.
      if (isWarm || spent > secondsPerRival / 2) {
        oursSeconds.push(own, ...after);
        theirsSeconds.push(other);
      }
      isWarm = true;
      if (spent > secondsPerRival && theirsSeconds.length > 0) break;
    }
    return {
      ratios: ratiosOf(oursSeconds, theirsSeconds),
      runs: theirsSeconds.length,
      theirsPeakMebibytes: await running.peakMebibytes(),
      oursPeakMebibytes: peakMebibytes(),
      disagreements: disagreements(await ours.result(), await running.result(), agreement),
    };
  } finally {
    running.stop();
  }
}

/** Says what is missing and what has not been reached; whether all that was measured is right and fast enough. */
export function reportKernels(measurements: readonly KernelMeasurement[]): boolean {
  for (const line of summaryOf(measurements)) console.log(line);
  return measurements.every(({ isMet }) => isMet !== false);
}
