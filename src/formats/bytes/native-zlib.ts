/** The part of a stream of Node that is used. */
export interface NodeGunzip {
  readonly destroyed: boolean;
  write(bytes: Uint8Array, then: () => void): boolean;
  end(): void;
  destroy(): void;
  on(event: 'error' | 'close', then: () => void): unknown;
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
}

/** The part of `node:zlib` that is used when it is there. */
interface NativeZlib {
  inflateRawSync(
    bytes: Uint8Array,
    options: { maxOutputLength: number; finishFlush: number; chunkSize?: number; info?: boolean },
  ): Uint8Array<ArrayBuffer>;
  createGunzip(): NodeGunzip;
  crc32(bytes: Uint8Array, before?: number): number;
  constants: { Z_SYNC_FLUSH: number };
}

/**
 * Node's own zlib where the code runs in Node (three times as fast as JavaScript), nothing in a browser. Asked for at
 * run time, so that these modules stay free of Node imports and bundle for the web.
 */
export const nativeZlib: NativeZlib | undefined = (
  globalThis as { process?: { getBuiltinModule?: (name: string) => NativeZlib } }
).process?.getBuiltinModule?.('node:zlib');
