/**
 * Files by key, with `/` between folders, for formats that consist of many files. A blob store is one. Missing keys
 * give an error specific to the store.
 */
export interface ByteStore {
  /** bytes `start` up to but excluding `end`; all bytes without a range */
  read(
    key: string,
    range?: { start: number; end?: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** Fills `target`, which may be shared with other threads. @throws RangeError when the file is too short */
  readInto(target: Uint8Array, key: string, start: number, signal?: AbortSignal): Promise<void>;
  /** Writes a file durably: it survives a power failure. */
  put(key: string, bytes: Uint8Array): Promise<unknown>;
  /**
   * Writes one of many files, which survives a power failure only after `flush` was called for it.
   * @param bytes the whole content, or its parts in order: the memory of each may be reused once the second part after
   * it was requested
   */
  putPart(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  flush(prefix: string): Promise<void>;
  deleteAll(prefix: string): Promise<void>;
}
