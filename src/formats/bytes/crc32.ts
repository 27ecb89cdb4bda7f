import { crc32Portable } from '#kernels/bytes/crc32.ts';
import { nativeZlib } from './native-zlib.ts';

/** CRC-32 (ISO-HDLC, as in ZIP and PNG) of `bytes`, continuing the CRC of preceding bytes. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return nativeZlib ? nativeZlib.crc32(bytes, before) : crc32Portable(bytes, before);
}
