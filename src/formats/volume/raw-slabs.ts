import { bytesPerVoxel, type DataType, type Vector3, voxelArray } from '#kernels/grid/volume.ts';
import { type ByteOrder, decodeVoxels } from '../bytes/byte-order.ts';
import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { malformed } from '../format-error.ts';
import type { ReadSlab } from './volume-header.ts';

/**
 * Planes of uncompressed grey values that begin at byte `offset` of a source.
 *
 * @param warnings receives a warning about surplus bytes
 * @throws FormatError MALFORMED at once when the source is too short for the dimensions
 */
export function rawSlabs(
  source: ByteSource,
  offset: number,
  dimensions: Vector3,
  dataType: DataType,
  order: ByteOrder,
  warnings?: string[],
): ReadSlab {
  const planeBytes = dimensions[0] * dimensions[1] * bytesPerVoxel[dataType];
  const needed = offset + planeBytes * dimensions[2];
  if (needed > source.size) {
    throw malformed(
      `${source.name}: ${dimensions.join(' × ')} voxels of ${dataType}${offset > 0 ? ` after ${offset} bytes` : ''} ` +
        `need ${needed} bytes, but there are ${source.size}.`,
    );
  }
  const rest = source.size - needed;
  if (rest > 0)
    warnings?.push(`${source.name} has ${rest} bytes behind the last voxel, which were left out.`);
  return async (zStart, zEnd) => {
    const bytes = await readExactly(
      source,
      offset + zStart * planeBytes,
      (zEnd - zStart) * planeBytes,
      `planes ${zStart} to ${zEnd - 1}`,
    );
    return decodeVoxels(bytes, dataType, order);
  };
}

/** Planes distributed over consecutive files, each with a whole number of planes. */
export function concatenatedSlabs(
  parts: readonly { planes: number; readSlab: ReadSlab }[],
  planeVoxels: number,
  dataType: DataType,
): ReadSlab {
  const [only] = parts;
  if (only && parts.length === 1) return only.readSlab;
  return async (zStart, zEnd, signal) => {
    const out = voxelArray(dataType, (zEnd - zStart) * planeVoxels);
    let first = 0;
    for (const { planes, readSlab } of parts) {
      const from = Math.max(zStart, first);
      const to = Math.min(zEnd, first + planes);
      if (from < to) out.set(await readSlab(from - first, to - first, signal), (from - zStart) * planeVoxels);
      first += planes;
    }
    return out;
  };
}
