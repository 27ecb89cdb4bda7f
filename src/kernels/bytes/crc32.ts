/** Eight tables, to process eight bytes per step (slicing-by-8, Kounavis & Berry 2008, doi:10.1109/TC.2008.85). */
const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
for (let i = 0; i < 256; i++) {
  let c = i;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  tables[0][i] = c;
}
for (let t = 1; t < 8; t++) {
  for (let i = 0; i < 256; i++) {
    const c = tables[t - 1][i];
    tables[t][i] = (c >>> 8) ^ tables[0][c & 255];
  }
}
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;

/** CRC-32 (ISO-HDLC, as in ZIP and PNG) of `bytes`, continuing the CRC of preceding bytes. */
export function crc32Portable(bytes: Uint8Array, before = 0): number {
  let c = ~before;
  let i = 0;
  const eights = bytes.length - 7;
  for (; i < eights; i += 8) {
    c ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    c =
      t7[c & 255] ^
      t6[(c >>> 8) & 255] ^
      t5[(c >>> 16) & 255] ^
      t4[c >>> 24] ^
      t3[bytes[i + 4]] ^
      t2[bytes[i + 5]] ^
      t1[bytes[i + 6]] ^
      t0[bytes[i + 7]];
  }
  for (; i < bytes.length; i++) c = (c >>> 8) ^ t0[(c ^ bytes[i]) & 255];
  return ~c >>> 0;
}
