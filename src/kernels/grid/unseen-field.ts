/**
 * Cells that the scanner could not see and that have a fixed grey value: those outside the cylinder of the field of
 * view.
 */
import { binWidth, type Histogram } from './histogram.ts';
import type { SummarizedVolume } from './outliers.ts';
import type { SlabSource, VoxelArray } from './volume.ts';

export interface UnseenField {
  /** grey value of unseen cells, below that of air */
  value: number;
  /** axis of the cylinder, through the centre of the scan */
  axis: 0 | 1 | 2;
  /** cells outside this radius that have the value are unseen; null = there is no cylinder */
  radiusVoxels: number | null;
  /** cells outside this range along the axis are unseen as well */
  planes: [from: number, to: number];
}

/** The scan with unseen cells set to the grey value of air. */
export function withAirUnseen(
  volume: SummarizedVolume,
  unseen: UnseenField,
  airGrey: number,
): SummarizedVolume {
  const air = volume.dataType.startsWith('float') ? airGrey : Math.round(airGrey);
  const histogram = withoutValue(volume.histogram, unseen.value);
  const { range, outline } = volume;
  const first = histogram.counts.findIndex((count) => count > 0);
  return {
    // Coarser levels would contain means of seen and unseen cells.
    ...filledWith(volume, unseen, air),
    histogram,
    range: [Math.max(range[0], histogram.min + first * binWidth(histogram)), range[1]],
    outline,
  };
}

/** A histogram with the bin of a value reduced to the larger count of its neighbours. */
export function withoutValue(histogram: Histogram, value: number): Histogram {
  const { min, counts } = histogram;
  const bin = Math.min(counts.length - 1, Math.max(0, Math.floor((value - min) / binWidth(histogram))));
  const beside = [counts[bin - 1], counts[bin + 1]].filter((count) => count !== undefined);
  const usual = Math.min(counts[bin], Math.round(Math.max(0, ...beside)));
  return { ...histogram, counts: counts.with(bin, usual) };
}

function filledWith(source: SlabSource, unseen: UnseenField, air: number): SlabSource {
  const { grid, dataType } = source;
  const [nx, ny, nz] = grid.dimensions;
  return {
    grid,
    dataType,
    async readSlab(zStart, zEnd) {
      const slab = await source.readSlab(zStart, zEnd);
      for (let z = zStart; z < zEnd; z++) {
        for (let y = 0; y < ny; y++) {
          const row = ((z - zStart) * ny + y) * nx;
          const [from, to] = seenCells(unseen, [nx, ny, nz], y, z);
          fillRow(slab, row, row + from, unseen.value, air);
          fillRow(slab, row + to, row + nx, unseen.value, air);
        }
      }
      return slab;
    },
  };
}

function fillRow(slab: VoxelArray, from: number, to: number, value: number, air: number): void {
  for (let i = from; i < to; i++) if (slab[i] === value) slab[i] = air;
}

/** Range of seen cells in a row along x, the end excluded. */
function seenCells(
  { axis, radiusVoxels, planes: [first, end] }: UnseenField,
  [nx, ny, nz]: readonly [number, number, number],
  y: number,
  z: number,
): [from: number, to: number] {
  const along = axis === 1 ? y : z;
  if (axis > 0 && (along < first || along >= end)) return [nx, nx];
  const [from, to] = axis === 0 ? [first, end] : [0, nx];
  if (radiusVoxels === null) return [from, to];
  const [dy, dz] = [y - (ny - 1) / 2, z - (nz - 1) / 2];
  if (axis === 0) return Math.hypot(dy, dz) > radiusVoxels ? [nx, nx] : [from, to];
  const half = Math.sqrt(radiusVoxels ** 2 - (axis === 1 ? dz : dy) ** 2);
  if (Number.isNaN(half)) return [nx, nx];
  return [Math.max(0, Math.ceil((nx - 1) / 2 - half)), Math.min(nx, Math.floor((nx - 1) / 2 + half) + 1)];
}
