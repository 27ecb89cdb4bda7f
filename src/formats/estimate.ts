import { bytesPerVoxel } from '#kernels/grid/volume.ts';
import type { ByteSource } from './bytes/byte-source.ts';
import { readVolumeHeader } from './open-volume.ts';
import { recognise } from './recognise.ts';
import { type FormatId, meshFormats } from './registry.ts';
import type { ImportHints, VolumeHeader } from './volume/volume-header.ts';

export interface Estimate
  extends Pick<
    VolumeHeader,
    'dimensions' | 'dataType' | 'voxelSizeMm' | 'missing' | 'suggested' | 'warnings'
  > {
  content: 'volume' | 'mesh' | 'cad' | 'radiographs';
  format: FormatId;
  /** unpacked size of the grey values or of the mesh file */
  bytes: number;
  /** peak memory of the import */
  memoryBytes: number;
  /** duration of the import on two cores, without the upload */
  seconds: number;
}

/** Measured on two cores; estimates should be right within a factor of two. */
const plainBytesPerSecond = 120e6;
const compressedBytesPerSecond = 60e6;
const meshBytesPerSecond = 25e6;
const baseBytes = 256 << 20;
const slabPlanes = 64;

/**
 * Estimates an import from the headers alone. Also works in browsers, where a `File` is read partially. Missing fields
 * are returned, not thrown.
 *
 * @throws FormatError MALFORMED or UNSUPPORTED when the files cannot be read at all
 */
export async function estimate(sources: readonly ByteSource[], hints: ImportHints = {}): Promise<Estimate> {
  const found = await recognise(sources, hints);
  const fileBytes = found.sources.reduce((sum, source) => sum + source.size, 0);
  if (found.content !== 'volume') {
    const needsUnit = found.content === 'mesh' && !meshFormats[found.format].hasUnit && !hints.unit;
    return {
      content: found.content,
      format: found.format,
      bytes: fileBytes,
      memoryBytes: baseBytes + 6 * fileBytes,
      seconds: 1 + fileBytes / meshBytesPerSecond,
      missing: needsUnit ? ['unit'] : [],
      suggested: {},
      warnings: found.warnings,
    };
  }
  const header = await readVolumeHeader(found);
  const { dimensions, dataType } = header;
  const plane = dimensions && dataType ? dimensions[0] * dimensions[1] * bytesPerVoxel[dataType] : 0;
  const bytes = dimensions && plane > 0 ? plane * dimensions[2] : fileBytes;
  const compressed = fileBytes < 0.95 * bytes || found.gzipped;
  return {
    content: 'volume',
    format: found.format,
    dimensions,
    dataType,
    voxelSizeMm: header.voxelSizeMm,
    bytes,
    memoryBytes: baseBytes + header.workingBytes + 3 * plane * Math.min(slabPlanes, dimensions?.[2] ?? 1),
    seconds: 2 + bytes / (compressed ? compressedBytesPerSecond : plainBytesPerSecond),
    missing: header.missing,
    suggested: header.suggested,
    warnings: header.warnings,
  };
}
