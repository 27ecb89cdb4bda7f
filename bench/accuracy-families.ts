/**
 * `npm run accuracy -- --families`: the share of numbers that are right, marked or silently wrong on scans that no method was
 * fitted to; writes docs/accuracy-families.md. `--seed 7,8` and `--only <family>` print instead of writing.
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { families } from '#analyses/testing/families/list.ts';
import { type Judgement, measureCase } from '#analyses/testing/families/measure-case.ts';
import { inlinePool } from '#kernels/pool.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';

interface Job {
  family: number;
  seed: number;
  index: number;
}

const pool = isMainThread ? undefined : inlinePool(await kernelModule());
parentPort?.on('message', ({ family, seed, index }: Job) => {
  if (!pool) return;
  measureCase(families[family].listCases(seed)[index], pool).then(
    (judged) => parentPort?.postMessage(judged),
    (error) =>
      setImmediate(() => {
        throw error;
      }),
  );
});

/** The seeds of the page. */
const pageSeeds = [3];

/** All judgements of each family, measured on all cores. */
async function measureFamilies(seeds: readonly number[], only: string): Promise<Judgement[][]> {
  const all = families.map((): Judgement[][] => []);
  const todo = families.flatMap(({ title, listCases }, family) =>
    title.includes(only)
      ? seeds.flatMap((seed) => listCases(seed).map((_, index): Job => ({ family, seed, index })))
      : [],
  );
  await kernelModule();
  const work = async () => {
    const worker = new Worker(new URL(import.meta.url));
    for (let job = todo.shift(); job; job = todo.shift()) {
      const { promise, resolve, reject } = Promise.withResolvers<Judgement[]>();
      worker.once('message', resolve).once('error', reject);
      worker.postMessage(job);
      const at = all[job.family].push([]) - 1;
      all[job.family][at] = (await promise).map((judged) => ({ ...judged, seed: job.seed }));
      worker.off('error', reject);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return all.map((each) => each.flat());
}

const percent = (share: number) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const shareOf = (all: readonly Judgement[], isOne: (each: Judgement) => boolean) =>
  all.length === 0 ? 0 : all.filter(isOne).length / all.length;

const countScans = (all: readonly Judgement[]) =>
  new Set(all.map((each) => `${Reflect.get(each, 'seed')} ${each.case}`)).size;
const sumCases = (of: readonly { cases: number }[]) => of.reduce((sum, { cases }) => sum + cases, 0);

function familyRow(title: string, cases: number, all: readonly Judgement[]): string {
  const silent = all.filter((each) => each.class === 'silent').length;
  const isOf = (name: Judgement['class']) => percent(shareOf(all, (each) => each.class === name));
  const marked = percent(shareOf(all, (each) => each.class === 'right' && each.isWarned));
  return row([
    title,
    cases,
    all.length,
    isOf('right'),
    isOf('marked'),
    silent === 0 ? '0' : `**${silent}**`,
    marked,
  ]);
}

/** How often intervals hold the truth, and how wide they are against the errors. */
function intervalRow(path: string, all: readonly Judgement[]): string | null {
  const known = all.filter(
    ({ path: own, truth, expanded, measured }) =>
      own === path && truth !== 0 && expanded !== null && measured !== null,
  );
  if (known.length === 0) return null;
  const error = (each: Judgement) => Math.abs((each.measured ?? 0) - each.truth) / each.truth;
  const mean = (of: (each: Judgement) => number) =>
    known.reduce((sum, each) => sum + of(each), 0) / known.length;
  const held = shareOf(known, (each) => error(each) * each.truth <= (each.expanded ?? 0));
  const [width, off] = [mean((each) => (each.expanded ?? 0) / each.truth), mean(error)];
  return row([
    `\`${path}\``,
    known.length,
    percent(held),
    percent(off),
    percent(width),
    (width / off).toFixed(1),
  ]);
}

const listSilent = (title: string, all: readonly Judgement[]) =>
  all
    .filter((each) => each.class === 'silent')
    .map(
      ({ case: name, path, measured, truth, bound, expanded, ...each }) =>
        `- ${title}, ${name} (seed ${Reflect.get(each, 'seed')}): \`${path}\` ${measured?.toPrecision(4)} instead of ${truth.toPrecision(4)}, bound ${bound.toPrecision(2)}${expanded === null ? '' : `, interval ± ${expanded.toPrecision(2)}`}`,
    );

export async function writeFamilies(seeds: readonly number[] | null, only: string): Promise<number> {
  const results = await measureFamilies(seeds ?? pageSeeds, only);
  const shown = families.flatMap(({ title, isGood = false }, i) =>
    results[i].length > 0 ? [{ title, isGood, all: results[i], cases: countScans(results[i]) }] : [],
  );
  const everything = shown.flatMap(({ all }) => all);
  const good = shown.flatMap(({ isGood, all }) => (isGood ? all : []));
  const silent = shown.flatMap(({ title, all }) => listSilent(title, all));
  const head = [
    'Family',
    'Scans',
    'Numbers',
    'Right',
    'Wrong and marked',
    'Silently wrong',
    'Right, and marked',
  ];
  const table = [
    row(head),
    row(head.map((_, i) => (i === 0 ? '---' : '--:'))),
    ...shown.map(({ title, cases, all }) => familyRow(title, cases, all)),
    ...(good.length > 0
      ? [familyRow('**Good scans**', sumCases(shown.filter(({ isGood }) => isGood)), good)]
      : []),
    familyRow('**All**', sumCases(shown), everything),
  ].join('\n');
  const paths = [...new Set(everything.map(({ path }) => path))];
  const intervalHead = ['Number', 'Scans', 'Held', 'Mean error', 'Mean ±', 'Ratio'];
  const rows = (of: readonly Judgement[]) => paths.flatMap((path) => intervalRow(path, of) ?? []);
  const unmarked = everything.filter(({ isWarned }) => !isWarned);
  const intervals = (of: readonly Judgement[]) =>
    [row(intervalHead), row(intervalHead.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows(of)].join('\n');
  if (seeds || only !== '') {
    console.log([table, intervals(everything), intervals(unmarked), ...silent].join('\n\n'));
    if (process.env['ALL']) for (const each of everything) console.log(JSON.stringify(each));
    return silent.length > 0 ? 1 : 0;
  }
  const target = fileURLToPath(new URL('../docs/accuracy-families.md', import.meta.url));
  await writeFile(target, pageOf(table, intervals(everything), intervals(unmarked), silent));
  console.log(`${everything.length} numbers, ${silent.length} of them silently wrong -> ${target}`);
  return silent.length > 0 ? 1 : 0;
}

const pageOf = (
  table: string,
  intervals: string,
  unmarked: string,
  silent: readonly string[],
) => `# Accuracy on scans that no method was fitted to

Written by \`npm run accuracy -- --families\` from ${pageSeeds.length > 1 ? 'seeds' : 'seed'} ${pageSeeds.join(' and ')}; not edited by hand. [accuracy.md](accuracy.md) has the figures of clean bodies.

Bodies are rendered in 3 × 3 × 3 cells a voxel, blurred there (0.6 voxels unless a family says otherwise) and brought to voxels;
contrast to noise is 20. Volume and area are the formula's or, of bodies that have none, the rendering's. The scan is judged and
measured as the product does it by default: createMesh, runWallThickness, runIntegrityAnalysis.

- *Right*: off by no more than physics leaves open. A level that is known to 2 % of the contrast moves an edge of blur s by
  √(2π) · s · 0.02; noise moves a volume by 2 · 3.9 · √(area · s / 0.67) / (contrast to noise); an edge rounded by half a voxel and its
  blur costs (2 − π/2) r of area; a pore is measured over all that it spreads to, so 2 % of that count; pores below the detection
  limit are found or not.
- *Wrong and marked*: beyond that, and the result says so: a warning names this number, its interval holds the truth, or the
  analysis refuses the scan.
- *Silently wrong*: beyond that without a word. Each is listed at the end.
- *Right, and marked*: warnings that were not needed for this number.

${table}

## Intervals

Expanded uncertainties (k = 2) as results carry them, over all families, and over the numbers that no warning names. *Ratio*: mean
half width over mean error.

${intervals}

Without the numbers that a warning names:

${unmarked}

## Silently wrong

${silent.length === 0 ? 'None.' : silent.join('\n')}
`;
