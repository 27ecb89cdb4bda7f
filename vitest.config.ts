import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first, or one of them is left alone at the end with half of the processor. */
const longest = [
  'worker/threads/memory-512',
  'service/fuzz',
  'kernels/alignment/align',
  'worker/bulk/run-recipes',
  'worker/recipes/run-invocation',
  'worker/work/work-process',
  'worker/operations/cancel-at-every-stage',
  'worker/operations/compare',
  'service/contract-walk',
  '.ci/tenth-kind',
  'kernels/quality/judge-slices',
  'kernels/quality/judge-scan',
  'kernels/quality/judge-walls',
  'kernels/quality/judge-greys',
  'analyses/hard-input',
  'worker/ingest/hostile-files',
  'analyses/families',
  'analyses/odd-bodies',
  'analyses/one-surface',
  'analyses/integrity',
  'analyses/compare-poses',
  'formats/hostile',
  'kernels/compare/both-ways',
  'service/resources/files/lost-rights',
  'analyses/compare',
  'analyses/place-uncertainties',
  'storage/db/embedded',
  'worker/demo/demo',
  'worker/operations/run-operation',
  'worker/operations/reconstruction',
  'worker/renders/run-render',
  'storage/claim-store',
  'service/http/slow-requests',
  'analyses/local-surface',
  'storage/db/project-list',
  '.ci/floors',
  'service/http/rate-limit',
  'worker/reports/report',
  'kernels/reconstruction/reconstruct',
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

const all = ['src/**/*.test.ts', 'src/**/*.test.tsx', '.ci/**/*.test.ts', 'bench/**/*.test.ts'];
/** What takes gigabytes: `npm run test:large`. */
const large = ['src/worker/threads/memory-512.test.ts', 'src/worker/exports/large-archive.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          ...{ name: 'unit', include: all, exclude: [...configDefaults.exclude, ...large] },
          // A test's bodies are garbage when it ends: fewer collections take a thirtieth off all of the tests.
          execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
        },
      },
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
