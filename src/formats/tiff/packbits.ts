/**
 * Decodes PackBits into at most `out.length` bytes.
 *
 * @returns number of bytes decoded
 * @see TIFF 6.0, section 9
 */
export function decodePackBits(data: Uint8Array, out: Uint8Array): number {
  let at = 0;
  let written = 0;
  while (written < out.length) {
    const n = data[at++];
    if (n === undefined) break;
    if (n < 128) {
      const count = Math.min(n + 1, data.length - at, out.length - written);
      out.set(data.subarray(at, at + count), written);
      at += n + 1;
      written += count;
    } else if (n > 128 && at < data.length) {
      const count = Math.min(257 - n, out.length - written);
      out.fill(data[at++] ?? 0, written, written + count);
      written += count;
    }
  }
  return written;
}
