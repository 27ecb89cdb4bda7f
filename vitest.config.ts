import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Started first, so that no long file runs alone at the end while a processor is idle. Tests that measure time come
 * later than the checks of `npm test`, which run beside the first files.
 */
const longest = [
  'worker/threads/memory-512',
  'kernels/quality/judge-slices',
  'kernels/quality/judge-greys',
  'analyses/porosity-interval',
  'kernels/quality/judge-walls',
  'analyses/families',
  'service/fuzz',
  'worker/work/work-process',
  'kernels/quality/judge-scan',
  'worker/recipes/run-invocation',
  'worker/ingest/hostile-files',
  'worker/operations/compare',
  'analyses/integrity',
  'service/resources/files/lost-rights',
  'worker/bulk/run-recipes',
  'analyses/one-surface',
  'analyses/place-uncertainties',
  'kernels/alignment/align',
  'analyses/filled-voids',
  'storage/db/embedded',
  'worker/reports/report',
  'kernels/quality/sound-scans',
  'analyses/odd-bodies',
  'service/contract-walk',
  'worker/demo/demo',
  'worker/renders/render-things',
  'kernels/quality/lighter-part',
  'analyses/compare',
  'worker/operations/run-operation',
  'worker/renders/run-render',
  'kernels/reconstruction/reconstruct',
  'kernels/compare/both-ways',
  'analyses/local-surface',
  'analyses/pore-volumes',
  'analyses/compare-poses',
  'kernels/quality/fine-structure',
  'storage/projects/references',
  'analyses/surface-interval',
  '.ci/tenth-kind',
  'analyses/hard-input',
  'analyses/accuracy',
  'kernels/features/fit-feature',
  'analyses/hollows',
  'worker/operations/reconstruction',
  'kernels/quality/noise-shape',
  'storage/db/project-list',
  'kernels/quality/faint-places',
  'worker/cad/read-cad',
  'worker/ingest/ingest',
  'kernels/quality/loose-pieces',
  'kernels/thickness/wall-thickness',
  'worker/recipes/verdict',
  'service/foreign-ids',
  'service/http/rate-limit',
  'worker/operations/cancel-at-every-stage',
  '.ci/floors',
  'kernels/quality/faint-gaps',
  'analyses/compare-cut-scan',
  'service/http/slow-requests',
  'service/resources/projects/list-projects',
  'kernels/surface/random-volumes',
  'kernels/surface/isosurface',
  'worker/bulk/run-bulk',
  'analyses/thin-walls',
  'analyses/ring-free',
  'main',
  'service/resources/session/accounts',
  'kernels/reconstruction/moving-poses',
  'analyses/unseen',
  'kernels/surface/smoothing',
  'analyses/grey-span',
  'analyses/air-around',
  'analyses/materials',
  'worker/exports/large-archive',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** A fixed seed, so that only a change of the code can make a test fail; `SCANWRIGHT_SEED=random` tries another one. */
const given = process.env['SCANWRIGHT_SEED'];
const seed = given === 'random' ? String(Date.now() % 1_000_000) : (given ?? '1');
// Each project loads this file again: all of them use the same seed, which is printed once.
if (seed !== given) console.info(`SCANWRIGHT_SEED=${seed}`);
process.env['SCANWRIGHT_SEED'] = seed;

const all = ['src/**/*.test.ts', '.ci/**/*.test.ts', 'bench/**/*.test.ts'];
/**
 * Tests of components need JSX, styles and Vite's environment, and some mock modules. Node loads all others directly,
 * so that short tests take a sixth less CPU time.
 */
const throughVite = [
  'src/web/**/*.test.ts',
  'src/**/*.test.tsx',
  'src/formats/bytes/inflate.test.ts',
  'src/service/http/passwords.test.ts',
];
/** Tests that need gigabytes: `npm run test:large`. */
const large = ['src/worker/threads/memory-512.test.ts', 'src/worker/exports/large-archive.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          ...{ name: 'unit', include: all, exclude: [...configDefaults.exclude, ...large, ...throughVite] },
          ...{ experimental: { viteModuleRunner: false } },
          // Bodies of a test are garbage when it ends: with fewer collections all tests take a thirtieth less CPU time.
          execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
        },
      },
      // Vitest ignores the case of project names: `--project unit` selects both.
      { extends: true, test: { name: 'Unit', include: throughVite } },
      { extends: true, test: { name: 'large', include: large } },
    ],
    env: { SCANWRIGHT_SEED: seed },
    setupFiles: ['.ci/seed.ts'],
    // As `npm start` does: modules that use the database load in a quarter of the time.
    execArgv: ['--import', new URL('src/drizzle-as-commonjs.ts', import.meta.url).href],
    // Ends only tests that hang: a long one may get a quarter of a busy machine, with three others beside it.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // As in the journeys: enough for a much slower machine.
    expect: { poll: { timeout: 30_000 } },
    // Twice the processors of CI, because many tests wait for a process, a heartbeat or a database.
    maxWorkers: 4,
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
