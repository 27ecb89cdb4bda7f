import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first, or one of them is left alone at the end with half of the processor. */
const longest = [
  'worker/threads/memory-512',
  'service/fuzz',
  'analyses/compare',
  'kernels/alignment/align',
  'kernels/reconstruction/reconstruct',
  'worker/cad/read-cad',
  'worker/recipes/run-invocation',
  'worker/bulk/run-recipes',
  'worker/operations/compare',
  'worker/exports/large-archive',
  'worker/demo/demo',
  'storage/queue/queue',
  'storage/db/embedded',
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

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', '.ci/**/*.test.ts', 'bench/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Twice the processors of CI: many a test waits for a process, a heartbeat or a database.
    maxWorkers: 4,
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
