/**
 * Kernels see neither Node nor DOM types. Of the platform they use only cancellation; this declares the part of
 * AbortSignal that they need, for type checking of this floor alone.
 */
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}
/** Tasks are identified by the URL of their module. */
interface ImportMeta {
  url: string;
}
