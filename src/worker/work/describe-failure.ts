import { FormatError } from '#formats/format-error.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { WorkError } from '#storage/db/schema-work.ts';

/** An expected failure; its message is addressed to the user who requested the work. */
export class WorkFailure extends Error {
  override name = 'WorkFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The error stored with failed work: a sentence that an engineer understands. Unexpected errors become INTERNAL; the
 * log has them under the id.
 */
export function describeFailure(error: unknown, id: string): WorkError {
  if (error instanceof FormatError) {
    return {
      code: error.code,
      detail: error.message,
      ...(error.missing.length > 0 ? { missing: error.missing } : {}),
      ...(Object.keys(error.suggested).length > 0 ? { suggested: error.suggested } : {}),
    };
  }
  if (error instanceof KernelError || error instanceof WorkFailure) {
    return { code: error.code, detail: error.message };
  }
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC') {
    return {
      code: 'STORAGE_FULL',
      detail: 'The storage of this installation is full; make room, then retry.',
    };
  }
  return {
    code: 'INTERNAL',
    detail: `This failed because of an error in the program, not in the data. The log has it under ${id}.`,
  };
}
