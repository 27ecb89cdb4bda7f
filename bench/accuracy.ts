/**
 * `npm run accuracy`: measures bodies of known truth and writes docs/accuracy.md. The result is the same on every
 * machine. Exits with 1 when a figure is beyond its bound.
 * `npm run accuracy -- --families`: only scans that no method was fitted to, see accuracy-families.ts.
 * `npm run accuracy -- --deviations`: only intervals of comparisons, see accuracy-deviations.ts.
 * `npm run accuracy -- --data <folder>`: compares with published values instead, see real-data.ts.
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { accuracySections } from '#analyses/testing/accuracy-sections.ts';
import { inlinePool } from '#kernels/pool.ts';
import {
  accuracyBlurMm,
  accuracyContrast,
  accuracyNoise,
  accuracyVoxelsMm,
} from '#kernels/testing/accuracy/scans.ts';
import { type AccuracySection, holds, listCells, readHead } from '#kernels/testing/accuracy/section.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';

const pool = isMainThread ? undefined : inlinePool(await kernelModule());
// In a worker thread: measures the cases it receives, one after the other.
parentPort?.on('message', ({ section, index }: { section: number; index: number }) => {
  if (!pool) return;
  accuracySections[section].cases[index].measure(pool).then(
    (measured) => parentPort?.postMessage(measured),
    (error) =>
      setImmediate(() => {
        throw error;
      }),
  );
});

/** Figures of every case of every section, measured on all cores. */
async function measureAll(): Promise<Record<string, number>[][]> {
  const all = accuracySections.map(({ cases }) => cases.map((): Record<string, number> => ({})));
  const todo = accuracySections.flatMap(({ cases }, section) =>
    cases.map((_, index) => ({ section, index })),
  );
  const work = async () => {
    const worker = new Worker(new URL(import.meta.url));
    for (let job = todo.shift(); job; job = todo.shift()) {
      const { section, index } = job;
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, number>>();
      worker.once('message', resolve).once('error', reject);
      worker.postMessage(job);
      all[section][index] = await promise;
      worker.off('error', reject);
      if (todo.length % 20 === 0) console.log(`${todo.length} cases to go`);
    }
    await worker.terminate();
  };
  // Compiled in advance; otherwise every thread would compile the kernels.
  await kernelModule();
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return all;
}

if (isMainThread) await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...{ data: { type: 'string' }, only: { type: 'string' } },
      ...{ families: { type: 'boolean' }, deviations: { type: 'boolean' }, seed: { type: 'string' } },
    },
  });
  if (values.deviations) {
    const { measureDeviations } = await import('./accuracy-deviations.ts');
    await measureDeviations(values.seed?.split(',').map(Number) ?? [3]);
    process.exit(0);
  }
  const { writeFamilies } = await import('./accuracy-families.ts');
  if (values.families) {
    const seeds = values.seed?.split(',').map(Number) ?? null;
    process.exit(await writeFamilies(seeds, values.only ?? ''));
  }
  if (values.data !== undefined) {
    const { measureRealData } = await import('./real-data.ts');
    process.exit(await measureRealData(values.data, values.only));
  }

  const target = fileURLToPath(new URL('../docs/accuracy.md', import.meta.url));
  const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  const missed: string[] = [];
  let figures = 0;

  const formatTable = (section: AccuracySection, results: Record<string, number>[]): string => {
    const head = readHead(section);
    const lines = [row(head), row(head.map((_, i) => (i < section.places.length ? '---' : '--:')))];
    for (const [i, each] of section.cases.entries()) {
      const measured = results[i];
      lines.push(row(listCells(section, each, measured)));
      for (const figure of section.figures) {
        if (figure.bound === 'none' || each.bounds[figure.name] === undefined) continue;
        figures++;
        if (!holds(figure, measured[figure.name], each.bounds[figure.name]))
          missed.push(`${section.title}: ${each.place.join(', ')}: ${figure.name}`);
      }
    }
    return `## ${section.title}\n\n${section.text}\n\n${lines.join('\n')}\n`;
  };

  const results = await measureAll();
  const tables = accuracySections.map((section, i) => formatTable(section, results[i]));

  const [x, y, z] = accuracyVoxelsMm.anisotropic;
  const text = `# Accuracy

Written by \`npm run accuracy\` from bodies with exactly known dimensions; not edited by hand. Tests check the bounds.
Of ${figures} figures with a bound, ${figures - missed.length} are within it; any other would be marked **not met**.

Unless a section states otherwise, bodies are rendered with partial volume into voxels of ${accuracyVoxelsMm.cubic[0]} mm (cubic) or ${x} × ${y} × ${z} mm
(anisotropic), shifted off the grid, along its axes or tilted by 21°, 14° and 33°; the standard deviation of noise is ${(100 * accuracyNoise) / accuracyContrast} % of the
contrast between air and material, that of blur ${accuracyBlurMm} mm, applied before voxels take their means. The surface is at ISO 50. These
scans lack the scatter, beam hardening and rings of real scans; [accuracy-families.md](accuracy-families.md) includes them,
and lists the numbers that are wrong there without a warning.

${tables.join('\n')}`;
  await writeFile(target, text);
  console.log(`${figures} figures, ${missed.length} of them not met -> ${target}`);
  for (const name of missed) console.error(`beyond its bound: ${name}`);
  const silent = await writeFamilies(null, '');
  process.exitCode = missed.length > 0 || silent > 0 ? 1 : 0;
}
