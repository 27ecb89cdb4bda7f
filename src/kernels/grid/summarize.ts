import type { KernelPool } from '../arena.ts';
import { KernelError } from '../kernel-error.ts';
import { kernelTasks } from '../task.ts';
import { findKind, findLowest, isSmallInteger } from './data-type.ts';
import { type GreyPeaks, greyPeaks, type Histogram, otsuLevel } from './histogram.ts';
import { type GreyOutline, outlineStep, slabsIn } from './outline.ts';
import { eachPlanes } from './plane-reader.ts';
import { wholeGrid } from './region.ts';
import type { SlabSource, Vector3 } from './volume.ts';

export interface VolumeSummary {
  /** lowest and highest finite grey value */
  range: [number, number];
  /** of the bulk of the values; rare outliers are counted in the end bins */
  histogram: Histogram;
  /** ISO 50; null if the volume has only one grey value */
  isoValue: number | null;
  otsuValue: number | null;
  peaks: GreyPeaks | null;
  outline: GreyOutline;
}

export interface SummarizeOptions {
  progress?: (fraction: number) => void;
  /** opens the source for further passes; a volume being imported is then read from its stored copy */
  again?: () => Promise<SlabSource>;
  /** cells read at a time */
  cells?: number;
}

const fineBins = 65536;
const publishedBins = 1024;
/** Maximum share of the values at each end outside the histogram's range. */
const outlierShare = 1e-5;
/**
 * Isolated values that would squeeze all others into a few bins are outliers if they are at most this share, and fewer
 * cells than a measurable part has.
 */
const farOut = { share: 1e-4, cells: 32 };
/** Maximum number of counting passes; each one removes outliers of up to ten thousand times the rest. */
const maxPasses = 6;

/**
 * Range, histogram and surface levels of a volume, slab by slab: one pass for 8 and 16 bits, two for other types, and
 * one more if isolated values would squeeze all others into a few bins. Ignores NaN and infinities.
 * @throws KernelError BAD_INPUT when there is no finite value
 */
export async function summarizeVolume(
  source: SlabSource,
  pool: KernelPool,
  options: SummarizeOptions = {},
): Promise<VolumeSummary> {
  const { progress, again = async () => source, cells = 16e6 } = options;
  const small = isSmallInteger(source.dataType);
  const { fine, range, outline } = await pool.withArena(async (arena) => {
    const passes = small ? 1 : 2;
    const passed = (pass: number) => (fraction: number) => progress?.((pass + fraction) / passes);
    const [nx, ny, nz] = source.grid.dimensions;
    const kind = findKind(source.dataType);
    const planes = Math.max(1, Math.min(nz, Math.floor(cells / (nx * ny))));
    const purpose = 'The histogram';
    const lanes = Array.from({ length: arena.threads }, () => ({
      counts: arena.allocate(fineBins * 4, purpose),
      result: arena.allocate(32, purpose),
      greatest: slabsIn(source.grid.dimensions).map((slabs) => {
        const at = arena.allocate(slabs * 8, purpose);
        arena.doubles(at, slabs).fill(Number.NEGATIVE_INFINITY);
        return at;
      }) as Vector3,
      row: arena.allocate(nx * 2 + 16, purpose),
    }));
    for (const lane of lanes) arena.integers(lane.counts, fineBins).fill(0);
    const each = async (
      pass: number,
      work: (address: number, count: number, lane: number) => Promise<void>,
    ) =>
      eachPlanes(
        pass === 0 ? source : await again(),
        wholeGrid(source.grid),
        arena,
        { from: 0, to: nz, size: planes, purpose, progress: passed(pass) },
        async (from, to, { address }, lane) => {
          await work(address, (to - from) * nx * ny, lane);
          if (pass > 0) return;
          const { greatest, row: scratch } = lanes[lane];
          const [alongX, alongY, alongZ] = greatest;
          const planes = { kind, source: address, nx, ny, planes: to - from, z: from };
          const input = { ...planes, alongX, alongY, alongZ, scratch };
          await arena.run(kernelTasks.raiseGreatest, input);
        },
      );
    const takeCounts = () => {
      const sum = new Float64Array(fineBins);
      for (const { counts } of lanes) {
        const part = arena.integers(counts, fineBins);
        for (let bin = 0; bin < fineBins; bin++) sum[bin] += part[bin];
        part.fill(0);
      }
      return sum;
    };
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    let fine: FineHistogram;
    if (small) {
      await each(0, async (address, count, lane) => {
        const { counts } = lanes[lane];
        const input = { kind, source: address, count, counts };
        await arena.run(kernelTasks.countValues, input);
      });
      // Integers are at the centres of their bins.
      fine = { min: findLowest(source.dataType) - 0.5, width: 1, sum: takeCounts() };
    } else {
      await each(0, async (address, count, lane) => {
        const { result } = lanes[lane];
        await arena.run(kernelTasks.findRange, { kind, source: address, count, result });
        const range = arena.doubles(result, 2);
        low = Math.min(low, range[0]);
        high = Math.max(high, range[1]);
      });
      if (!(low <= high)) {
        throw new KernelError(
          'BAD_INPUT',
          'The volume has no finite grey value: every voxel is NaN or infinite.',
        );
      }
      const countBetween = async (min: number, max: number): Promise<FineHistogram> => {
        await each(1, async (address, count, lane) => {
          const { counts } = lanes[lane];
          const input = { kind, source: address, count, low: min, high: max, bins: fineBins, counts };
          await arena.run(kernelTasks.countBins, input);
        });
        return { min, width: (max - min) / fineBins, sum: takeCounts() };
      };
      fine = await countBetween(low, high);
      const all = nx * ny * nz;
      const outliers = Math.max(outlierShare * all, Math.min(farOut.share * all, farOut.cells));
      for (let passes = 1; passes < maxPasses; passes++) {
        const { first, last } = findBulk(fine.sum, outliers);
        if (last - first + 1 >= publishedBins || fine.width === 0) break;
        fine = await countBetween(fine.min + first * fine.width, fine.min + (last + 1) * fine.width);
      }
    }
    const outline: GreyOutline = {
      step: outlineStep,
      greatest: slabsIn(source.grid.dimensions).map((slabs, axis) =>
        Array.from({ length: slabs }, (_, i) => {
          const most = Math.max(...lanes.map(({ greatest }) => arena.doubles(greatest[axis], slabs)[i]));
          return Number.isFinite(most) ? most : null;
        }),
      ) as GreyOutline['greatest'],
    };
    if (!small) return { fine, range: [low, high], outline };
    const lowest = findLowest(source.dataType);
    const ends = [
      fine.sum.findIndex((count) => count > 0),
      fine.sum.findLastIndex((count) => count > 0),
    ] as const;
    return { fine, range: [lowest + ends[0], lowest + ends[1]], outline };
  });
  return { range: [range[0], range[1]], ...listLevels(fine, small), outline };
}

interface FineHistogram {
  /** lower edge of the first bin */
  min: number;
  width: number;
  sum: Float64Array;
}

/** The first and the last bin beyond which at most the allowed outliers lie at each end. */
function findBulk(sum: Float64Array, allowed: number) {
  let first = 0;
  for (let seen = sum[0]; seen <= allowed && first < sum.length - 1; seen += sum[first]) first++;
  let last = sum.length - 1;
  for (let seen = sum[last]; seen <= allowed && last > first; seen += sum[last]) last--;
  return { first, last };
}

/** Merges the narrow bins into the published ones, over the bulk of the values, and derives the levels. */
function listLevels(fine: FineHistogram, whole: boolean) {
  const { min, width, sum } = fine;
  const total = sum.reduce((a, b) => a + b, 0);
  const { first, last } = findBulk(sum, outlierShare * total);
  const span = last - first + 1;
  // Bins are a whole number of fine bins wide, so that none counts more distinct values than its neighbour.
  const step = Math.max(1, Math.ceil(span / publishedBins));
  const bins = Math.ceil(span / step);
  const counts = new Array<number>(bins).fill(0);
  for (let bin = 0; bin < sum.length; bin++) {
    if (sum[bin] > 0) counts[Math.min(Math.max(Math.floor((bin - first) / step), 0), bins - 1)] += sum[bin];
  }
  const lower = min + first * width;
  const histogram: Histogram = {
    min: lower,
    max: lower + Math.max(bins * step * width, whole ? 1 : Number.MIN_VALUE),
    counts,
  };
  return { histogram, ...surfaceLevels(histogram) };
}

/** Candidate grey levels for the surface. */
export function surfaceLevels(histogram: Histogram) {
  const peaks = greyPeaks(histogram);
  return { isoValue: peaks?.iso50 ?? null, otsuValue: otsuLevel(histogram), peaks };
}
