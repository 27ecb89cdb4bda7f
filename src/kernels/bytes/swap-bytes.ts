/** Reverses the bytes of each value of `width` bytes in place; a trailing incomplete value is unchanged. */
export function swapBytes(bytes: Uint8Array, width: number): void {
  if (width === 1) return;
  if (width === 2 && bytes.byteOffset % 2 === 0) {
    const words = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
    for (let i = 0; i < words.length; i++) words[i] = (words[i] << 8) | (words[i] >> 8);
    return;
  }
  if (width === 4 && bytes.byteOffset % 4 === 0) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    for (let i = 0; i < words.length; i++) {
      const w = words[i];
      words[i] = (w << 24) | ((w & 0xff00) << 8) | ((w >>> 8) & 0xff00) | (w >>> 24);
    }
    return;
  }
  for (let at = 0; at + width <= bytes.length; at += width) bytes.subarray(at, at + width).reverse();
}
