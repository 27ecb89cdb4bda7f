import type { VoxelArray } from '../grid/volume.ts';

/**
 * Unpacks samples of 1 to 16 or 24 bits, most significant bit first, with rows on byte boundaries.
 *
 * @param out receives width · rows samples
 */
export function unpackBits(bytes: Uint8Array, bits: number, width: number, out: VoxelArray): void {
  if (bits === 24) {
    for (let i = 0, at = 0; i < out.length; i++, at += 3) {
      out[i] = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
    }
    return;
  }
  const stride = Math.ceil((width * bits) / 8);
  const rows = out.length / width;
  const mask = 2 ** bits - 1;
  for (let row = 0, to = 0; row < rows; row++) {
    let at = row * stride;
    let buffer = 0;
    let available = 0;
    for (let x = 0; x < width; x++) {
      while (available < bits) {
        buffer = ((buffer << 8) | bytes[at++]) & 0xffffff;
        available += 8;
      }
      available -= bits;
      out[to++] = (buffer >>> available) & mask;
    }
  }
}

/** Integrates differences modulo 2^bits along each row, in place. */
export function accumulate(samples: VoxelArray, width: number, rows: number, bits: number): void {
  const modulus = 2 ** bits;
  const wraps = samples.BYTES_PER_ELEMENT * 8 === bits;
  for (let row = 0, i = 0; row < rows; row++) {
    let sum = 0;
    for (let x = 0; x < width; x++, i++) {
      sum += samples[i];
      if (wraps) {
        samples[i] = sum;
        sum = samples[i];
      } else {
        sum %= modulus;
        samples[i] = sum;
      }
    }
  }
}

/**
 * Undoes byte differences along each row, in which the bytes of all values are sorted by significance; in place.
 *
 * @see Adobe Photoshop TIFF Technical Note 3 (2005)
 */
export function undoFloatPredictor(bytes: Uint8Array, width: number, rows: number, size: number): void {
  const stride = width * size;
  const sorted = new Uint8Array(stride);
  for (let row = 0; row < rows; row++) {
    const start = row * stride;
    let sum = 0;
    for (let i = 0; i < stride; i++) {
      sum = (sum + bytes[start + i]) & 255;
      sorted[i] = sum;
    }
    for (let x = 0; x < width; x++) {
      for (let b = 0; b < size; b++) bytes[start + x * size + b] = sorted[b * width + x];
    }
  }
}
