import { bytesPerVoxel } from '#kernels/grid/volume.ts';
import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { checkUnpacking, inflateStream } from '../bytes/inflate.ts';
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

/** The unpacked size stated at the end of a gzip file; too small if it has several members or is huge. */
async function readGzipLength(source: ByteSource): Promise<number> {
  const end = await readExactly(source, Math.max(0, source.size - 4), 4, 'the length at the end');
  return new DataView(end.buffer, end.byteOffset, 4).getUint32(0, true);
}

/**
 * Grey values without a header; `hints` describe them. Defaults: little endian, `headerBytes` 0.
 *
 * @param gzipped the whole file, header included, is gzip
 * @throws FormatError MALFORMED when the file size and the hints do not agree
 */
export async function rawHeader(
  source: ByteSource,
  hints: ImportHints,
  gzipped: boolean,
): Promise<VolumeHeader> {
  const missing: MissingField[] = [];
  if (!hints.dimensions) missing.push('dimensions');
  if (!hints.dataType) missing.push('dataType');
  if (!hints.voxelSizeMm) missing.push('voxelSizeMm');
  const warnings: string[] = [];
  const header: VolumeHeader = {
    dataType: hints.dataType,
    voxelSizeMm: hints.voxelSizeMm,
    originMm: hints.originMm,
    directions: hints.directions && splitAxes(hints.directions, source.name).directions,
    warnings,
    missing,
    suggested: hintsFromName(source.name, gzipped ? undefined : source.size),
    workingBytes: gzipped ? 8 << 20 : 0,
    forwardsOnly: gzipped,
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
  const rest = (gzipped ? await readGzipLength(source) : source.size) - needed;
  if (rest > 0 && hints.headerBytes === undefined) {
    throw malformed(
      `${source.name}: ${what} are ${needed} bytes, but the file has ${needed + rest}, ${rest} more. ` +
        `Correct the dimensions or the type, or give headerBytes (${rest}, if a header stands in front).`,
    );
  }
  if (gzipped) checkUnpacking(source.name, source.size, needed);
  header.readSlab = rawSlabs(
    gzipped ? streamedSource(source.name, needed, () => inflateStream(source, 'gzip')) : source,
    headerBytes,
    header.dimensions,
    hints.dataType,
    hints.byteOrder ?? 'little',
    warnings,
  );
  return header;
}
