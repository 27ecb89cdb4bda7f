import { swapBytes } from '#kernels/bytes/swap-bytes.ts';
import { bytesPerVoxel, type DataType, type VoxelArray, voxelArray } from '#kernels/grid/volume.ts';

export type ByteOrder = 'little' | 'big';

const platformOrder: ByteOrder = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'little' : 'big';

/**
 * Bytes of a file as values of this machine. Takes ownership of `bytes`: they are swapped in place and, if aligned,
 * viewed rather than copied. A trailing incomplete value is dropped.
 */
export function decodeVoxels(bytes: Uint8Array, dataType: DataType, order: ByteOrder): VoxelArray {
  const width = bytesPerVoxel[dataType];
  if (bytes.byteOffset % width !== 0) bytes = bytes.slice();
  if (order !== platformOrder) swapBytes(bytes, width);
  // Data read from files is never in shared memory.
  return voxelArray(
    dataType,
    bytes.buffer as ArrayBuffer,
    bytes.byteOffset,
    Math.floor(bytes.length / width),
  );
}

/** Values of this machine as the bytes of a file, in a new array. */
export function encodeVoxels(voxels: VoxelArray, order: ByteOrder): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(voxels.byteLength);
  bytes.set(new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength));
  if (order !== platformOrder) swapBytes(bytes, voxels.BYTES_PER_ELEMENT);
  return bytes;
}
