import { malformed } from '../format-error.ts';

const clearCode = 256;
const endCode = 257;

/** Offset and length of the string of each code; shared, since decoding is synchronous. */
const starts = new Int32Array(4096);
const lengths = new Int32Array(4096);

/**
 * Decodes TIFF's LZW (most significant bit first, early code width change) into `out`; further output is dropped.
 *
 * Every string of the table is part of the output so far, so the table stores offsets instead of strings.
 *
 * @returns number of bytes decoded
 * @see TIFF 6.0, section 13
 */
export function decodeLzw(data: Uint8Array, out: Uint8Array): number {
  const [first = 1, second = 0] = data;
  if (first === 0 && (second & 1) === 1) {
    throw malformed('the LZW data has the bit order from before TIFF 6.0');
  }
  const size = out.length;
  let written = 0;
  let bitBuffer = 0;
  let bitCount = 0;
  let at = 0;
  let width = 9;
  let next = 258;
  /** offset and length of the previous string; length 0 after a clear code */
  let previousStart = 0;
  let previousLength = 0;

  while (written < size) {
    while (bitCount < width) {
      const byte = data[at++];
      if (byte === undefined) return written;
      bitBuffer = ((bitBuffer << 8) | byte) & 0xffffff;
      bitCount += 8;
    }
    bitCount -= width;
    const code = (bitBuffer >>> bitCount) & ((1 << width) - 1);
    if (code === endCode) return written;
    if (code === clearCode) {
      width = 9;
      next = 258;
      previousLength = 0;
      continue;
    }
    const start = written;
    let length = 0;
    if (code < 256) {
      out[written++] = code;
      length = 1;
    } else if (previousLength > 0 && code < next) {
      length = lengths[code] ?? 0;
      copyWithin(out, starts[code] ?? 0, written, Math.min(length, size - written));
      written += length;
    } else if (previousLength > 0 && code === next && next < 4096) {
      length = previousLength + 1;
      copyWithin(out, previousStart, written, Math.min(previousLength, size - written));
      if (written + previousLength < size) out[written + previousLength] = out[previousStart] ?? 0;
      written += length;
    } else {
      throw malformed(`the LZW data has code ${code} where only codes below ${next} exist`);
    }
    if (previousLength > 0 && next < 4096) {
      starts[next] = previousStart;
      lengths[next] = previousLength + 1;
      next++;
      if (next + 1 >= 1 << width && width < 12) width++;
    }
    previousStart = start;
    previousLength = length;
  }
  return size;
}

function copyWithin(out: Uint8Array, from: number, to: number, length: number): void {
  if (length > 32) out.copyWithin(to, from, from + length);
  else for (let i = 0; i < length; i++) out[to + i] = out[from + i] ?? 0;
}
