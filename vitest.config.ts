import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first, or one of them is left alone at the end with half of the processor. */
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
  'worker/renders/run-render',
  'worker/bulk/run-recipes',
  'service/contract-walk',
  'analyses/one-surface',
  'analyses/odd-bodies',
  'analyses/filled-voids',
  'kernels/quality/lighter-part',
  'analyses/pore-volumes',
  'analyses/hollows',
  'formats/hostile',
  'service/http/rate-limit',
  'worker/operations/run-operation',
  'kernels/reconstruction/reconstruct',
  'analyses/hard-input',
  'storage/db/project-list',
  'worker/recipes/verdict',
  'analyses/place-uncertainties',
  'worker/demo/demo',
  'analyses/accuracy',
  'kernels/alignment/align',
  'kernels/surface/random-volumes',
  'analyses/compare',
  'storage/db/embedded',
  '.ci/tenth-kind',
  'kernels/thickness/wall-thickness',
  'kernels/reconstruction/moving-poses',
  'service/foreign-ids',
  'main',
  'analyses/air-around',
  'analyses/local-surface',
  'analyses/compare-poses',
  'kernels/quality/noise-shape',
  'analyses/surface-interval',
  'service/first-password',
  'worker/ingest/ingest',
  'service/resources/files/lost-rights',
  'service/resources/projects/list-projects',
  'worker/operations/cancel-at-every-stage',
  'storage/claim-store',
  'service/http/slow-requests',
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

/** One seed for each run, so that a change alone can turn a test red; `SCANWRIGHT_SEED=random` looks further. */
const given = process.env['SCANWRIGHT_SEED'];
const seed = given === 'random' ? String(Date.now() % 1_000_000) : (given ?? '1');
// Each project reads this file anew: all of them get the same one, which is told once.
if (seed !== given) console.info(`SCANWRIGHT_SEED=${seed}`);
process.env['SCANWRIGHT_SEED'] = seed;

const all = ['src/**/*.test.ts', '.ci/**/*.test.ts', 'bench/**/*.test.ts'];
/**
 * What is drawn needs JSX, styles and an environment of Vite's, and some replace what they load. All else is loaded by
 * Node itself, which takes a sixth off what short tests take of the processor.
 */
const throughVite = [
  'src/web/**/*.test.ts',
  'src/**/*.test.tsx',
  'src/formats/bytes/inflate.test.ts',
  'src/service/http/passwords.test.ts',
];
/** What takes gigabytes: `npm run test:large`. */
const large = ['src/worker/threads/memory-512.test.ts', 'src/worker/exports/large-archive.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          ...{ name: 'unit', include: all, exclude: [...configDefaults.exclude, ...large, ...throughVite] },
          ...{ experimental: { viteModuleRunner: false } },
          // A test's bodies are garbage when it ends: fewer collections take a thirtieth off all of the tests.
          execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
        },
      },
      // The names of projects are compared without case: `--project unit` means both.
      { extends: true, test: { name: 'Unit', include: throughVite } },
      { extends: true, test: { name: 'large', include: large } },
    ],
    env: { SCANWRIGHT_SEED: seed },
    setupFiles: ['.ci/seed.ts'],
    // As `npm start` does: whatever reads the database is loaded in a quarter of the time.
    execArgv: ['--import', new URL('src/drizzle-as-commonjs.ts', import.meta.url).href],
    // Only what hangs is to be ended: three tests beside it may leave a long one a quarter of a busy machine.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // As long as the journeys: who waits for a state waits no longer than that takes.
    expect: { poll: { timeout: 30_000 } },
    // Twice the processors of CI: many a test waits for a process, a heartbeat or a database.
    maxWorkers: 4,
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
