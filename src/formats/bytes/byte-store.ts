/**
 * Files by key, `/` between folders: what a format of many files is read from and written to. A blob store is one.
 * A key that is not there is an error of the store's own.
 */
export interface ByteStore {
  /** bytes `start` up to and without `end`; all of them without a range */
  read(
    key: string,
    range?: { start: number; end?: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** Fills `target`, which other threads may see. @throws RangeError when the file ends before */
  readInto(target: Uint8Array, key: string, start: number, signal?: AbortSignal): Promise<void>;
  /** Writes a file; it survives a power failure. */
  put(key: string, bytes: Uint8Array): Promise<unknown>;
  /**
   * Writes one of many files, which only survives a power failure once `flush` was called for it.
   * @param bytes all of them, or their parts one after the other as they come: the memory of each may hold others once the
   * second after it was asked for
   */
  putPart(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  flush(prefix: string): Promise<void>;
  deleteAll(prefix: string): Promise<void>;
}
