import { bytesPerVoxel } from '#kernels/grid/volume.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import { deflateMaximumRatio, inflateStream } from '../bytes/inflate.ts';
import { streamedSource } from '../bytes/streamed-source.ts';
import { type MissingField, malformed } from '../format-error.ts';
import { rawSlabs } from '../volume/raw-slabs.ts';
import {
  checkedDimensions,
  type ImportHints,
  splitAxes,
  type VolumeHeader,
} from '../volume/volume-header.ts';
import { hintsFromName } from './hints-from-name.ts';

/**
 * Grey values without any header; everything about them comes from `hints`. The byte order defaults to little,
 * `headerBytes` to 0.
 *
 * @param gzipped the whole file, header included, is gzip
 * @throws FormatError MALFORMED when the size of the file and the hints do not agree
 */
export function rawHeader(source: ByteSource, hints: ImportHints, gzipped: boolean): VolumeHeader {
  const missing: MissingField[] = [];
  if (!hints.dimensions) missing.push('dimensions');
  if (!hints.dataType) missing.push('dataType');
  if (!hints.voxelSizeMm) missing.push('voxelSizeMm');
  const warnings: string[] = [];
  const header: VolumeHeader = {
    format: 'raw',
    dataType: hints.dataType,
    voxelSizeMm: hints.voxelSizeMm,
    originMm: hints.originMm,
    directions: hints.directions && splitAxes(hints.directions, source.name).directions,
    warnings,
    missing,
    suggested: hintsFromName(source.name, gzipped ? undefined : source.size),
    workingBytes: gzipped ? 8 << 20 : 0,
  };
  if (!hints.dimensions) return header;
  header.dimensions = checkedDimensions(hints.dimensions, hints.dataType, source.name);
  if (!hints.dataType) return header;
  const headerBytes = hints.headerBytes ?? 0;
  if (!Number.isSafeInteger(headerBytes) || headerBytes < 0) {
    throw malformed(`${source.name}: headerBytes is ${headerBytes}; it must be a whole number from 0.`);
  }
  const [nx, ny, nz] = header.dimensions;
  const needed = headerBytes + nx * ny * nz * bytesPerVoxel[hints.dataType];
  const what = `${nx} × ${ny} × ${nz} voxels of ${hints.dataType}${headerBytes ? ` after ${headerBytes} bytes` : ''}`;
  let bytes = source;
  if (gzipped) {
    if (needed > source.size * deflateMaximumRatio) {
      throw malformed(
        `${source.name}: ${what} are ${needed} bytes; ${source.size} bytes of gzip cannot hold them.`,
      );
    }
    bytes = streamedSource(source.name, needed, () => inflateStream(source, 'gzip'));
  } else if (source.size > needed) {
    const rest = source.size - needed;
    if (hints.headerBytes === undefined) {
      throw malformed(
        `${source.name}: ${what} are ${needed} bytes, but the file has ${source.size}, ${rest} more. ` +
          `Correct the dimensions or the type, or give headerBytes (${rest}, if a header stands in front).`,
      );
    }
    warnings.push(`${source.name} has ${rest} bytes behind the last voxel, which were left out.`);
  }
  header.readSlab = rawSlabs(
    bytes,
    headerBytes,
    header.dimensions,
    hints.dataType,
    hints.byteOrder ?? 'little',
  );
  return header;
}
