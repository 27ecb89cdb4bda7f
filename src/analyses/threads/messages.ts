/** What a thread and its caller say to each other: one call at a time, which ends with its output or its error. */
import { FormatError } from '#formats/format-error.ts';
import { KernelError } from '#kernels/kernel-error.ts';

/** The end of a call, or of a question that the thread has asked meanwhile. */
export type Outcome = { output: unknown } | { failure: Failure };
export type FromCaller = { input: unknown } | { question: number; answer: Outcome };
export type FromThread = Outcome | { report: unknown } | { question: number; asked: unknown };

/** Classes and fields don't survive the way between threads. */
interface Failure {
  error: unknown;
  /** which of the classes it is of; −1 = none of them */
  known: number;
  fields: Record<string, unknown>;
}

/** Those that say what a user can do about it. */
const classes = [FormatError, KernelError];

export function packFailure(error: unknown): { failure: Failure } {
  const known = classes.findIndex((each) => error instanceof each);
  const { code } = Object(error) as NodeJS.ErrnoException;
  const fields = known >= 0 ? { ...(error as Error) } : code === undefined ? {} : { code };
  return { failure: { error, known, fields } };
}

/** The error as it was thrown. */
export function unpackFailure({ error, known, fields }: Failure): unknown {
  const { prototype } = classes[known] ?? {};
  if (prototype) Object.setPrototypeOf(error, prototype);
  return error instanceof Error ? Object.assign(error, fields) : error;
}

/** The buffers of everything inside, each once: sent on without copying. */
export function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    // A view of a part (as of Node's own pools of small buffers) is copied instead: others use the rest.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength) found.add(buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) buffersIn(part, found);
  }
  return found;
}
