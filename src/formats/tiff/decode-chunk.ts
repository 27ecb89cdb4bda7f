import { accumulate, undoFloatPredictor, unpackBits } from '#kernels/bytes/samples.ts';
import { swapBytes } from '#kernels/bytes/swap-bytes.ts';
import { bytesPerVoxel, type VoxelArray, voxelArray } from '#kernels/grid/volume.ts';
import { decodeVoxels, encodeVoxels } from '../bytes/byte-order.ts';
import { inflateBounded } from '../bytes/inflate.ts';
import { FormatError, malformed } from '../format-error.ts';
import { decodeLzw } from './lzw.ts';
import { decodePackBits } from './packbits.ts';
import { type PageLayout, rowBytes } from './page-layout.ts';

/**
 * Decodes the samples of one strip or tile, rows × chunkWidth, from its bytes in the file.
 *
 * @param where name of the chunk for messages
 * @throws FormatError MALFORMED when the data ends early or is damaged
 */
export function decodeChunk(layout: PageLayout, packed: Uint8Array, rows: number, where: string): VoxelArray {
  const { chunkWidth: width, bits, dataType, sampleFormat, directory } = layout;
  const length = rowBytes(width, bits) * rows;
  let bytes = decompress(layout, packed, length, where);
  if (bytes.length < length) {
    throw malformed(`${where} ends after ${bytes.length} of ${length} bytes.`);
  }
  const order = directory.file.littleEndian ? 'little' : 'big';
  if (layout.predictor === 3) undoFloatPredictor(bytes, width, rows, bits / 8);
  if (layout.predictor === 2 && sampleFormat === 'float') bytes = undoPatternPredictor(bytes, layout, rows);
  let samples: VoxelArray;
  // The floating-point predictor stores each value most significant byte first, whatever the byte order of the file.
  const sampleOrder = layout.predictor === 3 ? 'big' : order;
  if (bits === bytesPerVoxel[dataType] * 8) {
    samples = decodeVoxels(bytes, dataType, sampleOrder);
  } else if (sampleFormat === 'float') {
    samples = widenHalfFloats(bytes, sampleOrder === 'little');
  } else {
    // 24-bit samples are in the byte order of the file.
    if (bits === 24 && order === 'little') swapBytes(bytes, 3);
    samples = voxelArray(dataType, width * rows);
    unpackBits(bytes, bits, width, samples);
  }
  if (layout.predictor === 2 && sampleFormat !== 'float') accumulate(samples, width, rows, bits);
  if (layout.whiteIsZero && sampleFormat === 'unsigned') {
    const white = 2 ** bits - 1;
    for (const [i, sample] of samples.entries()) samples[i] = white - sample;
  }
  return samples;
}

/** Each byte with its bits in reverse order. */
const reversed = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2),
);

function decompress(layout: PageLayout, packed: Uint8Array, length: number, where: string): Uint8Array {
  if (layout.reversedBits) {
    packed = packed.map((byte) => reversed[byte] ?? 0);
  }
  try {
    switch (layout.compression) {
      case 'none':
        return packed.subarray(0, length);
      case 'deflate':
        return inflateBounded(packed, length, true);
      case 'lzw': {
        const out = new Uint8Array(length);
        return out.subarray(0, decodeLzw(packed, out));
      }
      case 'packbits': {
        const out = new Uint8Array(length);
        return out.subarray(0, decodePackBits(packed, out));
      }
    }
  } catch (error) {
    throw error instanceof FormatError ? malformed(`${where}: ${error.message}.`, error) : error;
  }
}

function widenHalfFloats(bytes: Uint8Array, littleEndian: boolean): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Float32Array(bytes.length >> 1);
  for (let i = 0; i < out.length; i++) {
    const half = view.getUint16(2 * i, littleEndian);
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    if (exponent === 0) out[i] = sign * fraction * 2 ** -24;
    else if (exponent === 31) out[i] = fraction ? Number.NaN : sign * Infinity;
    else out[i] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return out;
}

/** For floating-point samples the differences are those of the bit patterns, in the file's byte order. */
function undoPatternPredictor(
  bytes: Uint8Array,
  { chunkWidth, bits, directory }: PageLayout,
  rows: number,
): Uint8Array {
  if (bits === 64) throw malformed('64-bit floating point with the integer predictor is not possible.');
  const order = directory.file.littleEndian ? 'little' : 'big';
  const patterns = decodeVoxels(bytes, bits === 16 ? 'uint16' : 'uint32', order);
  accumulate(patterns, chunkWidth, rows, bits);
  return encodeVoxels(patterns, order);
}
