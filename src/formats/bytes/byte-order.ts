import { bytesPerVoxel, type DataType, type VoxelArray, voxelArray } from '#kernels/grid/volume.ts';

export type ByteOrder = 'little' | 'big';

const platformOrder: ByteOrder = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'little' : 'big';

/** Turns each value of `width` bytes around, in place; a rest that is no whole value stays. */
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

/**
 * Bytes of a file as values of this machine. `bytes` is used up: swapped in place and, where it is aligned,
 * viewed rather than copied. A rest that is no whole value is left out.
 */
export function voxelsFromBytes(bytes: Uint8Array, dataType: DataType, order: ByteOrder): VoxelArray {
  const width = bytesPerVoxel[dataType];
  if (bytes.byteOffset % width !== 0) bytes = bytes.slice();
  if (order !== platformOrder) swapBytes(bytes, width);
  // What is read from files never lies in shared memory.
  return voxelArray(
    dataType,
    bytes.buffer as ArrayBuffer,
    bytes.byteOffset,
    Math.floor(bytes.length / width),
  );
}

/** Values of this machine as the bytes of a file, in a new array. */
export function bytesFromVoxels(voxels: VoxelArray, order: ByteOrder): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(voxels.byteLength);
  bytes.set(new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength));
  if (order !== platformOrder) swapBytes(bytes, voxels.BYTES_PER_ELEMENT);
  return bytes;
}
