import { bytesPerVoxel } from '#kernels/grid/volume.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import type { Estimate } from '../estimate.ts';
import { FormatError } from '../format-error.ts';
import { holdsRadiographs, openRadiographs, type RadiographHints } from './open-radiographs.ts';

/** Measured on two cores, like the other estimates. */
const bytesPerSecond = 80e6;
const baseBytes = 256 << 20;
const slabPlanes = 64;

/**
 * Estimates the import of a set of radiographs; undefined when the files are not radiographs. Missing fields are
 * returned, not thrown.
 *
 * @throws FormatError MALFORMED or UNSUPPORTED when they cannot be read at all
 */
export async function estimateRadiographs(
  sources: readonly ByteSource[],
  hints: RadiographHints = {},
): Promise<Estimate | undefined> {
  if (!(await holdsRadiographs(sources))) return undefined;
  const fileBytes = sources.reduce((sum, source) => sum + source.size, 0);
  try {
    const { projections, format, warnings } = await openRadiographs(sources, hints);
    const { dimensions } = projections.grid;
    const plane = dimensions[0] * dimensions[1] * bytesPerVoxel[projections.dataType];
    return {
      content: 'radiographs',
      format: format as Estimate['format'],
      dimensions,
      dataType: projections.dataType,
      bytes: plane * dimensions[2],
      memoryBytes: baseBytes + 3 * plane * Math.min(slabPlanes, dimensions[2]),
      seconds: 2 + (plane * dimensions[2]) / bytesPerSecond,
      missing: [],
      suggested: {},
      warnings,
    };
  } catch (error) {
    if (!(error instanceof FormatError) || error.code !== 'INPUT_INCOMPLETE') throw error;
    return {
      content: 'radiographs',
      format: 'tiff',
      bytes: fileBytes,
      memoryBytes: baseBytes + fileBytes,
      seconds: 2 + fileBytes / bytesPerSecond,
      missing: error.missing,
      suggested: error.suggested,
      warnings: [],
    };
  }
}
