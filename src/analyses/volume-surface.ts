/** From a stored volume to its surface in the arena: shared by every analysis that starts with one. */

import type { Arena } from '#kernels/arena.ts';
import { binWidth } from '#kernels/grid/histogram.ts';
import { cellsAbove } from '#kernels/grid/outline.ts';
import { type BoxMm, type CellBox, cellsIn } from '#kernels/grid/region.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import type { LocalLevels } from '#kernels/levels/fit-levels.ts';
import { type ArenaSurface, extractSurface } from '#kernels/surface/extract.ts';
import type { GreyGrid, GridLayout } from '#kernels/surface/grid-layout.ts';
import { levelOfPlaces } from '#kernels/surface/level-places.ts';
import { openGrid } from '#kernels/surface/load-grid.ts';
import { edgeWeights } from '#kernels/surface/refine-surface.ts';
import { type Smoothing, type SmoothingOptions, smoothingFor } from '#kernels/surface/smoothing.ts';
import { type SurfaceChoice, type SurfaceLevel, surfaceLevel } from '#kernels/surface/surface-level.ts';
import type { Algorithm } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import { type LevelledVolume, onLocalLevels } from './local-levels.ts';
import { outermostLevel } from './material-levels.ts';
import type { NoiseFilterParameters } from './noise-filter.ts';

export interface SurfaceParameters {
  surface: SurfaceChoice | { mode: 'local' };
  /** standard deviation of a Gauss filter in voxels, or as the noise asks for */
  smoothing: 'auto' | number;
  region?: BoxMm | undefined;
}
/** Both as they were found before, so that several surfaces of a volume fit together. */
export interface FixedSurface {
  level: SurfaceLevel;
  /** the lowest level of all of them: they count from the same cell */
  lowestIsoValue: number;
  smoothing: Smoothing;
}
export interface VolumeSurface {
  /** what was read: of the region, all that the surface can be in */
  cells: CellBox;
  grey: GreyGrid;
  /** what holds of the grid in all of its windows */
  grid: GridLayout;
  /** in the volume's own grey values, of local levels as a mean over the surface */
  level: SurfaceLevel;
  /** null where one level was taken for the whole volume */
  local: LocalLevels | null;
  /** of a part of several materials that one level would have cut to its densest; else null */
  materialGrays: number[] | null;
  surface: ArenaSurface;
  smoothing: Smoothing;
}

/** What was smoothed and why, for the result's metadata. */
export const smoothingFacts = (
  parameters: SurfaceParameters & NoiseFilterParameters,
  { filter, noise, noiseShare }: Smoothing,
) => ({
  noiseFilter: parameters.noiseFilter,
  smoothing: parameters.smoothing,
  smoothingFilter: filter.sigma > 0 ? filter.kind : 'none',
  smoothingSigmaVoxels: filter.sigma,
  noiseGreyValues: noise,
  noiseShareOfContrast: noiseShare,
});

/** What is said of the levels that the surface was found at. */
export const levelFacts = ({ level, local }: Pick<VolumeSurface, 'level' | 'local'>) => ({
  isoValue: level.isoValue,
  ...(local && {
    localLevels: {
      airGray: local.air,
      materialGray: local.material,
      localShare: local.localShare,
      contrastSpread: local.contrastSpread,
      airSpread: local.airSpread,
    },
  }),
});

export const levelAlgorithm = ({ local }: Pick<VolumeSurface, 'local'>): Algorithm =>
  local ? 'localLevels' : 'surfaceLevel';

/** Peaks closer than this many bins are counted anew over the bulk of the values: a few outliers stretched the range. */
const fewBins = 40;

async function levelOf(
  volume: VolumeInput,
  chosen: SurfaceParameters['surface'],
  cells: CellBox,
  context: AnalysisContext,
): Promise<SurfaceLevel> {
  const choice: SurfaceChoice = chosen.mode === 'local' ? { mode: 'iso50' } : chosen;
  const level = await histogramLevel(volume, choice, context);
  return levelOfPlaces(volume, level, { cells, mode: choice.mode, signal: context.signal });
}

/** The volume on its local levels, or the level for all of it: below its lightest material, where that was to be cut off. */
async function foundLevel(
  volume: VolumeInput,
  choice: SurfaceParameters['surface'],
  cells: CellBox,
  context: AnalysisContext,
): Promise<LevelledVolume | { level: SurfaceLevel; materialGrays?: number[] }> {
  const isLocal = choice.mode === 'local';
  if (!isLocal && choice.mode !== 'iso50') return { level: await levelOf(volume, choice, cells, context) };
  const level = await levelOf(volume, choice, cells, context);
  const outermost = await outermostLevel(volume, level, context);
  if (outermost) return outermost;
  return (isLocal ? await onLocalLevels(volume, context) : null) ?? { level };
}

/** What whoever relies on the surface has to know. */
export const surfaceWarnings = <Path extends string>(
  { materialGrays }: Pick<VolumeSurface, 'materialGrays'>,
  ...measures: Path[]
) =>
  materialGrays === null
    ? []
    : [
        {
          code: 'SEVERAL_MATERIALS' as const,
          message: `The scan holds ${materialGrays.length} materials (grey values ${materialGrays.map((grey) => Math.round(grey)).join(', ')}): the surface is the outer one, midway between air and the lightest. Where a denser one is bare, it lies up to a voxel too far out.`,
          measures,
        },
      ];

async function histogramLevel(volume: VolumeInput, choice: SurfaceChoice, context: AnalysisContext) {
  const level = surfaceLevel(volume.histogram, volume.range, choice);
  const { peaks } = level;
  const distance = peaks ? (peaks.material - peaks.air) / binWidth(volume.histogram) : 0;
  if (choice.mode === 'value' || distance >= fewBins) return level;
  const { histogram, range } = await summarizeVolume(volume, context.pool, { signal: context.signal });
  return surfaceLevel(histogram, range, choice);
}

type Wanted = Pick<SmoothingOptions, 'least' | 'alike'> & {
  /** vertices by straight lines between cells, and not placed anew */
  straight?: boolean;
};

/** Cells around the material that filters, edges and corrections look at, and more. */
const marginCells = 24;

/**
 * Reads, smooths and extracts; the part of the progress from 0 to `share`.
 * @throws KernelError NO_SURFACE, EMPTY_REGION, TOO_LARGE
 */
export async function surfaceOfVolume(
  stored: VolumeInput,
  arena: Arena,
  parameters: SurfaceParameters,
  context: AnalysisContext,
  share: number,
  wanted: Wanted = {},
  fixed?: FixedSurface,
): Promise<VolumeSurface> {
  const { pool, signal } = context;
  const region = cellsIn(stored.grid, parameters.region);
  context.progress(0, 'Surface determination');
  const found = fixed
    ? { level: fixed.level }
    : await foundLevel(stored, parameters.surface, region, context);
  const levelled = 'local' in found ? found : null;
  const materialGrays = ('materialGrays' in found && found.materialGrays) || null;
  const volume = levelled ?? stored;
  const { level } = found;
  const smoothing =
    fixed?.smoothing ??
    (await smoothingFor(volume, parameters.smoothing, { ...level, ...wanted, cells: region, signal }));
  const lowest = fixed?.lowestIsoValue ?? level.isoValue;
  // What is no number counts as air.
  const cells = level.air > lowest ? region : cellsAbove(region, volume.outline, lowest, marginCells);
  const options = {
    cells,
    isoValue: level.isoValue,
    range: volume.range,
    air: level.air,
    peaks: level.peaks,
    smoothing: smoothing.filter,
    straight: wanted.straight,
    signal,
    progress: (fraction: number) => context.progress(fraction * share * 0.6, 'Reading the scan'),
  };
  const grey = await openGrid(volume, pool, arena, options);
  const surface = await extractSurface(grey, pool, arena, {
    signal,
    ...(wanted.straight ? {} : { edgesAfter: edgeWeights(smoothing.filter) }),
    progress: (fraction) => context.progress(share * (0.6 + 0.4 * fraction), 'Surface'),
  });
  const common = { cells, grey, grid: grey.layout, surface, materialGrays };
  if (!levelled) return { ...common, level, local: null, smoothing };
  const { noiseShare } = smoothing;
  const { local, greyLevel } = levelled;
  const noise = noiseShare === null ? null : noiseShare * (local.material - local.air);
  return { ...common, level: greyLevel, local, smoothing: { ...smoothing, noise } };
}
