/** A thread that responds as scripted, for tests of thread calls. */
import { FormatError } from '#formats/format-error.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { serveCalls } from '../threads/serve-calls.ts';

export type Request =
  | { throw: 'kernel' | 'format' | 'file' | 'text' }
  | { ask: unknown }
  | { give: Float32Array; after: number[] }
  | { spinMs: number }
  | { exit: number };

serveCalls<Request>(async (request, caller) => {
  if ('throw' in request) {
    if (request.throw === 'kernel') throw new KernelError('NO_SURFACE', 'Nothing is there.');
    if (request.throw === 'format')
      throw new FormatError('INPUT_INCOMPLETE', 'What is a voxel?', { missing: ['voxelSizeMm'] });
    if (request.throw === 'file') throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    throw 'a text';
  }
  if ('ask' in request) return { answer: await caller.ask(request.ask) };
  if ('give' in request) {
    for (const share of request.after) caller.report(share);
    return request.give;
  }
  if ('exit' in request) process.exit(request.exit);
  for (const end = performance.now() + request.spinMs; performance.now() < end; );
  return 'spun';
});
