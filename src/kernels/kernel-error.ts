export type KernelErrorCode = 'NO_SURFACE' | 'TOO_LARGE' | 'EMPTY_REGION' | 'BAD_INPUT' | 'NOT_ALIGNED';

/** A refusal by a kernel, with a message for the user; `code` is for programs. */
export class KernelError extends Error {
  readonly code: KernelErrorCode;
  constructor(code: KernelErrorCode, message: string) {
    super(message);
    this.name = 'KernelError';
    this.code = code;
  }
}
