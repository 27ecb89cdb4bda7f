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
  /**
   * @param bytes all of them, or their parts one after the other as they come
   * @param options.durable false: only what `flush` was called for survives a power failure
   */
  put(
    key: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options?: { durable?: boolean },
  ): Promise<unknown>;
  flush(prefix: string): Promise<void>;
  deleteAll(prefix: string): Promise<void>;
}
