/** Levels at which the materials of a volume begin, and the smoothing common to all of them. */
import type { z } from 'zod';
import type { surfaceMesh } from '#contract/analyses/create-mesh.ts';
import { binWidth, computeTotal, findPercentile, type Histogram } from '#kernels/grid/histogram.ts';
import { collectLabels } from '#kernels/grid/labels.ts';
import { listSteps, type Materials, materialPeaks, midways, otsuMaterials } from '#kernels/grid/materials.ts';
import { type CellBox, cellsIn, wholeGrid } from '#kernels/grid/region.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { evenHistogram } from '#kernels/surface/even-places.ts';
import { levelPeaks } from '#kernels/surface/level-places.ts';
import { type Smoothing, smoothingFor } from '#kernels/surface/smoothing.ts';
import type { SurfaceLevel } from '#kernels/surface/surface-level.ts';
import type { VolumeInput } from './analysis.ts';

type Parameters = z.infer<typeof surfaceMesh.parameters>;
type Choice = Pick<Parameters, 'materials'> & { surface: { mode: Parameters['surface']['mode'] } };

export interface MaterialLevels {
  /** grey value of air, then of each material, ascending */
  peaks: number[];
  /** one per material: between it and the next lower grey value */
  levels: SurfaceLevel[];
  /** the same for all materials, because otherwise their surfaces would intersect where they are close */
  smoothing: Smoothing;
}

/**
 * @returns null when there is only one material, or only one was requested
 * @throws KernelError NO_SURFACE when the grey values do not separate into the requested number
 */
export async function materialLevels(
  volume: VolumeInput,
  parameters: Parameters,
): Promise<MaterialLevels | null> {
  const { materials: wanted } = parameters;
  if (wanted === 1) return null;
  const cells = cellsIn(volume.grid, parameters.region);
  const known = await readLabelLevels(volume, cells, parameters);
  const found = known ?? (await findScanLevels(volume, cells, parameters));
  if (!found) {
    if (wanted === 'auto') return null;
    throw new KernelError(
      'NO_SURFACE',
      `The grey values do not separate into air and ${wanted} materials: choose fewer, or let the histogram decide.`,
    );
  }
  const { peaks, levels: chosenLevels } = chooseLevels(found, parameters);
  if (chosenLevels.length < 2) return null;
  const levels = listSteps({ peaks, levels: chosenLevels }).map(({ isoValue, air, material }) => ({
    isoValue,
    air,
    peaks: { air, material, iso50: (air + material) / 2 },
  }));
  const smoothings: Smoothing[] = [];
  for (const level of levels) {
    const options = { ...level, cells };
    smoothings.push(await smoothingFor(volume, parameters.smoothing, options));
  }
  const smoothing = smoothings.reduce((most, each) => (each.filter.sigma > most.filter.sigma ? each : most));
  return { peaks, levels, smoothing };
}

/**
 * With fewer voxels between air and the level, as a share of those above it, there are only edges and noise in between.
 */
const minShareBetween = 0.15;
/** Smallest distance of a lighter material from air, as a share of the contrast to the densest. */
const minHeight = 0.08;
/** Range that counts as between air and material, as shares of the contrast. */
const [betweenFrom, betweenTo] = [0.1, 0.45];

/**
 * Finds the outer surface if a level between two histogram peaks lies above one of the materials: otherwise a dense
 * insert would be taken for the whole part and the rest for air.
 * @returns the level between air and the lightest material, and the grey values of all; null when nothing is cut off
 */
export async function outermostLevel(
  volume: VolumeInput,
  { isoValue, peaks }: SurfaceLevel,
): Promise<{ level: SurfaceLevel; materialGrays: number[] } | null> {
  if (!peaks) return null;
  const grey = (share: number) => peaks.air + share * (peaks.material - peaks.air);
  const { histogram } = volume;
  const above = countBetween(histogram, isoValue, Number.POSITIVE_INFINITY);
  if (countBetween(histogram, grey(betweenFrom), grey(betweenTo)) < minShareBetween * above) return null;
  const cells = wholeGrid(volume.grid);
  const choice = { materials: 'auto', surface: { mode: 'iso50' } } as const;
  const found =
    (await readLabelLevels(volume, cells, choice)) ?? (await findScanLevels(volume, cells, choice));
  const [air, material, ...denser] = found?.peaks ?? [];
  const densest = denser.at(-1);
  if (air === undefined || material === undefined || densest === undefined) return null;
  // Steps between air and a thin wall are no materials: they are close together, and no uniform place is as bright as
  // the wall.
  if (material >= isoValue || densest < isoValue || material < grey(minHeight)) return null;
  const iso50 = (air + material) / 2;
  return {
    level: { isoValue: iso50, air, peaks: { air, material, iso50 } },
    materialGrays: [material, ...denser],
  };
}

/** Levels of a segmented volume from its labels; null for a scan, or when another number of materials is requested. */
async function readLabelLevels(
  volume: VolumeInput,
  cells: CellBox,
  { materials: wanted }: Choice,
): Promise<Materials | null> {
  const labels = await collectLabels(volume, cells);
  if (!labels || labels.length < 2 || (wanted !== 'auto' && labels.length !== wanted + 1)) return null;
  return { peaks: labels, levels: midways(labels) };
}

async function findScanLevels(
  volume: VolumeInput,
  cells: CellBox,
  parameters: Choice,
): Promise<Materials | null> {
  const { materials: wanted, surface } = parameters;
  // Excludes the extremes, because single bright voxels are no contrast.
  const { histogram: all, range } = volume;
  const contrast = Math.min(findPercentile(all, 0.9999), range[1]) - findPercentile(all, 0.0001);
  const histogram = await placesWithin(volume, cells, contrast);
  if (!histogram) return null;
  let found: Materials | null;
  if (wanted !== 'auto') found = otsuMaterials(histogram, wanted);
  else {
    const hills = materialPeaks(histogram);
    const peaks = hills && (await withoutSlopes(volume, cells, hills, histogram));
    if (!peaks) return null;
    found =
      surface.mode === 'otsu'
        ? otsuMaterials(histogram, peaks.length - 1)
        : { peaks, levels: midways(peaks) };
  }
  return found && { ...found, peaks: await levelPeaks(volume, { cells, ...found }) };
}

/** With a larger share of places in the middle third of the way to the next peak, a peak may belong to a gradient. */
const leadingShare = 0.05;
/** It does belong to one if a smaller share of all places remains under a stricter limit of uniformity. */
const minEvenShare = 0.002;

/**
 * Returns the separated peaks, and those others that remain when places must be uniform relative to the distance of
 * neighbouring peaks instead of the whole contrast. Where grey values fade over many voxels, planes or steps make peaks
 * as well, with places leading from one to the next.
 */
async function withoutSlopes(
  volume: VolumeInput,
  cells: CellBox,
  peaks: number[],
  places: Histogram,
): Promise<number[]> {
  if (peaks.length < 3) return peaks;
  const steps = listSteps({ peaks, levels: midways(peaks) });
  const between = steps.map(({ air, material }) => {
    const third = (material - air) / 3;
    return countBetween(places, air + third, air + 2 * third);
  });
  const hills = peaks.map((peak, i) => ({
    peak,
    from: steps[i - 1]?.isoValue ?? Number.NEGATIVE_INFINITY,
    to: steps[i]?.isoValue ?? Number.POSITIVE_INFINITY,
    between: Math.max(between[i - 1] ?? 0, between[i] ?? 0),
  }));
  const isApart = ({ from, to, between }: (typeof hills)[number]) =>
    between <= leadingShare * countBetween(places, from, to);
  if (hills.every(isApart)) return peaks;
  const contrast = Math.min(...steps.map(({ air, material }) => material - air));
  const even = await placesWithin(volume, cells, contrast);
  if (!even) return peaks;
  const least = minEvenShare * computeTotal(even);
  const left = hills
    .filter((hill) => isApart(hill) || countBetween(even, hill.from, hill.to) >= least)
    .map(({ peak }) => peak);
  return left.length < peaks.length ? withoutSlopes(volume, cells, left, places) : left;
}

function countBetween(histogram: Histogram, from: number, to: number): number {
  const width = binWidth(histogram);
  return histogram.counts.reduce((sum, count, bin) => {
    const grey = histogram.min + (bin + 0.5) * width;
    return grey >= from && grey < to ? sum + count : sum;
  }, 0);
}

/**
 * Largest distance between air and the value that fills the corners of the scan, as a share of the contrast to the
 * densest material.
 */
const airWithin = 0.35;

/** Grey values of places inside one material or air; null when there are too few. */
async function placesWithin(
  volume: VolumeInput,
  cells: CellBox,
  contrast: number,
): Promise<Histogram | null> {
  const found = await evenHistogram(volume, { cells, contrast });
  if (!found) return null;
  const { measured, filled } = found;
  const peaks = filled === null ? null : materialPeaks(measured);
  // A constant value beside noise fills the corners of the scan, unless all measured values are far from it: then it is
  // air.
  const [lowest, densest] = [peaks?.[0], peaks?.at(-1)];
  const isAir =
    filled !== null &&
    (lowest === undefined || densest === undefined || lowest - filled > airWithin * (densest - filled));
  return isAir ? withFirst(measured, filled) : measured;
}

/** Adds one value below all others, with the count of all others together. */
function withFirst({ min, max, counts }: Histogram, value: number): Histogram {
  const width = (max - min) / counts.length;
  const before = Math.max(0, Math.ceil((min - value) / width) + 10);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const bin = Math.max(0, Math.floor((value - min) / width) + before);
  const longer = [...new Array<number>(before).fill(0), ...counts].map((count, i) =>
    i === bin ? count + total : count,
  );
  return { min: min - before * width, max, counts: longer };
}

/** Levels for the requested surface mode; a given grey value is the lowest. */
function chooseLevels({ peaks, levels }: Materials, { surface }: Parameters): Materials {
  const { mode, value } = surface;
  if (mode === 'otsu') return { peaks, levels };
  const middles = midways(peaks);
  if (mode === 'iso50' || value === undefined) return { peaks, levels: middles };
  const first = peaks.findIndex((peak) => peak > value);
  const [material, ...denser] = first < 0 ? [] : peaks.slice(first);
  if (material === undefined) return { peaks, levels: [] };
  const air = peaks[first - 1] ?? 2 * value - material;
  return { peaks: [air, material, ...denser], levels: [value, ...middles.slice(first)] };
}
