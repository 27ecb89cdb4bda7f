/** Entry point of the thread for work on a mesh. Its caller owns the kernel threads and the search trees. */
import type { OpenTree } from '#kernels/spatial/surface-tree.ts';
import type { Report } from './analysis.ts';
import { meshWork } from './mesh-work.ts';
import type { MeshCall, TreeQuestion } from './run-mesh-work.ts';
import { buffersIn } from './threads/messages.ts';
import { serveCalls } from './threads/serve-calls.ts';

serveCalls<MeshCall>(({ name, input }, caller) => {
  const ask = <Value>(question: TreeQuestion, buffers?: Iterable<ArrayBuffer>) =>
    caller.ask(question, buffers) as Promise<Value>;
  const open: OpenTree = async (mesh) => {
    const tree = await ask<number>({ open: mesh });
    return {
      distances: (query) => ask({ tree, method: 'distances', query }, buffersIn(query)),
      // Queries are copied, because an alignment continues to use its points.
      closest: (query) => ask({ tree, method: 'closest', query }),
      close: () => ask({ tree, method: 'close' }),
    };
  };
  const work = meshWork[name] as (input: unknown, report: Report, open: OpenTree) => Promise<unknown>;
  return work(input, (...said) => caller.report(said), open);
});
