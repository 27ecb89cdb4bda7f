export type KernelErrorCode = 'NO_SURFACE' | 'TOO_LARGE' | 'EMPTY_REGION' | 'BAD_INPUT' | 'NOT_ALIGNED';

/** What a kernel refuses, in words for the person who asked; `code` is for programs. */
export class KernelError extends Error {
  readonly code: KernelErrorCode;
  constructor(code: KernelErrorCode, message: string) {
    super(message);
    this.name = 'KernelError';
    this.code = code;
  }
}
