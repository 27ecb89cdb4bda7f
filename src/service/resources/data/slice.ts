/** One plane of a volume, axis-aligned or oblique. */
import type { SliceQuery } from '#contract/shapes/data-object.ts';
import type { VolumeLevel } from '#formats/ome-zarr/layout.ts';
import {
  type PlaneRect,
  planeAxes,
  type VolumePlane,
  type VolumeReader,
} from '#formats/ome-zarr/volume-reader.ts';
import { invalidField } from '../../http/problem.ts';

type Vector3 = VolumeLevel['originMm'];
type VoxelArray = VolumePlane['data'];

export interface Slice {
  data: VoxelArray;
  width: number;
  height: number;
  /** pixel spacing along width and height */
  spacingMm: [number, number];
  /** centre of the first pixel */
  originMm: Vector3;
  dataType: string;
}

const MAX_PIXELS = 16_777_216;
type Axis = 0 | 1 | 2;

const dot = (a: Vector3, b: Vector3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const length = (v: Vector3): number => Math.hypot(...v);
const readDirection = (level: VolumeLevel, axis: Axis): Vector3 =>
  level.directions.slice(3 * axis, 3 * axis + 3) as Vector3;
const mapVector = (v: Vector3, change: (mm: number, axis: Axis) => number): Vector3 => [
  change(v[0], 0),
  change(v[1], 1),
  change(v[2], 2),
];

/** Index of the plane nearest to the position. @throws Problem naming positionMm and its limits */
function cellIndex(level: VolumeLevel, axis: Axis, positionMm: number | undefined): number {
  const size = level.dimensions[axis];
  if (positionMm === undefined) return Math.floor(size / 2);
  const start = dot(level.originMm, readDirection(level, axis));
  const spacing = level.voxelSizeMm[axis];
  const index = Math.round((positionMm - start) / spacing);
  // The outer half of the outermost voxels belongs to the volume.
  if (index < -1 || index > size) {
    const from = (start - spacing / 2).toPrecision(6);
    const to = (start + (size - 0.5) * spacing).toPrecision(6);
    throw invalidField('positionMm', `lies outside of the volume, which goes from ${from} to ${to} mm`);
  }
  return Math.min(size - 1, Math.max(0, index));
}

/** @throws Problem naming rect and its limits */
function readRect(rect: number[] | undefined, width: number, height: number): PlaneRect | undefined {
  if (!rect) return undefined;
  const [left = 0, top = 0, right = 0, bottom = 0] = rect;
  if (left >= right || top >= bottom || right > width || bottom > height)
    throw invalidField(
      'rect',
      `has to lie within the plane of ${width} × ${height} pixels and hold one of them`,
    );
  return [left, top, right, bottom];
}

async function acrossAxis(
  reader: VolumeReader,
  level: VolumeLevel,
  query: SliceQuery,
  signal: AbortSignal,
): Promise<Slice> {
  const name = query.axis as 'x' | 'y' | 'z';
  const [axis, across, down] = planeAxes[name];
  const index = cellIndex(level, axis, query.positionMm);
  const rect = readRect(query.rect, level.dimensions[across], level.dimensions[down]);
  const { data, width, height } = await reader.readPlane(query.level, name, index, { rect, signal });
  const [along, right, below] = [axis, across, down].map((each) => readDirection(level, each as Axis)) as [
    Vector3,
    Vector3,
    Vector3,
  ];
  const offset = index * level.voxelSizeMm[axis];
  const [left, top] = [
    (rect?.[0] ?? 0) * level.voxelSizeMm[across],
    (rect?.[1] ?? 0) * level.voxelSizeMm[down],
  ];
  return {
    data,
    width,
    height,
    spacingMm: [level.voxelSizeMm[across], level.voxelSizeMm[down]],
    originMm: mapVector(
      level.originMm,
      (start, i) => start + offset * along[i] + left * right[i] + top * below[i],
    ),
    dataType: reader.meta.dataType,
  };
}

async function oblique(reader: VolumeReader, query: SliceQuery, signal: AbortSignal): Promise<Slice> {
  const { cornerMm, uMm, vMm, width, height, rect } = query;
  if (rect)
    throw invalidField(
      'rect',
      'must not be given for an oblique slice, which is defined by its corner and edges',
    );
  if (!cornerMm || !uMm || !vMm) {
    const missing = cornerMm ? (uMm ? 'vMm' : 'uMm') : 'cornerMm';
    throw invalidField(missing, 'is missing: an oblique slice needs a corner and two edges');
  }
  const [u, v] = [uMm as Vector3, vMm as Vector3];
  if (length(u) === 0)
    throw invalidField('uMm', 'has no length: at least one of its three numbers must not be 0');
  if (length(v) === 0)
    throw invalidField('vMm', 'has no length: at least one of its three numbers must not be 0');
  if (width * height > MAX_PIXELS)
    throw invalidField('width', `and height together are more than ${MAX_PIXELS} pixels`);
  const stepU = mapVector(u, (mm) => mm / width);
  const stepV = mapVector(v, (mm) => mm / height);
  const originMm = mapVector(cornerMm as Vector3, (mm, i) => mm + stepU[i] / 2 + stepV[i] / 2);
  const plane = { originMm, uMm: stepU, vMm: stepV, width, height };
  const data = await reader.samplePlane(query.level, plane, signal);
  return { data, width, height, spacingMm: [length(stepU), length(stepV)], originMm, dataType: 'float32' };
}

/** @throws Problem VALIDATION_FAILED for a level or place that the volume doesn't have */
export async function readSlice(
  reader: VolumeReader,
  query: SliceQuery,
  signal: AbortSignal,
): Promise<Slice> {
  const { levels } = reader.meta;
  const level = levels[query.level];
  if (level === undefined)
    throw invalidField(
      'level',
      `must be at most ${levels.length - 1}: the volume has ${levels.length} levels`,
    );
  return query.axis === 'oblique' ? oblique(reader, query, signal) : acrossAxis(reader, level, query, signal);
}

/** Maps grey values within the window to 0–255; NaN becomes black. */
export function windowed(data: VoxelArray, min: number, max: number): Uint8Array {
  const grey = new Uint8Array(data.length);
  const gain = max > min ? 255 / (max - min) : 0;
  let i = 0;
  for (const given of data) {
    const value = (given - min) * gain;
    grey[i++] = value >= 255 ? 255 : value > 0 ? value + 0.5 : 0;
  }
  return grey;
}

/** Smallest and largest finite value of a slice; [0, 1] when it has none. */
export function findLimits(data: VoxelArray): [number, number] {
  let [min, max] = [Infinity, -Infinity];
  for (const value of data) {
    if (value < min && value > -Infinity) min = value;
    if (value > max && value < Infinity) max = value;
  }
  return min <= max ? [min, max] : [0, 1];
}
