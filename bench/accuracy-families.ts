/**
 * `npm run accuracy -- --families`: the share of numbers that are right, marked or silently wrong on scans that no
 * method was fitted to; writes docs/accuracy-families.md. `--seed 7,8` and `--only <family>` print instead of writing.
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { Family } from '#analyses/testing/families/family.ts';
import { families } from '#analyses/testing/families/list.ts';
import { type Judgement, measureCase } from '#analyses/testing/families/measure-case.ts';
import { corrected } from '#analyses/testing/families/simulated.ts';
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

/** Seeds used for the page. */
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
const formatShare = (all: readonly Judgement[], isOne: (each: Judgement) => boolean) =>
  all.length === 0 ? 0 : all.filter(isOne).length / all.length;

const countScans = (all: readonly Judgement[]) =>
  new Set(all.map((each) => `${Reflect.get(each, 'seed')} ${each.case}`)).size;

const familyHead = ['Scans', 'Numbers', 'Right', 'Wrong and marked', 'Silently wrong', 'Right, and marked'];
const formatTable = (head: readonly string[], rows: readonly string[], isNamed = true) =>
  [row(head), row(head.map((_, i) => (isNamed && i === 0 ? '---' : '--:'))), ...rows].join('\n');

function countClasses(cases: number, all: readonly Judgement[]): (string | number)[] {
  const silent = all.filter((each) => each.class === 'silent').length;
  const countClass = (name: Judgement['class']) => percent(formatShare(all, (each) => each.class === name));
  const marked = percent(formatShare(all, (each) => each.class === 'right' && each.isWarned));
  return [
    cases,
    all.length,
    countClass('right'),
    countClass('marked'),
    silent === 0 ? '0' : `**${silent}**`,
    marked,
  ];
}

const shortNames: Record<string, string> = {
  volumeMm3: 'volume',
  areaMm2: 'area',
  'percentilesMm.p50': 'wall',
  porosity: 'porosity',
  largestVolumeMm3: 'largest pore',
};

/** Medians of the bounds, as shares of the truth. */
function describeBounds(all: readonly Judgement[]): string {
  const known = Object.entries(shortNames).flatMap(([path, name]) => {
    const shares = all
      .filter((each) => each.path === path && each.truth > 0)
      .map(({ bound, truth }) => bound / truth)
      .sort((a, b) => a - b);
    const middle = shares[Math.floor(shares.length / 2)];
    return middle === undefined ? [] : [`${name} ±${percent(middle)}`];
  });
  return known.join(', ');
}

/** What a family represents, the reason for its bounds, and its results. */
function writeSection({ title, stands, argument }: Family, all: readonly Judgement[]): string {
  const [scans, numbers, right, marked, silent] = countClasses(countScans(all), all);
  const refused = formatShare(all, ({ codes }) => codes.includes('refused'));
  const ofRefused = refused > 0 ? ` (${percent(refused)} refused with a message)` : '';
  return [
    `## ${title}`,
    stands,
    `- Bounds (median): ${describeBounds(all)}. ${argument}`,
    `- Of ${numbers} numbers of ${scans} scans: right ${right}, wrong and marked ${marked}${ofRefused}, silently wrong ${silent}.`,
  ]
    .join('\n\n')
    .replace('\n\n- Of', '\n- Of');
}

/** Mean errors of the same scans without and with the corrections of the reconstruction. */
function listGains(all: readonly Judgement[]): string[] {
  const readScanner = (name: string) => name.replace(corrected, '').replace(/^\w+, /, '');
  const names = new Set(
    all.filter((each) => each.case.endsWith(corrected)).map((each) => readScanner(each.case)),
  );
  return [...names].map((name) => {
    const own = all.filter((each) => readScanner(each.case) === name && each.truth > 0);
    const error = (path: string, isCorrected: boolean) => {
      const errors = own
        .filter((each) => each.path === path && each.case.endsWith(corrected) === isCorrected)
        .flatMap(({ measured, truth }) => (measured === null ? [] : [Math.abs(measured / truth - 1)]));
      return errors.length === 0 ? '–' : percent(errors.reduce((sum, each) => sum + each, 0) / errors.length);
    };
    const paths = ['volumeMm3', 'percentilesMm.p50', 'porosity', 'largestVolumeMm3'];
    const cells = paths.map((path) => `${error(path, false)} / ${error(path, true)}`);
    return row([name, ...cells]);
  });
}

/** How often intervals contain the truth, and their width relative to the errors. */
function intervalRow(path: string, all: readonly Judgement[]): string | null {
  const known = all.filter(
    ({ path: own, truth, expanded, measured }) =>
      own === path && truth !== 0 && expanded !== null && measured !== null,
  );
  if (known.length === 0) return null;
  const error = (each: Judgement) => Math.abs((each.measured ?? 0) - each.truth) / each.truth;
  const mean = (of: (each: Judgement) => number) =>
    known.reduce((sum, each) => sum + of(each), 0) / known.length;
  const held = formatShare(known, (each) => error(each) * each.truth <= (each.expanded ?? 0));
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
  const everything = results.flat();
  const silent = families.flatMap(({ title }, i) => listSilent(title, results[i]));
  if (seeds || only !== '') {
    console.log([summarize(results), writeIntervals(everything), ...silent].join('\n\n'));
    if (process.env['ALL']) for (const each of everything) console.log(JSON.stringify(each));
  } else {
    const target = fileURLToPath(new URL('../docs/accuracy-families.md', import.meta.url));
    await writeFile(target, composePage(results));
    console.log(`${everything.length} numbers, ${silent.length} of them silently wrong -> ${target}`);
  }
  return silent.length > 0 ? 1 : 0;
}

const summarize = (results: readonly (readonly Judgement[])[]): string => {
  const shown = families.flatMap((family, i) =>
    results[i].length > 0 ? [{ ...family, all: results[i] }] : [],
  );
  const formatRow = (name: string, of: readonly { all: readonly Judgement[] }[]) => {
    const cases = of.reduce((sum, { all }) => sum + countScans(all), 0);
    return row([
      name,
      ...countClasses(
        cases,
        of.flatMap(({ all }) => all),
      ),
    ]);
  };
  return formatTable(
    ['Family', ...familyHead],
    [
      ...shown.map((each) => formatRow(each.title, [each])),
      formatRow(
        '**Good scans**',
        shown.filter(({ isGood }) => isGood),
      ),
      formatRow('**All**', shown),
    ],
  );
};

const writeIntervals = (of: readonly Judgement[]): string => {
  const paths = [...new Set(of.map(({ path }) => path))];
  return formatTable(
    ['Number', 'Scans', 'Held', 'Mean error', 'Mean ±', 'Ratio'],
    paths.flatMap((path) => intervalRow(path, of) ?? []),
  );
};

/** @param results of each family */
export function composePage(results: readonly (readonly Judgement[])[]): string {
  const everything = results.flat();
  const silent = families.flatMap(({ title }, i) => listSilent(title, results[i]));
  const sections = families.map((family, i) => writeSection(family, results[i]));
  return `# Accuracy on scans that no method was fitted to

Written by \`npm run accuracy -- --families\` from ${pageSeeds.length > 1 ? 'seeds' : 'seed'} ${pageSeeds.join(' and ')}; not edited by hand. [accuracy.md](accuracy.md) has the figures of clean bodies.

Most bodies are rendered in 3 × 3 × 3 cells per voxel, blurred there (0.6 voxels unless a family states otherwise) and averaged to voxels;
contrast to noise is 20. The “Simulated” families use simulated radiographs: 150 projections of 78 × 60 pixels with 2 × 2 rays each, and a
tube spectrum of 16 energies (Kramers' law behind a copper filter, in a caesium iodide scintillator; attenuation by NIST Standard
Reference Database 126), 30,000 photons per pixel, reconstructed by the product. Volume and area come from a formula or, for bodies without
one, from the rendering. The scan is judged and measured with the product's defaults: createMesh, runWallThickness, runIntegrityAnalysis.

- *Right*: the error is within the limits of physics. A level known to 2 % of the contrast moves an edge of blur s by
  √(2π) · s · 0.02; noise changes a volume by 2 · 3.9 · √(area · s / 0.67) / (contrast to noise); an edge rounded to a radius r by half a
  voxel and its blur costs (2 − π/2) r of area per length; a pore is measured over the whole region that it spreads to, so 2 % of that
  region counts; pores below the detection limit may be found or not.
- *Wrong and marked*: the error is larger, and the result shows it: a warning names this number, its interval contains the truth, or the
  analysis refuses the scan.
- *Silently wrong*: the error is larger, without any warning. Each is listed at the end.
- *Left open*: a hollow that a ball of twenty voxels reaches, such as a chipped edge, cannot be distinguished from a chamfer without a nominal
  shape, so the bounds allow it to count or not. [Intervals](#intervals), which have no such bound, show the size of this effect.
- *Right, and marked*: warnings that were not needed for this number.

${summarize(results)}

## What the corrections of a reconstruction gain

Mean errors of the same simulated scans, without / with the corrections: beam hardening found from the scan's own grey values, the share of
scatter given, rings.

${formatTable(['Scan', 'Volume', 'Wall', 'Porosity', 'Largest pore'], listGains(everything))}

${sections.join('\n\n')}

## Intervals

Expanded uncertainties (k = 2) as stated in results, over all families, and over the numbers without a warning. *Ratio*: mean
half width divided by mean error.

${writeIntervals(everything)}

Only numbers without a warning:

${writeIntervals(everything.filter(({ isWarned }) => !isWarned))}

## Silently wrong

${silent.length === 0 ? 'None.' : silent.join('\n')}
`;
}
