/** From a stored volume to its surface in the arena: shared by every analysis that starts with one. */
import { checkLevel } from '#contract/analyses/scan-findings.ts';
import { formatNumber } from '#contract/base/format-number.ts';
import type { Arena } from '#kernels/arena.ts';
import { binWidth } from '#kernels/grid/histogram.ts';
import { cellsAbove } from '#kernels/grid/outline.ts';
import { type BoxMm, type CellBox, cellsIn, wholeGrid } from '#kernels/grid/region.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import type { Grid, SlabSource } from '#kernels/grid/volume.ts';
import { fitLevels, type LocalLevels } from '#kernels/levels/fit-levels.ts';
import type { CutFaces } from '#kernels/surface/cut-faces.ts';
import { type ArenaSurface, extractSurface } from '#kernels/surface/extract.ts';
import type { GreyGrid, GridLayout } from '#kernels/surface/grid-layout.ts';
import { levelOfPlaces } from '#kernels/surface/level-places.ts';
import { openGrid } from '#kernels/surface/load-grid.ts';
import { edgeWeights } from '#kernels/surface/refine-surface.ts';
import { type Smoothing, type SmoothingOptions, smoothingFor } from '#kernels/surface/smoothing.ts';
import { type SurfaceChoice, type SurfaceLevel, surfaceLevel } from '#kernels/surface/surface-level.ts';
import type { Algorithm } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import { putOnScale } from './local-levels.ts';
import { outermostLevel } from './material-levels.ts';
import { isNoisy, type NoiseFilterParameters, quietVolume } from './noise-filter.ts';

export interface SurfaceParameters {
  /** auto is resolved before an analysis runs: without a judge of the scan it is ISO 50 */
  surface: SurfaceChoice | { mode: 'local' } | { mode: 'auto' };
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
  /** what was read: the volume, or it on the scale of its local levels */
  source: SlabSource;
  /** the level on that scale */
  sourceLevel: SurfaceLevel;
  /** what was read: of the region, all that the surface can be in */
  cells: CellBox;
  grey: GreyGrid;
  /** what holds of the grid in all of its windows */
  grid: GridLayout;
  /** in the volume's own grey values, of local levels as a mean over the surface */
  level: SurfaceLevel;
  /** null where one level was taken for the whole volume */
  local: LocalLevels | null;
  /** what its level was told with */
  levelledBy: Algorithm[];
  /** what whoever relies on the surface has to know */
  doubts: SurfaceDoubt[];
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
  ...localFacts(local),
});

export const localFacts = (local: LocalLevels | null) =>
  local
    ? {
        localLevels: {
          airGray: local.air,
          materialGray: local.material,
          localShare: local.localShare,
          contrastSpread: local.contrastSpread,
          airSpread: local.airSpread,
        },
      }
    : {};

/** How the surface was found, whatever was asked for. */
export const nameSurfaceMode = ({ surface: { mode } }: Pick<SurfaceParameters, 'surface'>) =>
  mode === 'auto' ? 'iso50' : mode;

/** What a level was told with. */
const levelAlgorithms = ({ local }: FoundLevel, context: AnalysisContext): Algorithm[] => [
  ...(isNoisy(context) ? (['medianFilter'] as const) : []),
  local ? 'localLevels' : 'surfaceLevel',
];

/** Cells of air around a small part that its level is read among. */
const placesMargin = 8;

/** Peaks closer than this many bins are counted anew over the bulk of the values: a few outliers stretched the range. */
const fewBins = 40;

/** Where the surface of a volume lies, in its own grey values. */
export interface FoundLevel {
  /** for all of it: below its lightest material, where that was to be cut off */
  level: SurfaceLevel;
  /** around each place, which goes before it */
  local?: LocalLevels;
  /** several materials, of which the surface is the outer one */
  materialGrays?: number[];
}

/** Several materials differ by more than this share of their mean height above air. */
const oneMaterial = 0.15;

/**
 * The level or levels of a volume as quietVolume gives it, whichever region of it is asked for: one rule for every analysis.
 * @throws KernelError NO_SURFACE
 */
export async function findLevel(
  volume: VolumeInput,
  chosen: SurfaceParameters['surface'],
  context: AnalysisContext,
): Promise<FoundLevel> {
  const { pool, signal, judged } = context;
  const isLocal = chosen.mode === 'local';
  const choice: SurfaceChoice = isLocal || chosen.mode === 'auto' ? { mode: 'iso50' } : chosen;
  const ofHistogram = await histogramLevel(volume, choice, context);
  if (choice.mode !== 'iso50') return { level: ofHistogram };
  const whole = betweenJudged(ofHistogram, judged);
  const fitted = isLocal ? await fitLevels(volume, pool, { range: volume.range, signal }) : null;
  const materials = judged?.materials.length ?? null;
  // Of two materials local levels may have taken the lighter for air.
  const isLighterAir =
    fitted !== null && materials !== null && materials > 1 && fitted.air >= (whole.air + whole.isoValue) / 2;
  const local = isLighterAir ? null : fitted;
  // Material that stands as high above air everywhere is one, however much both rise across the scan.
  if (local && materials === 1 && local.contrastSpread < oneMaterial) return { level: whole, local };
  const outermost = await outermostLevel(volume, whole, context);
  if (outermost) return outermost;
  if (local) return { level: whole, local };
  const grid = wholeGrid(volume.grid);
  const cells = whole === ofHistogram ? grid : cellsAbove(grid, volume.outline, whole.isoValue, placesMargin);
  return { level: await levelOfPlaces(volume, whole, { cells, mode: 'iso50', signal }) };
}

/**
 * A part of a thousandth of the cells leaves no hill in the histogram, and what noise leaves there is taken for one. Places
 * tell its grey value all the same: the judge has looked for them.
 */
function betweenJudged(level: SurfaceLevel, judged: AnalysisContext['judged']): SurfaceLevel {
  const [only, second] = judged?.materials ?? [];
  if (!judged?.hasContrast || !only || second || !checkLevel(judged, level.isoValue)) return level;
  const air = judged.airGrey;
  const iso50 = (air + only.grey) / 2;
  return { isoValue: iso50, air, peaks: { air, material: only.grey, iso50 } };
}

/** What is known against a surface. */
export interface SurfaceDoubt {
  code: 'SEVERAL_MATERIALS' | 'SURFACE_LEVEL' | 'SCAN_CUT' | 'GAPS_COUNTED';
  message: string;
  invalidates?: true;
}

/** What is said of faces that no part has: none where it is not cut. */
export function doubtCut({ sides, areaMm2 }: CutFaces, { dimensions }: Grid, cells: CellBox): SurfaceDoubt[] {
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

/** What is known against a level. */
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

/** With the measures that rest on the surface. */
export const surfaceWarnings = <Path extends string>(doubts: readonly SurfaceDoubt[], ...measures: Path[]) =>
  doubts.map((doubt) => ({ ...doubt, measures }));

async function histogramLevel(volume: VolumeInput, choice: SurfaceChoice, context: AnalysisContext) {
  const level = surfaceLevel(volume.histogram, volume.range, choice);
  const { peaks } = level;
  const distance = peaks ? (peaks.material - peaks.air) / binWidth(volume.histogram) : 0;
  if (choice.mode === 'value' || distance >= fewBins) return level;
  const { histogram, range } = await summarizeVolume(volume, context.pool, { signal: context.signal });
  return surfaceLevel(histogram, range, choice);
}

type Wanted = Pick<SmoothingOptions, 'least' | 'alike'> & {
  /** where it was determined before */
  level?: FoundLevel;
  /** vertices by straight lines between cells, and not placed anew */
  straight?: boolean;
  /** how the grey values rise across each vertex is looked at */
  rises?: boolean;
};

/** Of the grid that was read, whose scale may be another one than the level's. */
function contrastOf(grid: GridLayout, { air, isoValue, peaks }: SurfaceLevel) {
  const gain = (grid.iso - grid.air) / (isoValue - air);
  return { air: grid.air, height: gain * (peaks ? peaks.material - peaks.air : 2 * (isoValue - air)) };
}

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
  // A region is measured at the level of the whole scan: its own grey values are those of a part of it.
  const found: FoundLevel =
    fixed ??
    wanted.level ??
    (await findLevel(await quietVolume(stored, context), parameters.surface, context));
  const levelled = found.local ? putOnScale(stored, found.local, pool) : null;
  const doubts = fixed ? [] : listDoubts(found);
  const volume = levelled ?? stored;
  const { level } = levelled ?? found;
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
    contrast: wanted.rises ? contrastOf(grey.layout, level) : undefined,
    ...(wanted.straight ? {} : { edgesAfter: edgeWeights(smoothing.filter) }),
    progress: (fraction) => context.progress(share * (0.6 + 0.4 * fraction), 'Surface'),
  });
  const levelledBy = levelAlgorithms(found, context);
  const place = { cells, grey, grid: grey.layout, surface };
  const common = { source: volume, sourceLevel: level, ...place, levelledBy, doubts };
  if (!levelled) return { ...common, level, local: null, smoothing };
  const { noiseShare } = smoothing;
  const { local, greyLevel } = levelled;
  const noise = noiseShare === null ? null : noiseShare * (local.material - local.air);
  return { ...common, level: greyLevel, local, smoothing: { ...smoothing, noise } };
}
