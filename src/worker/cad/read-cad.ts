import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { CadModel } from '#formats/cad/cad-model.ts';
import { FormatError, type FormatErrorCode, unsupported } from '#formats/format-error.ts';
import type { CadWork } from './read-cad-thread.ts';
import { type CompiledCode, compileCode } from './webassembly.ts';

/** A file that takes longer is made to, or a whole plant. */
const longestMs = 10 * 60_000;
/** Beside it, the reader's own memory ends at 2 GiB. */
const heapMegabytes = 3072;

let reader: Promise<CompiledCode> | undefined;
/** The reader's code, compiled once for all threads: that takes longer than most files do. */
async function compiledReader(): Promise<CompiledCode> {
  const path = createRequire(import.meta.url).resolve('occt-import-js/dist/occt-import-js.wasm');
  return compileCode(await readFile(path));
}

type Answer =
  | { model: CadModel }
  | { refused: { code: FormatErrorCode; message: string } }
  | { error: unknown };

/**
 * Reads a CAD file on a thread of its own, which ends with the signal, after a time, or when it takes too much memory:
 * the file comes from outside, and its reader is not ours. The first one takes half a second more than the others.
 * @throws FormatError for a file that can't be read, or not within the limits; the signal's reason
 */
export async function readCadAside(
  work: Omit<CadWork, 'reader'>,
  signal: AbortSignal,
  limitMs = longestMs,
): Promise<CadModel> {
  signal.throwIfAborted();
  reader ??= compiledReader().catch((error: unknown) => {
    reader = undefined;
    throw error;
  });
  const compiled = await reader;
  signal.throwIfAborted();
  const thread = new Worker(new URL('./read-cad-thread.ts', import.meta.url), {
    workerData: { ...work, reader: compiled } satisfies CadWork,
    name: 'read CAD',
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const { promise, resolve, reject } = Promise.withResolvers<CadModel>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const tooMuch = (what: string) =>
    unsupported(`${work.name} takes more than ${what} to read. Simplify it, or export it as STL.`);
  const timer = setTimeout(() => reject(tooMuch(`${Math.round(limitMs / 1000)} s`)), limitMs);
  thread.on('message', (answer: Answer) => {
    if ('model' in answer) resolve(answer.model);
    else if ('refused' in answer) reject(new FormatError(answer.refused.code, answer.refused.message));
    else reject(answer.error);
  });
  thread.on('error', (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch(`${heapMegabytes} MiB of memory`) : error),
  );
  thread.on('exit', (code) => reject(new Error(`the thread that reads CAD ended with code ${code}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    void thread.terminate();
  }
}
