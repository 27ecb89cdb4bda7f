import { nativeZlib } from './native-zlib.ts';

/** A CRC of 32 bits by a table, continuing that of preceding bytes. @param polynomial reversed */
function makeCrc(polynomial: number): (bytes: Uint8Array, before?: number) => number {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
    return crc;
  });
  return (bytes, before = 0) => {
    let crc = ~before;
    for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 255] ?? 0);
    return ~crc >>> 0;
  };
}

/** CRC-32C (Castagnoli), as in RFC 3720, appendix B.4. */
export const crc32c = makeCrc(0x82f63b78);
export const crc32Portable = makeCrc(0xedb88320);

/** CRC-32 (ISO-HDLC, as in ZIP and PNG); a browser only needs it for the beginnings of files. */
export const crc32: typeof crc32Portable = nativeZlib ? nativeZlib.crc32 : crc32Portable;
