import { type DataType, type Grid, mapVector, type SlabSource } from '#kernels/grid/volume.ts';
import { type ByteSource, nameSources } from './bytes/byte-source.ts';
import type { VolumeFormat } from './format.ts';
import { incomplete, unsupported } from './format-error.ts';
import { questionSize } from './part-size.ts';
import { type Recognised, recognise } from './recognise.ts';
import { type VolumeFormatId, volumeFormats } from './registry.ts';
import { turnToFrame } from './volume/inner-frame.ts';
import {
  checkedOrigin,
  checkedVoxelSize,
  type ImportHints,
  type VolumeHeader,
} from './volume/volume-header.ts';
import { warnOfNoNumbers } from './volume/warn-of-no-numbers.ts';

export interface OpenedVolume {
  format: VolumeFormatId;
  grid: Grid;
  dataType: DataType;
  slabs: SlabSource;
  /** memory of the reader besides the returned slab */
  workingBytes: number;
  /** sentences for the user, for example about an assumed unit */
  warnings: string[];
}

/** The header of a volume, and what to ask the user: missing fields, or whether its size is right. */
export async function readVolumeHeader(found: Recognised & { content: 'volume' }): Promise<VolumeHeader> {
  const { hints, sources, gzipped } = found;
  if (hints.voxelSizeMm) checkedVoxelSize(hints.voxelSizeMm, 'voxelSizeMm');
  const format: VolumeFormat = volumeFormats[found.format];
  if (!format.open) throw unsupported(`${format.name} is not read.`);
  const header = await format.open(sources, hints, gzipped);
  header.warnings.unshift(...found.warnings);
  if (header.missing.length > 0) return header;
  // Known values are no longer hints.
  const { dimensions, voxelSizeMm = [0, 0, 0] } = header;
  const question =
    dimensions &&
    questionSize(
      mapVector(dimensions, (cells, axis) => cells * voxelSizeMm[axis]),
      hints,
      { voxelSizeMm },
    );
  return { ...header, suggested: {}, ...question };
}

async function recogniseVolume(sources: readonly ByteSource[], hints: ImportHints) {
  const found = await recognise(sources, hints);
  if (found.content !== 'volume')
    throw unsupported(`${nameSources(sources)} is a ${found.content} (${found.format}), not a volume.`);
  return found;
}

/**
 * Opens a volume in one or several files (or one ZIP) for reading slab by slab in the product's frame. Grey values are
 * read on demand, so errors in them appear then, as FormatErrors too.
 *
 * @throws FormatError, INPUT_INCOMPLETE with `missing` when hints are required
 */
export async function openVolume(
  sources: readonly ByteSource[],
  hints: ImportHints = {},
): Promise<OpenedVolume> {
  const found = await recogniseVolume(sources, hints);
  const header = await readVolumeHeader(found);
  const placed = placeHeader(header, found.sources[0].name);
  const turned = turnToFrame(placed, header.forwardsOnly ?? false);
  const opened = openedVolume(found.format, header, turned);
  return { ...opened, slabs: warnOfNoNumbers(opened.slabs, found.sources[0].name, opened.warnings) };
}

/** Opens planes without a position in space, such as radiographs: in file order, whatever their voxel size. */
export async function openPlanes(
  sources: readonly ByteSource[],
  hints: ImportHints = {},
): Promise<OpenedVolume> {
  const found = await recogniseVolume(sources, {
    voxelSizeMm: [1, 1, 1],
    ...hints,
    sizeConfirmed: true,
  });
  const header = await readVolumeHeader(found);
  return openedVolume(found.format, header, placeHeader(header, found.sources[0].name));
}

type Placed = Parameters<typeof turnToFrame>[0];

function placeHeader(header: VolumeHeader, name: string): Placed {
  const { dimensions, dataType, voxelSizeMm, readSlab, missing } = header;
  if (missing.length > 0 || !dimensions || !dataType || !voxelSizeMm || !readSlab) {
    throw incomplete(name, missing, header.suggested);
  }
  const { originMm = [0, 0, 0], directions = [1, 0, 0, 0, 1, 0, 0, 0, 1] } = header;
  return {
    grid: {
      dimensions,
      voxelSizeMm: checkedVoxelSize(voxelSizeMm, name),
      originMm: checkedOrigin(originMm, name),
      directions,
    },
    readSlab,
  };
}

function openedVolume(
  format: VolumeFormatId,
  { dataType = 'uint8', workingBytes, warnings }: VolumeHeader,
  { grid, readSlab }: Placed,
): OpenedVolume {
  const planes = grid.dimensions[2];
  const slabs: SlabSource = {
    grid,
    dataType,
    readSlab: async (zStart, zEnd, signal) => {
      const isRange = Number.isInteger(zStart) && Number.isInteger(zEnd) && zStart >= 0 && zStart < zEnd;
      if (!isRange || zEnd > planes) {
        throw new RangeError(`planes ${zStart} to ${zEnd} of a volume of ${planes} planes`);
      }
      signal?.throwIfAborted();
      return readSlab(zStart, zEnd, signal);
    },
  };
  return { format, grid, dataType, slabs, workingBytes, warnings };
}
