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

/** The file with grey values whose place is `skip`; −1 means at the end. @throws FormatError MALFORMED */
export function rawSlabsAfter(
  file: ByteSource,
  skip: number,
  { dimensions, neededBytes, dataType, order, warnings }: FilePart,
): ReadSlab {
  const offset = skip === -1 ? file.size - neededBytes : skip;
  if (offset < 0)
    throw malformed(
      `${file.name}: ${neededBytes} bytes of grey values are declared, but there are ${file.size}.`,
    );
  return rawSlabs(file, offset, dimensions, dataType, order, warnings);
}

/** How grey values are stored. */
export interface StoredValues {
  dimensions: Vector3;
  dataType: DataType;
  order: ByteOrder;
  /** receives warnings found while reading */
  warnings: string[];
}
/** What one of the files of a volume holds. */
export interface FilePart extends StoredValues {
  neededBytes: number;
}

/**
 * Planes distributed evenly over consecutive files.
 *
 * @throws FormatError MALFORMED
 */
export async function slabsOfFiles(
  where: string,
  files: readonly ByteSource[],
  stored: StoredValues,
  open: (file: ByteSource, part: FilePart) => ReadSlab | Promise<ReadSlab>,
): Promise<ReadSlab> {
  const [nx, ny, nz] = stored.dimensions;
  const { dataType } = stored;
  if (files.length === 0 || nz % files.length !== 0)
    throw malformed(`${where}: ${nz} planes cannot be spread evenly over ${files.length} data files.`);
  const planes = nz / files.length;
  const planeVoxels = nx * ny;
  const neededBytes = planeVoxels * planes * bytesPerVoxel[dataType];
  const parts: ReadSlab[] = [];
  for (const file of files)
    parts.push(await open(file, { ...stored, dimensions: [nx, ny, planes], neededBytes }));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return async (zStart, zEnd, signal) => {
    const out = voxelArray(dataType, (zEnd - zStart) * planeVoxels);
    for (const [i, readSlab] of parts.entries()) {
      const first = i * planes;
      const from = Math.max(zStart, first);
      const to = Math.min(zEnd, first + planes);
      if (from < to) out.set(await readSlab(from - first, to - first, signal), (from - zStart) * planeVoxels);
    }
    return out;
  };
}
