/** Cells that a scanner saw nothing of, which volumes hold one grey value for: beyond the circle that turns through its view. */
import { binWidth, type Histogram } from './histogram.ts';
import type { SummarizedVolume } from './outliers.ts';
import type { SlabSource, VoxelArray } from './volume.ts';

export interface UnseenField {
  /** the grey value that stands there, below that of air */
  value: number;
  /** that the circle lies about, through the middle of the scan */
  axis: 0 | 1 | 2;
  /** cells farther from it that have the value were not seen; null = there is no circle */
  radiusVoxels: number | null;
  /** nor those before the first and from the second cell along the axis on */
  planes: [from: number, to: number];
}

/** The scan with the grey value of air where nothing was seen. */
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
    // Coarser levels would hold means of what was seen and what was not.
    ...filledWith(volume, unseen, air),
    histogram,
    range: [Math.max(range[0], histogram.min + first * binWidth(histogram)), range[1]],
    outline,
  };
}

/** A histogram without what stands in one bin more than beside it. */
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
    async readSlab(zStart, zEnd, signal) {
      const slab = await source.readSlab(zStart, zEnd, signal);
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

/** Of a row along x: from its first cell that was seen to behind its last. */
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
