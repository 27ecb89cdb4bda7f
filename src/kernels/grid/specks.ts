/** Single voxels that stand far off all around them, as dead and hot detector pixels, and bits lost on the way, leave them. */
import { selectNth } from '../select-nth.ts';
import type { GreyPeaks } from './histogram.ts';
import type { SummarizedVolume } from './outliers.ts';
import type { SlabSource, Vector3, VoxelArray } from './volume.ts';

export interface Specks {
  /** of the voxels */
  share: number;
  /** grey values that a voxel differs by from those beside it, at least, to be one */
  leastStep: number;
}

/** Groups of planes that are looked at, planes of a group between its first and its last two, and voxels of a plane, about. */
const [groups, innerPlanes, mostOfPlane] = [16, 4, 2e5];
/**
 * Shares of the contrast. Blur of 0.4 voxels leaves a void of one voxel less than half of its height, and gives its
 * neighbours a share of it, which a speck has not.
 */
const [leastHeight, mostBeside, replacedFrom] = [0.5, 0.2, 0.35];
/** And deviations of the noise, for one to be counted, and to be replaced. */
const [countedDeviations, replacedDeviations] = [6, 5];
/** Specks at least, and their share. */
const [fewestSpecks, leastShare] = [5, 2e-5];
/** A voxel less the mean of six scatters so much more; and the median of amounts over the deviation. */
const [ofSix, medianOfNormal] = [Math.sqrt(7 / 6), 0.6745];

/**
 * Looks for specks in some planes. O(voxels of 96 planes, 200,000 of each at most).
 * @returns null where there are none, of a mask, whose single voxels may be meant, and where no contrast is known
 */
export async function findSpecks(
  source: SlabSource,
  peaks: GreyPeaks | null,
  signal?: AbortSignal,
): Promise<Specks | null> {
  const [nx, ny, nz] = source.grid.dimensions;
  const contrast = peaks ? peaks.material - peaks.air : 0;
  if (!(contrast > 0) || Math.min(nx, ny, nz) < 5) return null;
  const planes = Math.min(nz, innerPlanes + 4);
  const starts = new Set(
    Array.from({ length: groups }, (_, n) => Math.round(((nz - planes) * n) / (groups - 1))),
  );
  const every = Math.max(1, Math.round((nx * ny) / mostOfPlane));
  const noises: number[] = [];
  let [looked, found] = [0, 0];
  for (const start of starts) {
    signal?.throwIfAborted();
    const slab = await source.readSlab(start, start + planes, signal);
    const noise = findNoise(slab, [nx, ny, planes]);
    noises.push(noise);
    if (noise === 0) continue;
    const least = Math.max(leastHeight * contrast, countedDeviations * noise);
    for (let z = 2; z + 2 < planes; z++) {
      for (let y = 2; y + 2 < ny; y += every) {
        for (let at = (z * ny + y) * nx + 2, end = at + nx - 4; at < end; at++) {
          const beside = meanOfSix(slab, at, 1, nx, nx * ny);
          const height = slab[at] - beside;
          looked++;
          if (!(Math.abs(height) > least)) continue;
          const around = meanOfSix(slab, at, 2, 2 * nx, 2 * nx * ny);
          const isAlone = Math.abs(around - beside) < mostBeside * Math.abs(height);
          if (
            isAlone &&
            isSpeck(slab[at], besideIn(slab, at, nx, nx * ny), (least * replacedFrom) / leastHeight)
          )
            found++;
        }
      }
    }
  }
  if (found < fewestSpecks || found < leastShare * looked) return null;
  const leastStep = Math.max(replacedFrom * contrast, replacedDeviations * Math.max(...noises));
  return { share: found / looked, leastStep };
}

/** From what some voxels differ by from the mean of the six beside them. */
function findNoise(slab: VoxelArray, [nx, ny, planes]: Vector3): number {
  const offs: number[] = [];
  for (let at = 2 * nx * ny; at < (planes - 2) * nx * ny; at += noiseStep) {
    const off = Math.abs(slab[at] - meanOfSix(slab, at, 1, nx, nx * ny));
    if (Number.isFinite(off)) offs.push(off);
  }
  return selectNth(Float64Array.from(offs), offs.length >> 1) / medianOfNormal / ofSix;
}
const noiseStep = 61;

const meanOfSix = (slab: VoxelArray, at: number, dx: number, dy: number, dz: number) =>
  (slab[at - dx] + slab[at + dx] + slab[at - dy] + slab[at + dy] + slab[at - dz] + slab[at + dz]) / 6;

const besideIn = (slab: VoxelArray, at: number, nx: number, plane: number) =>
  [1, nx, plane].flatMap((stride) => [slab[at - stride], slab[at + stride]]);

/** The volume with the middle of those beside it instead of each speck. What is stored coarser holds them, and is left out. */
export const withoutSpecks = (
  { histogram, range, outline, ...source }: SummarizedVolume,
  { leastStep }: Specks,
): SummarizedVolume => ({ ...mended(source, leastStep), histogram, range, outline });

function mended(source: SlabSource, leastStep: number): SlabSource {
  const { grid, dataType } = source;
  const [nx, ny, nz] = grid.dimensions;
  const plane = nx * ny;
  const isWhole = !dataType.startsWith('float');
  return {
    grid,
    dataType,
    async readSlab(zStart, zEnd, signal) {
      const [from, to] = [Math.max(0, zStart - 1), Math.min(nz, zEnd + 1)];
      const slab = await source.readSlab(from, to, signal);
      const inner = slab.slice((zStart - from) * plane, (zEnd - from) * plane) as VoxelArray;
      const strides = [1, nx, plane];
      for (let at = 0, z = zStart; z < zEnd; z++) {
        for (let y = 0; y < ny; y++) {
          for (let x = 0; x < nx; x++, at++) {
            const own = at + (zStart - from) * plane;
            const near = x > 0 ? slab[own - 1] : slab[own + 1];
            const other = y > 0 ? slab[own - nx] : slab[own + nx];
            const isFar = Math.abs(slab[own] - near) > leastStep || Math.abs(slab[own] - other) > leastStep;
            if (!isFar) continue;
            const beside = [x, y, z].flatMap((place, axis) => [
              ...(place > 0 ? [slab[own - strides[axis]]] : []),
              ...(place + 1 < grid.dimensions[axis] ? [slab[own + strides[axis]]] : []),
            ]);
            if (isSpeck(slab[own], beside, leastStep)) inner[at] = findMiddle(beside, isWhole);
          }
        }
      }
      return inner;
    },
  };
}

/** All beside it but one are as far below it, or above: that one may be a speck itself. */
function isSpeck(value: number, beside: readonly number[], leastStep: number): boolean {
  let [below, above] = [0, 0];
  for (const other of beside) {
    if (value - other > leastStep) below++;
    else if (other - value > leastStep) above++;
  }
  return Math.max(below, above) >= beside.length - 1;
}

/** The mean of the two in the middle; of an odd number, of the one that is it. */
function findMiddle(beside: readonly number[], isWhole: boolean): number {
  const sorted = beside.toSorted((a, b) => a - b);
  const last = sorted.length - 1;
  const middle = (sorted[last >> 1] + sorted[(last + 1) >> 1]) / 2;
  return isWhole ? Math.round(middle) : middle;
}
