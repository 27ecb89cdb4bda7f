/** Messages between a thread and its caller: one call at a time, which ends with its output or its error. */
import { FormatError } from '#formats/format-error.ts';
import { KernelError } from '#kernels/kernel-error.ts';

/** The end of a call, or the answer to a question of the thread. */
export type Outcome = { output: unknown } | { failure: Failure };
export type FromCaller = { input: unknown } | { question: number; answer: Outcome };
export type FromThread = Outcome | { report: unknown } | { question: number; query: unknown };

/** Error classes and extra fields do not survive structured cloning. */
interface Failure {
  error: unknown;
  /** index of the error's class; −1 = none of them */
  known: number;
  fields: Record<string, unknown>;
}

/** Errors that tell users what they can do. */
const classes = [FormatError, KernelError];

export function packFailure(error: unknown): { failure: Failure } {
  const known = classes.findIndex((each) => error instanceof each);
  const { code } = Object(error) as NodeJS.ErrnoException;
  const fields = known >= 0 ? { ...(error as Error) } : code === undefined ? {} : { code };
  return { failure: { error, known, fields } };
}

/** Restores the error as it was thrown. */
export function unpackFailure({ error, known, fields }: Failure): unknown {
  const { prototype } = classes[known] ?? {};
  if (prototype) Object.setPrototypeOf(error, prototype);
  return error instanceof Error ? Object.assign(error, fields) : error;
}

/** All buffers inside a value, each once, for transfer without copying. */
export function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    // A view of part of a buffer (such as Node's pooled small buffers) is copied instead, because others use the rest.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength) found.add(buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) buffersIn(part, found);
  }
  return found;
}
