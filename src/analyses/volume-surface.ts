/** From a stored volume to its surface in the arena; shared by all analyses that start with a surface. */
import { formatNumber } from '#contract/base/format-number.ts';
import type { OneLevelReason } from '#contract/metadata/surface.ts';
import type { Arena } from '#kernels/arena.ts';
import { cellsAbove } from '#kernels/grid/outline.ts';
import { type BoxMm, type CellBox, cellsIn } from '#kernels/grid/region.ts';
import type { Grid, SlabSource } from '#kernels/grid/volume.ts';
import type { LocalLevels } from '#kernels/levels/fit-levels.ts';
import { type ArenaSurface, extractSurface } from '#kernels/surface/extract.ts';
import type { GreyGrid, GridLayout } from '#kernels/surface/grid-layout.ts';
import { openGrid } from '#kernels/surface/load-grid.ts';
import { edgeWeights } from '#kernels/surface/refine-surface.ts';
import { type Smoothing, type SmoothingOptions, smoothingFor } from '#kernels/surface/smoothing.ts';
import type { SurfaceLevel } from '#kernels/surface/surface-level.ts';
import type { Algorithm } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import { levelAlgorithms } from './determine-surface.ts';
import type { FoundLevel } from './found-level.ts';
import { putOnScale } from './local-levels.ts';
import type { NoiseFilterParameters } from './noise-filter.ts';
import { describeLevels } from './surface-files.ts';

export interface SurfaceParameters {
  /** standard deviation of a Gaussian filter in voxels, or automatic from the noise */
  smoothing: 'auto' | number;
  region?: BoxMm | undefined;
}
/** Settings determined before and fixed, so that several surfaces of a volume fit together. */
export interface FixedSurface {
  level: SurfaceLevel;
  /** the lowest level of all surfaces: they share the same first voxel */
  lowestIsoValue: number;
  smoothing: Smoothing;
}
export interface VolumeSurface {
  /** the data that was read: the volume, or the volume on the scale of its local levels */
  source: SlabSource;
  /** the level on that scale */
  sourceLevel: SurfaceLevel;
  /** the voxels that were read: everything in the region that the surface can reach */
  cells: CellBox;
  grey: GreyGrid;
  /** grid layout, the same in all windows */
  grid: GridLayout;
  /** in the volume's own grey values; with local levels the mean over the surface */
  level: SurfaceLevel;
  /** null when one level is used for the whole volume */
  local: LocalLevels | null;
  /** why, if local levels were requested */
  oneLevel: OneLevelReason | undefined;
  /** algorithms that determined the level */
  levelledBy: Algorithm[];
  /** doubts that users of the surface must know */
  doubts: SurfaceDoubt[];
  surface: ArenaSurface;
  smoothing: Smoothing;
}

/** Smoothing used and why, for the result's metadata. */
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

/** Levels of the surface, for the result's metadata. */
export const levelFacts = ({
  level,
  local,
  oneLevel,
}: Pick<VolumeSurface, 'level' | 'local' | 'oneLevel'>) => ({
  isoValue: level.isoValue,
  ...localFacts(local, oneLevel),
});

export const localFacts = (local: LocalLevels | null, oneLevel?: OneLevelReason) => ({
  ...(local ? { localLevels: describeLevels(local) } : {}),
  ...(oneLevel ? { oneLevel } : {}),
});

/** A known doubt about a surface. */
export interface SurfaceDoubt {
  code:
    | 'SEVERAL_MATERIALS'
    | 'SURFACE_LEVEL'
    | 'SCAN_CUT'
    | 'GAPS_COUNTED'
    | 'SURFACE_HOLLOWS'
    | 'VOIDS_FILLED';
  message: string;
  invalidates?: true;
}

/** Doubts about closing faces that are not part of the body; none when it is not cut. */
export function doubtCut(
  { sides, areaMm2 }: { sides: readonly string[]; areaMm2: number },
  { dimensions }: Grid,
  cells: CellBox,
): SurfaceDoubt[] {
  if (sides.length === 0) return [];
  const isOfScan = sides.some((side) => {
    const axis = 'xyz'.indexOf(side.charAt(0));
    return side.endsWith('-') ? cells.from[axis] === 0 : cells.to[axis] === dimensions[axis];
  });
  const message = `The part is cut at ${sides.join(', ')} by the ${isOfScan ? 'end of the scan' : 'region'}: the surface is closed there by ${formatNumber(areaMm2, 3)} mm² of faces that the part does not have, which count neither as area nor as walls. The volume is of what lies within.`;
  return [{ code: 'SCAN_CUT', message, ...(isOfScan ? { invalidates: true } : {}) }];
}

const doubtMaterials = (greys: readonly number[]): SurfaceDoubt => ({
  code: 'SEVERAL_MATERIALS',
  message: `The scan holds ${greys.length} materials (grey values ${greys.map((grey) => Math.round(grey)).join(', ')}): the surface is the outer one, midway between air and the lightest. Where a denser one is bare, it lies up to a voxel too far out.`,
});

/** Doubts about a level. */
export function listDoubts({ level, materialGrays }: FoundLevel): SurfaceDoubt[] {
  const doubts: SurfaceDoubt[] = [];
  if (materialGrays) doubts.push(doubtMaterials(materialGrays));
  if (level.toldBy === 'nothing') {
    doubts.push({
      code: 'SURFACE_LEVEL',
      message:
        'No place of the part is deep enough to show the grey value of its material, and its walls are too thin to tell it: the surface may lie a voxel and more too far out. Scan it with smaller voxels, or give the grey value of the surface.',
      invalidates: true,
    });
  }
  return doubts;
}

/** Adds the measures that depend on the surface. */
export const surfaceWarnings = <Path extends string>(doubts: readonly SurfaceDoubt[], ...measures: Path[]) =>
  doubts.map((doubt) => ({ ...doubt, measures }));

type FilterRequirements = Pick<SmoothingOptions, 'least' | 'alike'> & {
  /** share of the progress */
  share: number;
  /** place vertices by linear interpolation between voxels, without refinement */
  straight?: boolean;
  /** record how grey values rise across each vertex */
  rises?: boolean;
};

/** Contrast on the scale of the grid, which may differ from the level's. */
function measureContrast(grid: GridLayout, { air, isoValue, peaks }: SurfaceLevel) {
  const gain = (grid.iso - grid.air) / (isoValue - air);
  return { air: grid.air, height: gain * (peaks ? peaks.material - peaks.air : 2 * (isoValue - air)) };
}

/** Margin of voxels around the material that filters, edges and corrections may read. */
const marginCells = 24;

/**
 * Reads, smooths and extracts the surface. Progress runs from 0 to `share`.
 * @throws KernelError NO_SURFACE, EMPTY_REGION, TOO_LARGE
 */
export async function findVolumeSurface(
  stored: VolumeInput,
  arena: Arena,
  parameters: SurfaceParameters,
  context: AnalysisContext,
  found: FoundLevel | FixedSurface,
  { share, ...wanted }: FilterRequirements,
): Promise<VolumeSurface> {
  const { pool } = context;
  const region = cellsIn(stored.grid, parameters.region);
  const fixed = 'smoothing' in found ? found : null;
  const determined: FoundLevel = found;
  const levelled = determined.local ? putOnScale(stored, determined.local, pool) : null;
  const doubts = fixed ? [] : listDoubts(determined);
  const volume = levelled ?? stored;
  const { level } = levelled ?? found;
  const smoothing =
    fixed?.smoothing ??
    (await smoothingFor(volume, parameters.smoothing, { ...level, ...wanted, cells: region }));
  const lowest = fixed?.lowestIsoValue ?? level.isoValue;
  // NaN counts as air.
  const cells = level.air > lowest ? region : cellsAbove(region, volume.outline, lowest, marginCells);
  const options = {
    cells,
    isoValue: level.isoValue,
    range: volume.range,
    air: level.air,
    peaks: level.peaks,
    smoothing: smoothing.filter,
    straight: wanted.straight,
    progress: (fraction: number) => context.progress(fraction * share * 0.6, 'Reading the scan'),
  };
  const grey = await openGrid(volume, arena, options);
  const surface = await extractSurface(grey, arena, {
    contrast: wanted.rises ? measureContrast(grey.layout, level) : undefined,
    ...(wanted.straight ? {} : { edgesAfter: edgeWeights(smoothing.filter) }),
    progress: (fraction) => context.progress(share * (0.6 + 0.4 * fraction), 'Surface'),
  });
  const levelledBy = levelAlgorithms(determined);
  const place = { cells, grey, grid: grey.layout, surface };
  const { oneLevel } = determined;
  const common = { source: volume, sourceLevel: level, ...place, levelledBy, doubts, oneLevel };
  if (!levelled) return { ...common, level, local: null, smoothing };
  const { noiseShare } = smoothing;
  const { local, greyLevel } = levelled;
  const noise = noiseShare === null ? null : noiseShare * (local.material - local.air);
  return { ...common, level: greyLevel, local, smoothing: { ...smoothing, noise } };
}
