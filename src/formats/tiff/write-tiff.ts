import { voxelBytes } from '#kernels/grid/slab-walk.ts';
import { bytesPerVoxel, type DataType, type SlabSource } from '#kernels/grid/volume.ts';
import type { VolumeWriter } from '../format.ts';
import { writeRaw } from '../raw/write-raw.ts';
import { tag } from './tags.ts';

type Entry = [id: number, type: 3 | 4 | 16, value: number];

/** Largest file size for 32-bit offsets. */
const classicLimit = 0xffffffff;

/** Best fraction n/d of a positive number with both below 2³², by continued fraction. */
export function fraction(value: number): [numerator: number, denominator: number] {
  let [h0, h1, k0, k1] = [0, 1, 1, 0];
  let x = value;
  for (let i = 0; i < 64; i++) {
    const a = Math.floor(x);
    const h2 = a * h1 + h0;
    const k2 = a * k1 + k0;
    if (h2 > 0xffffffff || k2 > 0xffffffff) break;
    [h0, h1, k0, k1] = [h1, h2, k1, k2];
    if (Math.abs(h1 / k1 - value) <= value * 1e-15 || x === a) break;
    x = 1 / (x - a);
  }
  return k1 === 0 || h1 === 0 ? [1, Math.min(0xffffffff, Math.max(1, Math.round(1 / value)))] : [h1, k1];
}

interface Layout {
  big: boolean;
  description: Uint8Array;
  directoryBytes: number;
  /** offsets of the description, the two resolutions, the directories and the grey values */
  descriptionAt: number;
  resolutionAt: number;
  directoriesAt: number;
  dataAt: number;
  totalBytes: number;
}

const entriesPerPage = 15;
const pad = (bytes: number, to: number) => Math.ceil(bytes / to) * to;

function layOut(source: SlabSource, forceBig: boolean): Layout {
  const { dimensions, voxelSizeMm, originMm, directions } = source.grid;
  // ImageJ's format, which most microscopy and CT programs read; the last three lines are exact.
  const description = new TextEncoder().encode(
    `ImageJ=1.54f\nimages=${dimensions[2]}\nslices=${dimensions[2]}\nunit=mm\nspacing=${voxelSizeMm[2]}\nloop=false\n` +
      `voxelSizeMm=${voxelSizeMm.join(',')}\noriginMm=${originMm.join(',')}\ndirections=${directions.join(',')}\n\0`,
  );
  const layoutFor = (big: boolean): Layout => {
    const directoryBytes = big ? 8 + entriesPerPage * 20 + 8 : 2 + entriesPerPage * 12 + 4;
    const descriptionAt = big ? 16 : 8;
    const resolutionAt = pad(descriptionAt + description.length, 8);
    const directoriesAt = resolutionAt + 16;
    const dataAt = pad(directoriesAt + directoryBytes * dimensions[2], 16);
    return {
      big,
      description,
      directoryBytes,
      descriptionAt,
      resolutionAt,
      directoriesAt,
      dataAt,
      totalBytes: dataAt + voxelBytes({ ...source.grid, dataType: source.dataType }),
    };
  };
  const classic = layoutFor(false);
  return forceBig || classic.totalBytes > classicLimit ? layoutFor(true) : classic;
}

const sampleFormats: Record<DataType, 1 | 2 | 3> = {
  uint8: 1,
  uint16: 1,
  uint32: 1,
  int8: 2,
  int16: 2,
  int32: 2,
  float32: 3,
  float64: 3,
};

/**
 * A volume as TIFF with one page per plane, uncompressed, little endian, slab by slab; BigTIFF above 4 GiB. All
 * directories are at the beginning of the file. Voxel size, origin and axis directions are lines of the description,
 * beside ImageJ's.
 *
 * @param options.big BigTIFF also for small files
 */
export async function* writeTiff(
  source: SlabSource,
  options: { big?: boolean; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Uint8Array> {
  yield tiffFront(source, layOut(source, options.big ?? false));
  yield* writeRaw(source, options.signal);
}

export const tiffWriter: VolumeWriter = {
  write: (slabs, { signal } = {}) => writeTiff(slabs, { signal }),
  sizeBytes: (slabs) => layOut(slabs, false).totalBytes,
};

/** Everything before the grey values. */
function tiffFront(source: SlabSource, layout: Layout): Uint8Array {
  const { big, directoryBytes, description, descriptionAt, resolutionAt, directoriesAt, dataAt } = layout;
  const [nx, ny, nz] = source.grid.dimensions;
  const front = new Uint8Array(dataAt);
  const view = new DataView(front.buffer);
  const offset = (at: number, value: number) =>
    big ? view.setBigUint64(at, BigInt(value), true) : view.setUint32(at, value, true);
  view.setUint16(0, 0x4949, true);
  view.setUint16(2, big ? 43 : 42, true);
  if (big) view.setUint16(4, 8, true);
  offset(big ? 8 : 4, directoriesAt);
  front.set(description, descriptionAt);
  for (const axis of [0, 1] as const) {
    // Pixels per mm is the reciprocal of the voxel size.
    const [numerator, denominator] = fraction(source.grid.voxelSizeMm[axis]);
    view.setUint32(resolutionAt + 8 * axis, denominator, true);
    view.setUint32(resolutionAt + 8 * axis + 4, numerator, true);
  }
  const bits = 8 * bytesPerVoxel[source.dataType];
  const planeBytes = (nx * ny * bits) / 8;
  const place = big ? 16 : 4;
  for (let z = 0; z < nz; z++) {
    const entries: Entry[] = [
      [tag.newSubfileType, 4, 0],
      [tag.imageWidth, 4, nx],
      [tag.imageLength, 4, ny],
      [tag.bitsPerSample, 3, bits],
      [tag.compression, 3, 1],
      [tag.photometric, 3, 1],
      [tag.imageDescription, 4, descriptionAt],
      [tag.stripOffsets, place, dataAt + z * planeBytes],
      [tag.samplesPerPixel, 3, 1],
      [tag.rowsPerStrip, 4, ny],
      [tag.stripByteCounts, place, planeBytes],
      [tag.xResolution, 4, resolutionAt],
      [tag.yResolution, 4, resolutionAt + 8],
      [tag.resolutionUnit, 3, 1],
      [tag.sampleFormat, 3, sampleFormats[source.dataType]],
    ];
    let at = directoriesAt + z * directoryBytes;
    if (big) view.setBigUint64(at, BigInt(entriesPerPage), true);
    else view.setUint16(at, entriesPerPage, true);
    at += big ? 8 : 2;
    for (const [id, type, value] of entries) {
      const isText = id === tag.imageDescription;
      const isRational = id === tag.xResolution || id === tag.yResolution;
      view.setUint16(at, id, true);
      view.setUint16(at + 2, isText ? 2 : isRational ? 5 : type, true);
      offset(at + 4, isText ? description.length : 1);
      const valueAt = at + (big ? 12 : 8);
      if (isText) offset(valueAt, value);
      else if (isRational && !big) view.setUint32(valueAt, value, true);
      else if (isRational) front.set(front.subarray(value, value + 8), valueAt);
      else if (type === 3) view.setUint16(valueAt, value, true);
      else if (type === 4) view.setUint32(valueAt, value, true);
      else view.setBigUint64(valueAt, BigInt(value), true);
      at += big ? 20 : 12;
    }
    offset(at, z + 1 < nz ? directoriesAt + (z + 1) * directoryBytes : 0);
  }
  return front;
}
