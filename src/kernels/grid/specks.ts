/**
 * Single voxels that differ strongly from all their neighbours, caused by dead or hot detector pixels or transmission
 * errors.
 */
import { selectNth } from '../select-nth.ts';
import type { GreyPeaks } from './histogram.ts';
import type { SummarizedVolume } from './outliers.ts';
import type { SlabSource, Vector3, VoxelArray } from './volume.ts';

export interface Specks {
  /** share of the voxels */
  share: number;
  /** minimum grey value difference of a speck from its neighbours */
  leastStep: number;
}

/**
 * Number of plane groups examined, planes per group between its two first and two last, and approximate voxels per
 * plane.
 */
const [groups, innerPlanes, maxPerPlane] = [16, 4, 2e5];
/**
 * As shares of the contrast. Blur of 0.4 voxels reduces a void of one voxel to less than half of its height, and
 * spreads a share of it to its neighbours; a speck has no such share.
 */
const [minHeight, maxBeside, replacedFrom] = [0.5, 0.2, 0.35];
/** Minimum heights in standard deviations of the noise, to count a speck and to replace it. */
const [countedDeviations, replacedDeviations] = [6, 5];
/** Minimum number of specks, and their minimum share. */
const [minSpecks, minShare] = [5, 2e-5];
/**
 * Standard deviation of a voxel minus the mean of six neighbours, and median absolute deviation, each relative to the
 * noise.
 */
const [ofSix, medianOfNormal] = [Math.sqrt(7 / 6), 0.6745];

/**
 * Searches a sample of planes for specks. O(voxels of 96 planes, 200,000 of each at most).
 * @returns null if there are none, for masks, whose single voxels may be intended, and if the contrast is unknown
 */
export async function findSpecks(source: SlabSource, peaks: GreyPeaks | null): Promise<Specks | null> {
  const [nx, ny, nz] = source.grid.dimensions;
  const contrast = peaks ? peaks.material - peaks.air : 0;
  if (!(contrast > 0) || Math.min(nx, ny, nz) < 5) return null;
  const planes = Math.min(nz, innerPlanes + 4);
  const starts = new Set(
    Array.from({ length: groups }, (_, n) => Math.round(((nz - planes) * n) / (groups - 1))),
  );
  const every = Math.max(1, Math.round((nx * ny) / maxPerPlane));
  const noises: number[] = [];
  let [looked, found] = [0, 0];
  for (const start of starts) {
    const slab = await source.readSlab(start, start + planes);
    const noise = findNoise(slab, [nx, ny, planes]);
    noises.push(noise);
    if (noise === 0) continue;
    const least = Math.max(minHeight * contrast, countedDeviations * noise);
    for (let z = 2; z + 2 < planes; z++) {
      for (let y = 2; y + 2 < ny; y += every) {
        for (let at = (z * ny + y) * nx + 2, end = at + nx - 4; at < end; at++) {
          const beside = averageSix(slab, at, 1, nx, nx * ny);
          const height = slab[at] - beside;
          looked++;
          if (!(Math.abs(height) > least)) continue;
          const around = averageSix(slab, at, 2, 2 * nx, 2 * nx * ny);
          const isAlone = Math.abs(around - beside) < maxBeside * Math.abs(height);
          if (
            isAlone &&
            isSpeck(slab[at], listNeighbours(slab, at, nx, nx * ny), (least * replacedFrom) / minHeight)
          )
            found++;
        }
      }
    }
  }
  if (found < minSpecks || found < minShare * looked) return null;
  const leastStep = Math.max(replacedFrom * contrast, replacedDeviations * Math.max(...noises));
  return { share: found / looked, leastStep };
}

/** Noise level, from differences between a sample of voxels and the mean of their six neighbours. */
function findNoise(slab: VoxelArray, [nx, ny, planes]: Vector3): number {
  const offs: number[] = [];
  for (let at = 2 * nx * ny; at < (planes - 2) * nx * ny; at += noiseStep) {
    const off = Math.abs(slab[at] - averageSix(slab, at, 1, nx, nx * ny));
    if (Number.isFinite(off)) offs.push(off);
  }
  return selectNth(Float64Array.from(offs), offs.length >> 1) / medianOfNormal / ofSix;
}
const noiseStep = 61;

const averageSix = (slab: VoxelArray, at: number, dx: number, dy: number, dz: number) =>
  (slab[at - dx] + slab[at + dx] + slab[at - dy] + slab[at + dy] + slab[at - dz] + slab[at + dz]) / 6;

const listNeighbours = (slab: VoxelArray, at: number, nx: number, plane: number) =>
  [1, nx, plane].flatMap((stride) => [slab[at - stride], slab[at + stride]]);

/**
 * The volume with each speck replaced by the median of its neighbours. Coarser levels contain the specks and are
 * dropped.
 */
export const withoutSpecks = (
  { histogram, range, outline, ...source }: SummarizedVolume,
  { leastStep }: Specks,
): SummarizedVolume => ({ ...corrected(source, leastStep), histogram, range, outline });

function corrected(source: SlabSource, leastStep: number): SlabSource {
  const { grid, dataType } = source;
  const [nx, ny, nz] = grid.dimensions;
  const plane = nx * ny;
  const isWhole = !dataType.startsWith('float');
  return {
    grid,
    dataType,
    async readSlab(zStart, zEnd) {
      const [from, to] = [Math.max(0, zStart - 1), Math.min(nz, zEnd + 1)];
      const slab = await source.readSlab(from, to);
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

/** Whether all neighbours but one are far below, or all but one far above: that one may be a speck, too. */
function isSpeck(value: number, beside: readonly number[], leastStep: number): boolean {
  let [below, above] = [0, 0];
  for (const other of beside) {
    if (value - other > leastStep) below++;
    else if (other - value > leastStep) above++;
  }
  return Math.max(below, above) >= beside.length - 1;
}

/** Median; the mean of the middle two for an even number. */
function findMiddle(beside: readonly number[], isWhole: boolean): number {
  const sorted = beside.toSorted((a, b) => a - b);
  const last = sorted.length - 1;
  const middle = (sorted[last >> 1] + sorted[(last + 1) >> 1]) / 2;
  return isWhole ? Math.round(middle) : middle;
}
