import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { malformed } from '../format-error.ts';
import { mmPerNamedUnit } from '../units.ts';
import { splitAxes } from '../volume/volume-header.ts';
import { readXml } from '../xml/tokens.ts';

/** Meaning of the pages of a file: which are planes of z, channels or times. */
export interface StackMetadata {
  channels: number;
  slices: number;
  times: number;
  /** number of the page (from 0) with a plane; undefined when it is not in this file */
  findPage: (channel: number, slice: number, time: number) => number | undefined;
  voxelSizeMm?: Vector3;
  originMm?: Vector3;
  directions?: Grid['directions'];
  /** an incomplete size, such as x and y only */
  partialVoxelSizeMm?: (number | undefined)[];
  source: 'OME-XML' | 'ImageJ';
}

interface Resolution {
  /** pixels per unit along x and y; undefined when not stated */
  x?: number;
  y?: number;
}

/** Defaults of programs that do not know the size: pixels per inch of screens and printers. */
const printerResolutions = [72, 75, 90, 96, 100, 120, 144, 150, 200, 240, 300, 400, 600, 1200];

/** Whether a pixel size in mm comes from such a resolution; per-centimetre values are rounded to integers. */
export const isPrinterPixel = (mm: number): boolean =>
  printerResolutions.some((perInch) => Math.abs(25.4 / mm / perInch - 1) < 0.015) || mm >= 10;

const positive = (text: string | undefined) => {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
};
const count = (text: string | undefined, where: string) => {
  if (text === undefined) return 1;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1e7) {
    throw malformed(`${where}: "${text}" is no number of channels, slices or times.`);
  }
  return value;
};

/**
 * ImageJ's description: channels fastest, then slices, then frames; z spacing and the unit of all three axes. Undefined
 * for other text.
 */
export function readImageJ(
  description: string,
  resolution: Resolution,
  where: string,
): StackMetadata | undefined {
  if (!/^ImageJ=/.test(description)) return undefined;
  const values = new Map<string, string>();
  for (const line of description.split(/\r?\n/)) {
    const equals = line.indexOf('=');
    if (equals > 0) values.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
  }
  const channels = count(values.get('channels'), where);
  const times = count(values.get('frames'), where);
  const images = count(values.get('images'), where);
  const slices = values.has('slices')
    ? count(values.get('slices'), where)
    : Math.floor(images / (channels * times));
  const unit = mmPerNamedUnit(values.get('unit') ?? '');
  const isPrinted = unit === 25.4 && isPrinterPixel(25.4 / (resolution.x ?? 1));
  const mm = isPrinted ? undefined : unit;
  const size = [
    resolution.x ? 1 / resolution.x : undefined,
    resolution.y ? 1 / resolution.y : undefined,
    positive(values.get('spacing')?.replace(/^-/, '')),
  ].map((value) => (value === undefined || mm === undefined ? undefined : value * mm));
  const exact = values.get('voxelSizeMm')?.split(',').map(Number);
  const origin = values.get('originMm')?.split(',').map(Number);
  const directions = values.get('directions')?.split(',').map(Number);
  return {
    channels,
    slices: Math.max(1, slices),
    times,
    findPage: (c, z, t) => c + channels * (z + slices * t),
    ...(exact?.length === 3 && exact.every((v) => v > 0)
      ? { voxelSizeMm: exact as Vector3 }
      : completeOrPartial(size)),
    ...(origin?.length === 3 && origin.every(Number.isFinite) ? { originMm: origin as Vector3 } : {}),
    ...(directions ? { directions: splitAxes(directions, where).directions } : {}),
    source: 'ImageJ',
  };
}

function completeOrPartial(size: (number | undefined)[]) {
  const [x, y, z] = size;
  if (x !== undefined && y !== undefined && z !== undefined) return { voxelSizeMm: [x, y, z] as Vector3 };
  return size.some((value) => value !== undefined) ? { partialVoxelSizeMm: size } : {};
}

/**
 * The first image of OME-XML: sizes of z, channels and times, physical voxel size (micrometres by default), and the
 * page of each plane. Undefined for other text.
 *
 * @see https://docs.openmicroscopy.org/ome-model/6.3.1/ome-tiff/specification.html
 */
export function readOmeXml(description: string, pages: number, where: string): StackMetadata | undefined {
  if (!/<(\w+:)?OME[\s>]/.test(description)) return undefined;
  let pixels: Record<string, string> | undefined;
  const blocks: Record<string, string>[] = [];
  for (const token of readXml(description, where)) {
    if (token.kind === 'open' && token.name === 'Pixels' && !pixels) pixels = token.attributes;
    else if (token.kind === 'open' && token.name === 'TiffData') blocks.push(token.attributes);
    else if (token.kind === 'close' && token.name === 'Pixels') break;
  }
  if (!pixels) return undefined;
  const sizes = {
    C: count(pixels['SizeC'], where),
    Z: count(pixels['SizeZ'], where),
    T: count(pixels['SizeT'], where),
  };
  const order = (pixels['DimensionOrder'] ?? 'XYZCT').replace(/[XY]/g, '');
  if (!/^[ZCT]{3}$/.test(order))
    throw malformed(`${where}: the OME dimension order "${pixels['DimensionOrder']}" does not exist.`);
  type Axis = keyof typeof sizes;
  /** linear index of a plane over all axes in the order of the file */
  const linear = (at: typeof sizes) =>
    [...order].reverse().reduce((sum, axis) => at[axis as Axis] + sizes[axis as Axis] * sum, 0);

  const planeToPage = new Map<number, number>();
  let placed = 0;
  for (const block of blocks) {
    const first = linear({
      C: Number(block['FirstC'] ?? 0),
      Z: Number(block['FirstZ'] ?? 0),
      T: Number(block['FirstT'] ?? 0),
    });
    const ifd = Number(block['IFD'] ?? 0);
    const planes =
      block['PlaneCount'] === undefined
        ? block['IFD'] === undefined
          ? pages
          : 1
        : Number(block['PlaneCount']);
    if (![first, ifd, planes].every((value) => Number.isInteger(value) && value >= 0)) {
      throw malformed(`${where}: a TiffData element of the OME-XML has numbers that are not whole.`);
    }
    for (let i = 0; i < Math.min(planes, pages - ifd); i++) {
      if (++placed > 4 * pages + 1000)
        throw malformed(
          `${where}: the TiffData elements of the OME-XML place each page more than four times.`,
        );
      if (!planeToPage.has(first + i)) planeToPage.set(first + i, ifd + i);
    }
  }
  const size = ['X', 'Y', 'Z'].map((axis) => {
    const value = positive(pixels[`PhysicalSize${axis}`]);
    const mm = mmPerNamedUnit(pixels[`PhysicalSize${axis}Unit`] ?? 'µm');
    return value === undefined || mm === undefined ? undefined : value * mm;
  });
  return {
    channels: sizes.C,
    slices: sizes.Z,
    times: sizes.T,
    findPage: (C, Z, T) =>
      planeToPage.size > 0 ? planeToPage.get(linear({ C, Z, T })) : linear({ C, Z, T }),
    ...completeOrPartial(size),
    source: 'OME-XML',
  };
}
