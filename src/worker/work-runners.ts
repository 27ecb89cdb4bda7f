/** The runner of each kind of work, loaded on first use, as a process needs few of them. */
import type { WorkRunners } from './work/work.ts';

export const workRunners: WorkRunners = {
  operation: async (work) => (await import('./operations/run-operation.ts')).runOperation(work),
  export: async (work) => (await import('./exports/run-export.ts')).runExport(work),
  view: async (work) => (await import('./views/make-view.ts')).makeView(work),
  render: async (work) => (await import('./renders/run-render.ts')).runRender(work),
  invocation: async (work) => (await import('./recipes/run-invocation.ts')).runInvocation(work),
  bulk: async (work) => (await import('./bulk/run-bulk.ts')).runBulk(work),
};
