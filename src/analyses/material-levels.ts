/** The levels at which the materials of a volume begin, and how grey values are smoothed before all of them. */
import type { AnalysisParameters } from '#contract/analyses/parameters.ts';
import { type Histogram, percentileOf } from '#kernels/grid/histogram.ts';
import { type Materials, materialPeaks, midways, otsuMaterials } from '#kernels/grid/materials.ts';
import { type CellBox, cellsIn } from '#kernels/grid/region.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { evenHistogram } from '#kernels/surface/even-places.ts';
import { levelPeaks } from '#kernels/surface/level-places.ts';
import { type Smoothing, smoothingFor } from '#kernels/surface/smoothing.ts';
import type { SurfaceLevel } from '#kernels/surface/surface-level.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';

type Parameters = AnalysisParameters['createMesh'];

export interface MaterialLevels {
  /** grey value of air, then of each material, ascending */
  peaks: number[];
  /** one a material: between it and what is next below it */
  levels: SurfaceLevel[];
  /** the same for all, or their surfaces would cross where they are close together */
  smoothing: Smoothing;
}

/**
 * @returns null when there is one material only, or only one was asked for
 * @throws KernelError NO_SURFACE when the grey values don't part into as many as were asked for
 */
export async function materialLevels(
  volume: VolumeInput,
  parameters: Parameters,
  context: AnalysisContext,
): Promise<MaterialLevels | null> {
  const { materials: wanted } = parameters;
  if (wanted === 1) return null;
  const cells = cellsIn(volume.grid, parameters.region);
  const histogram = await placesWithin(volume, cells, context);
  const found =
    wanted === 'auto'
      ? histogram && byHills(histogram, parameters)
      : histogram && otsuMaterials(histogram, wanted);
  if (!found) {
    if (wanted === 'auto') return null;
    throw new KernelError(
      'NO_SURFACE',
      `The grey values do not part into air and ${wanted} materials: choose fewer, or leave it to the histogram.`,
    );
  }
  const refined = await levelPeaks(volume, { cells, ...found, signal: context.signal });
  const { peaks, greys } = chosen({ ...found, peaks: refined }, parameters);
  if (greys.length < 2) return null;
  const levels = greys.map((isoValue, i) => ({
    isoValue,
    air: peaks[i],
    peaks: { air: peaks[i], material: peaks[i + 1], iso50: (peaks[i] + peaks[i + 1]) / 2 },
  }));
  const smoothings: Smoothing[] = [];
  for (const level of levels) {
    const options = { ...level, cells, signal: context.signal };
    smoothings.push(await smoothingFor(volume, parameters.smoothing, options));
  }
  const smoothing = smoothings.reduce((most, each) => (each.filter.sigma > most.filter.sigma ? each : most));
  return { peaks, levels, smoothing };
}

/** How far from what fills the corners air may lie, as a share of the way to the densest material. */
const airWithin = 0.35;

/** Grey values of places within one material or air; null where there are too few. */
async function placesWithin(
  volume: VolumeInput,
  cells: CellBox,
  { signal }: AnalysisContext,
): Promise<Histogram | null> {
  const { histogram, range } = volume;
  // Without the outermost: single bright cells are no contrast.
  const contrast = Math.min(percentileOf(histogram, 0.9999), range[1]) - percentileOf(histogram, 0.0001);
  const found = await evenHistogram(volume, { cells, contrast, signal });
  if (!found) return null;
  const { measured, filled } = found;
  const peaks = filled === null ? null : materialPeaks(measured);
  // What is exactly one value next to noise fills the corners, unless all that is measured is far from it: then it is air.
  const isAir =
    filled !== null && (peaks === null || peaks[0] - filled > airWithin * (peaks[peaks.length - 1] - filled));
  return isAir ? withFirst(measured, filled) : measured;
}

/** With one more value below all others, as often as all others together. */
function withFirst({ min, max, counts }: Histogram, value: number): Histogram {
  const width = (max - min) / counts.length;
  const before = Math.max(0, Math.ceil((min - value) / width) + 10);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const longer = [...new Array<number>(before).fill(0), ...counts];
  longer[Math.max(0, Math.floor((value - min) / width) + before)] += total;
  return { min: min - before * width, max, counts: longer };
}

function byHills(histogram: Histogram, { surface }: Parameters): Materials | null {
  const peaks = materialPeaks(histogram);
  if (!peaks) return null;
  if (surface.mode === 'otsu') return otsuMaterials(histogram, peaks.length - 1);
  return { peaks, levels: midways(peaks) };
}

/** The levels that the way of determining the surface asks for; a grey value of one's own is the lowest. */
function chosen({ peaks, levels }: Materials, { surface }: Parameters): { peaks: number[]; greys: number[] } {
  const { mode, value } = surface;
  if (mode === 'otsu') return { peaks, greys: levels };
  const middles = midways(peaks);
  if (mode === 'iso50' || value === undefined) return { peaks, greys: middles };
  const first = peaks.findIndex((peak) => peak > value);
  if (first < 0) return { peaks, greys: [] };
  const air = first > 0 ? peaks[first - 1] : 2 * value - peaks[first];
  return { peaks: [air, ...peaks.slice(first)], greys: [value, ...middles.slice(first)] };
}
