/**
 * Kernels see neither Node nor DOM. Of the platform they know cancellation only; this is the part of
 * AbortSignal that they use, for the check of this floor alone (elsewhere the platform's own type is in scope).
 */
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}
/** A task is found by the address of its module. */
interface ImportMeta {
  url: string;
}
