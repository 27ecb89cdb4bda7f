/**
 * `npm run accuracy -- --deviations [--seed 5,6]`: how often the intervals of comparisons contain the known deviation.
 * The truth is the result of the same comparison on the exact mesh. Prints only; docs/uncertainty.md has the figures.
 */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import {
  type ComparedNumber,
  type DeviationCase,
  listDeviationCases,
  measureDeviationCase,
} from '#analyses/testing/deviation-cases.ts';
import { inlinePool } from '#kernels/pool.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';

const pool = isMainThread ? undefined : inlinePool(await kernelModule());
parentPort?.on('message', (each: DeviationCase) => {
  if (!pool) return;
  measureDeviationCase(each, pool).then(
    (numbers) => parentPort?.postMessage(numbers),
    (error) =>
      setImmediate(() => {
        throw error;
      }),
  );
});

export async function measureDeviations(seeds: readonly number[]): Promise<void> {
  const todo = seeds.flatMap(listDeviationCases);
  const all: ComparedNumber[] = [];
  await kernelModule();
  const work = async () => {
    const worker = new Worker(new URL(import.meta.url));
    for (let job = todo.shift(); job; job = todo.shift()) {
      const { promise, resolve, reject } = Promise.withResolvers<ComparedNumber[]>();
      worker.once('message', resolve).once('error', reject);
      worker.postMessage(job);
      all.push(...(await promise));
      worker.off('error', reject);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const paths = [...new Set(all.map(({ path }) => path))];
  console.log(
    '| Number | Scans | Held | Mean error | Mean ± | Ratio |\n| --- | --: | --: | --: | --: | --: |',
  );
  for (const path of paths)
    console.log(
      formatRow(
        path,
        all.filter((each) => each.path === path),
      ),
    );
  const verdicts = all.filter(({ path }) => path === 'verdict');
  console.log(
    `\n${verdicts.filter(({ error }) => error > 0).length} of ${verdicts.length} verdicts are wrong.`,
  );
  for (const each of all) if (each.error > each.expanded) console.log(JSON.stringify(each));
}

function formatRow(path: string, all: readonly ComparedNumber[]): string {
  const mean = (of: (each: ComparedNumber) => number) =>
    all.reduce((sum, each) => sum + of(each), 0) / all.length;
  const held = mean(({ error, expanded }) => Number(error <= expanded + 1e-12));
  const [error, width] = [mean((each) => each.error), mean(({ expanded }) => expanded)];
  const cells = [
    `\`${path}\``,
    all.length,
    `${Math.round(100 * held)} %`,
    error.toFixed(4),
    width.toFixed(4),
  ];
  return `| ${[...cells, (width / error).toFixed(1)].join(' | ')} |`;
}
