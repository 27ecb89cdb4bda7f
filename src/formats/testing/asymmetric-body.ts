/** One asymmetric body in files of every format: each voxel has its own value, so that mirroring shows. */
import { deflateSync, gzipSync } from 'node:zlib';
import { type Grid, mapVector, type Vector3 } from '#kernels/grid/volume.ts';
import { encodeVoxels } from '../bytes/byte-order.ts';
import { type ByteSource, bytesSource } from '../bytes/byte-source.ts';
import { determinant, toAxes, toInnerFrame } from '../volume/inner-frame.ts';
import type { ImportHints } from '../volume/volume-header.ts';
import { buildTiff, greyPage } from './build-tiff.ts';
import { textFile } from './collect.ts';

/** The body in the product's frame: every voxel has its own value. */
export const size: Vector3 = [5, 4, 3];
export const stepMm: Vector3 = [1, 2, 3];
export const startMm: Vector3 = [-10, 20, 40];
export const valueAt = (i: number, j: number, k: number) => 1000 + 100 * k + 10 * j + i;

/** Layout of a file: the frame axis along which its columns, rows and planes run, and their direction. */
interface Layout {
  axes: [number, number, number];
  signs: [number, number, number];
}
export const straight: Layout = { axes: [0, 1, 2], signs: [1, 1, 1] };
export const layouts: Layout[] = [
  [0, 1, 2],
  [1, 0, 2],
  [0, 2, 1],
  [2, 1, 0],
  [1, 2, 0],
  [2, 0, 1],
].flatMap((axes) =>
  Array.from({ length: 8 }, (_, bits) => ({
    axes: axes as Vector3,
    signs: [1, 2, 4].map((bit) => (bits & bit ? -1 : 1)) as Vector3,
  })),
);
export const layoutName = ({ axes, signs }: Layout) =>
  axes.map((axis, at) => `${signs[at] < 0 ? '−' : '+'}${'xyz'[axis]}`).join(' ');

/** The body in this layout; positions and directions in LPS. */
export function layDown({ axes, signs }: Layout) {
  const dimensions = axes.map((axis) => size[axis]) as Vector3;
  const spacing = axes.map((axis) => stepMm[axis]) as Vector3;
  const directions = axes.flatMap((axis, at) => [0, 1, 2].map((n) => (n === axis ? signs[at] : 0)));
  const origin: Vector3 = [...startMm];
  for (const [at, axis] of axes.entries()) if (signs[at] < 0) origin[axis] += (size[axis] - 1) * stepMm[axis];
  const values = new Int16Array(size[0] * size[1] * size[2]);
  let to = 0;
  const cell = [0, 0, 0];
  for (let c = 0; c < dimensions[2]; c++) {
    for (let b = 0; b < dimensions[1]; b++) {
      for (let a = 0; a < dimensions[0]; a++) {
        for (const [at, index] of [a, b, c].entries()) {
          cell[axes[at]] = signs[at] < 0 ? size[axes[at]] - 1 - index : index;
        }
        values[to++] = valueAt(cell[0], cell[1], cell[2]);
      }
    }
  }
  return { dimensions, spacing, directions, origin, values, bytes: encodeVoxels(values, 'little') };
}

const vectors = (body: ReturnType<typeof layDown>, space: 'LPS' | 'RAS' | 'LAS') => ({
  origin: toInnerFrame(body.origin, space),
  steps: toAxes(body.directions as Grid['directions']).map((axis, at) =>
    toInnerFrame(
      mapVector(axis, (value) => value * body.spacing[at]),
      space,
    ),
  ),
});

/** Names of NRRD spaces with the frame each stands for. */
export const nrrdSpaces = {
  'left-posterior-superior': 'LPS',
  LPS: 'LPS',
  'right-anterior-superior': 'RAS',
  RAS: 'RAS',
  'left-anterior-superior': 'LAS',
  LAS: 'LAS',
  'scanner-xyz': 'LPS',
  '3D-right-handed': 'LPS',
  '': 'LPS',
} as const;

export function asNrrd(
  layout: Layout,
  space: keyof typeof nrrdSpaces,
  encoding: 'raw' | 'gzip' = 'raw',
): ByteSource {
  const body = layDown(layout);
  const { origin, steps } = vectors(body, nrrdSpaces[space]);
  const text = [
    'NRRD0004',
    'type: short',
    'dimension: 3',
    space ? `space: ${space}` : 'space dimension: 3',
    `sizes: ${body.dimensions.join(' ')}`,
    `space directions: ${steps.map((step) => `(${step.join(',')})`).join(' ')}`,
    `space origin: (${origin.join(',')})`,
    'space units: "mm" "mm" "mm"',
    'endian: little',
    `encoding: ${encoding}`,
    '',
    '',
  ].join('\n');
  return textFile(
    'part.nrrd',
    text,
    encoding === 'gzip' ? Uint8Array.from(gzipSync(body.bytes)) : body.bytes,
  );
}

export function asMetaImage(layout: Layout, isCompressed = false): ByteSource {
  const body = layDown(layout);
  const bytes = isCompressed ? Uint8Array.from(deflateSync(body.bytes)) : body.bytes;
  const text = [
    'ObjectType = Image',
    'NDims = 3',
    `TransformMatrix = ${body.directions.join(' ')}`,
    `Offset = ${body.origin.join(' ')}`,
    `ElementSpacing = ${body.spacing.join(' ')}`,
    'DistanceUnits = mm',
    `DimSize = ${body.dimensions.join(' ')}`,
    'ElementType = MET_SHORT',
    `CompressedData = ${isCompressed ? 'True' : 'False'}`,
    `CompressedDataSize = ${bytes.length}`,
    'ElementDataFile = LOCAL',
    '',
  ].join('\n');
  return textFile('part.mha', text, bytes);
}

/** Rotates a vector by a unit quaternion: the vector part of q · v · q*. */
function turnBy([a, b, c, d]: number[], v: number[]): number[] {
  const times = (p: number[], q: number[]) => [
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
  ];
  return times(times([a, b, c, d], [0, ...v]), [a, -b, -c, -d]).slice(1);
}

/** The quaternion that rotates the axes onto these three, each along an axis. */
function makeQuaternion(axes: number[][]): number[] {
  const parts = [0, 0.5, -0.5, Math.SQRT1_2, -Math.SQRT1_2, 1, -1];
  for (const a of parts.filter((part) => part >= 0))
    for (const b of parts)
      for (const c of parts)
        for (const d of parts) {
          const isTurn = [0, 1, 2].every((axis) => {
            const unit = [0, 1, 2].map((n) => (n === axis ? 1 : 0));
            return turnBy([a, b, c, d], unit).every((value, n) => Math.abs(value - axes[axis][n]) < 1e-9);
          });
          if (isTurn && Math.abs(Math.hypot(a, b, c, d) - 1) < 1e-9) return [a, b, c, d];
        }
  throw new Error(`no quaternion turns the axes onto ${axes.join(' | ')}`);
}

/** In this header, slices that run against the third axis of the rotation have `qfac` −1. */
function writeQuaternion(view: DataView, steps: Vector3[], spacing: Vector3, origin: Vector3): void {
  const axes = steps.map((step, at) => step.map((value) => value / spacing[at]));
  const isMirrored = determinant(axes.flat() as Grid['directions']) < 0;
  const turned = isMirrored ? [axes[0], axes[1], axes[2].map((value) => -value)] : axes;
  view.setInt16(252, 1, true);
  view.setFloat32(76, isMirrored ? -1 : 1, true);
  for (const [at, value] of [...makeQuaternion(turned).slice(1), ...origin].entries())
    view.setFloat32(256 + 4 * at, value, true);
}

export function asNifti(
  layout: Layout,
  by: 'rows' | 'quaternion' | 'both' = 'rows',
  isCompressed = false,
): ByteSource {
  const body = layDown(layout);
  const { origin, steps } = vectors(body, 'RAS');
  const bytes = new Uint8Array(352 + body.bytes.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, 348, true);
  for (const [at, value] of [3, ...body.dimensions].entries()) view.setInt16(40 + 2 * at, value, true);
  view.setInt16(70, 4, true);
  for (const [at, value] of [1, ...body.spacing].entries()) view.setFloat32(76 + 4 * at, value, true);
  view.setFloat32(108, 352, true);
  bytes[123] = 2;
  if (by !== 'rows') writeQuaternion(view, steps, body.spacing, origin);
  if (by !== 'quaternion') view.setInt16(254, 1, true);
  for (let row = 0; row < 3 && by !== 'quaternion'; row++) {
    for (const [column, step] of [...steps, origin].entries())
      view.setFloat32(280 + 16 * row + 4 * column, step[row], true);
  }
  bytes.set(new TextEncoder().encode('n+1'), 344);
  bytes.set(body.bytes, 352);
  if (isCompressed) return bytesSource('part.nii.gz', Uint8Array.from(gzipSync(bytes)));
  return bytesSource('part.nii', bytes);
}

/** Hints for a file without its own frame. */
export const listHints = (layout: Layout): ImportHints => {
  const { dimensions, spacing, origin, directions } = layDown(layout);
  return {
    dimensions,
    voxelSizeMm: spacing,
    originMm: origin,
    directions: directions as Grid['directions'],
    dataType: 'int16',
  };
};
export const asRaw = (layout: Layout) => bytesSource('part.raw', layDown(layout).bytes);

/** Orientation places the rows and columns of each page; the file has no position in space. */
export const tiffLayouts: Record<number, Layout> = {
  1: straight,
  2: { axes: [0, 1, 2], signs: [-1, 1, 1] },
  3: { axes: [0, 1, 2], signs: [-1, -1, 1] },
  4: { axes: [0, 1, 2], signs: [1, -1, 1] },
  5: { axes: [1, 0, 2], signs: [1, 1, 1] },
  6: { axes: [1, 0, 2], signs: [1, -1, 1] },
  7: { axes: [1, 0, 2], signs: [-1, -1, 1] },
  8: { axes: [1, 0, 2], signs: [-1, 1, 1] },
};
export function asTiff(orientation: number): ByteSource {
  const { dimensions, bytes } = layDown(tiffLayouts[orientation]);
  const [columns, rows, planes] = dimensions;
  const plane = 2 * columns * rows;
  const pages = Array.from({ length: planes }, (_, z) => ({
    entries: greyPage(columns, rows, 16, [
      { id: 274, type: 3, values: [orientation] },
      { id: 339, type: 3, values: [2] },
    ]),
    chunks: [bytes.slice(z * plane, (z + 1) * plane)],
  }));
  return bytesSource('part.tif', buildTiff(pages));
}
