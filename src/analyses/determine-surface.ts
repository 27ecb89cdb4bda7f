/** Determines the surface of a volume: one rule for all analyses, computed once and shared by them. */
import { isUneven } from '#contract/analyses/grey-rules.ts';
import { isShallow } from '#contract/analyses/part-rules.ts';
import { checkLevel } from '#contract/analyses/scan-findings.ts';
import type { OneLevelReason } from '#contract/metadata/surface.ts';
import { binWidth } from '#kernels/grid/histogram.ts';
import { medianFiltered } from '#kernels/grid/median-filter.ts';
import { cellsAbove } from '#kernels/grid/outline.ts';
import { type CellBox, wholeGrid } from '#kernels/grid/region.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { fitLevels, type LocalLevels } from '#kernels/levels/fit-levels.ts';
import { findLevelOfPlaces } from '#kernels/surface/level-places.ts';
import { type SurfaceChoice, type SurfaceLevel, surfaceLevel } from '#kernels/surface/surface-level.ts';
import { findBrightening } from '#kernels/surface/surface-uncertainty.ts';
import { type Algorithm, listVersions } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import type { DeterminedSurface, FoundLevel, SurfaceSettings } from './found-level.ts';
import { outermostLevel } from './material-levels.ts';
import { isNoisy } from './noise-filter.ts';
import { readSurface, writeSurface } from './surface-files.ts';

/**
 * Margin of air, in voxels, around a small part within which its level is read. A part is small if it fills less than
 * this share of the scan.
 */
const [placesMargin, smallShare] = [8, 0.125];
/**
 * If the peaks are closer than this many bins, the histogram is recounted over the bulk of the values, as outliers have
 * stretched its range.
 */
const fewBins = 40;
/** Materials differ by more than this share of their mean height above air. */
const oneMaterial = 0.15;

/** Algorithms that determined a level. */
export const levelAlgorithms = ({ local, quiet }: FoundLevel): Algorithm[] => [
  ...(quiet ? (['medianFilter'] as const) : []),
  local ? 'localLevels' : 'surfaceLevel',
];

/**
 * Determines the level or levels of a volume, always from the whole volume, as a region alone has only part of the grey
 * values. Reuses what an earlier analysis stored for the same basis.
 * @param volume behind the noise filter named in the settings
 * @throws KernelError NO_SURFACE
 */
export async function determineSurface(
  volumeId: string,
  volume: VolumeInput,
  settings: SurfaceSettings,
  context: AnalysisContext,
): Promise<DeterminedSurface> {
  context.progress(0, 'Surface determination');
  const stored = await context.surface(volumeId, describeBasis(settings, context), async () => {
    const found = await findLevel(volume, settings.surface, context);
    return writeSurface(found, settings, volume.grid, {
      judged: context.judged,
      algorithms: listVersions(...levelAlgorithms(found)),
    });
  });
  const { metadata, keepPart } = stored;
  return { ...readSurface(stored), part: metadata.part, keepPart };
}

/** Everything that a surface depends on besides the volume itself; a difference in any of it may give another surface. */
function describeBasis({ surface, noiseFilter = 'none' }: SurfaceSettings, { judged }: AnalysisContext) {
  return {
    mode: surface.mode,
    value: surface.mode === 'value' ? surface.value : null,
    noiseFilter,
    judged: judged && {
      hasContrast: judged.hasContrast,
      contrastToNoise: judged.contrastToNoise,
      airGrey: judged.airGrey,
      materials: judged.materials.map(({ grey, share }) => [grey, share]),
      isUneven: isUneven(judged),
      isShallow: isShallow(judged),
      blurVoxels: judged.blurVoxels,
      ...(judged.isFilled ? { isFilled: true } : {}),
    },
    algorithms: listVersions('surfaceLevel', 'localLevels', 'medianFilter', 'materials'),
  };
}

async function findLevel(
  stored: VolumeInput,
  chosen: SurfaceSettings['surface'],
  context: AnalysisContext,
): Promise<FoundLevel> {
  if (!isNoisy(context)) return findQuietLevel(stored, chosen, context);
  const filtered = medianFiltered(stored, context.pool);
  const summary = await summarizeVolume(filtered, context.pool);
  const { histogram, range } = summary;
  return {
    ...(await findQuietLevel({ ...filtered, ...summary }, chosen, context)),
    quiet: { histogram, range },
  };
}

async function findQuietLevel(
  volume: VolumeInput,
  chosen: SurfaceSettings['surface'],
  context: AnalysisContext,
): Promise<FoundLevel> {
  const { judged } = context;
  const isLocal = chosen.mode === 'local';
  const choice: SurfaceChoice = isLocal ? { mode: 'iso50' } : chosen;
  const ofHistogram = await histogramLevel(volume, choice, context);
  if (choice.mode !== 'iso50') return { level: ofHistogram };
  const whole = betweenJudged(ofHistogram, judged);
  const { local, reason } = isLocal ? await findLocal(volume, whole, context) : {};
  // Material whose contrast to air is the same everywhere is one material, however much both levels rise across the
  // scan.
  if (local && judged?.materials.length === 1 && local.contrastSpread < oneMaterial)
    return { level: whole, local };
  const outermost = await outermostLevel(volume, whole);
  if (outermost) return { ...outermost, ...(isLocal ? { oneLevel: 'materials' } : {}) };
  if (local) return { level: whole, local };
  const cells = chooseCells(volume, whole.isoValue);
  const isOne = judged?.materials.length === 1;
  const isFew = judged !== null && isShallow(judged);
  const level = await findLevelOfPlaces(volume, whole, {
    cells,
    mode: 'iso50',
    isOne,
    isShallow: isFew,
    blurVoxels: judged?.blurVoxels ?? null,
  });
  return { level: doubtOne(level, volume, context), ...(reason ? { oneLevel: reason } : {}) };
}

/** Share of the noise that the median filter leaves. */
const medianGain = 0.25;

/**
 * Widens the uncertainty of a level that few places determined by how much brighter other places are: either those few
 * lie in blur or in gaps, or there is a denser material too, of which no block is full.
 */
function doubtOne(level: SurfaceLevel, { histogram }: VolumeInput, context: AnalysisContext): SurfaceLevel {
  const { peaks, contrastWithin } = level;
  const { contrastToNoise = null, noiseGrain = null, specks } = context.judged ?? {};
  if (!peaks || contrastWithin === undefined) return level;
  const noise = contrastToNoise ? (peaks.material - peaks.air) / contrastToNoise : 0;
  const left = isNoisy(context) ? medianGain * Math.max(1, noiseGrain ?? 1) * noise : noise;
  const brighter = findBrightening(histogram, peaks, Math.min(noise, left), specks?.share);
  return { ...level, contrastWithin: Math.hypot(contrastWithin, brighter) };
}

/**
 * Where levels are read: around a small part in a wide field, because places spread over the whole field would hardly
 * hit it.
 */
function chooseCells({ grid, outline }: VolumeInput, isoValue: number): CellBox {
  const all = wholeGrid(grid);
  const around = cellsAbove(all, outline, isoValue, placesMargin);
  return countCells(around) < smallShare * countCells(all) ? around : all;
}

const countCells = ({ from, to }: CellBox) => to.reduce((count, end, k) => count * (end - (from[k] ?? 0)), 1);

/** Local levels, or the reason why there are none. */
async function findLocal(
  volume: VolumeInput,
  whole: SurfaceLevel,
  { pool, judged }: AnalysisContext,
): Promise<{ local: LocalLevels; reason?: never } | { local?: never; reason: OneLevelReason }> {
  if (!judged) return { reason: 'unjudged' };
  if (!isUneven(judged)) return { reason: 'even' };
  const local = await fitLevels(volume, pool, { range: volume.range });
  if (!local) return { reason: 'notTold' };
  // With two materials, local levels may have taken the lighter one for air.
  const isLighterAir = judged.materials.length > 1 && local.air >= (whole.air + whole.isoValue) / 2;
  return isLighterAir ? { reason: 'materials' } : { local };
}

/**
 * A part that fills a thousandth of the voxels has no peak in the histogram, and a noise peak is mistaken for it. The
 * scan judge has found its grey value from places inside it.
 */
function betweenJudged(level: SurfaceLevel, judged: AnalysisContext['judged']): SurfaceLevel {
  const [only, second] = judged?.materials ?? [];
  if (!judged?.hasContrast || !only || second) return level;
  // Pores alone make a peak of edge voxels.
  if (!judged.isFilled && !checkLevel(judged, level.isoValue)) return level;
  const air = judged.airGrey;
  const iso50 = (air + only.grey) / 2;
  return { isoValue: iso50, air, peaks: { air, material: only.grey, iso50 } };
}

async function histogramLevel(volume: VolumeInput, choice: SurfaceChoice, context: AnalysisContext) {
  const level = surfaceLevel(volume.histogram, volume.range, choice);
  const { peaks } = level;
  const distance = peaks ? (peaks.material - peaks.air) / binWidth(volume.histogram) : 0;
  if (choice.mode === 'value' || distance >= fewBins) return level;
  const { histogram, range } = await summarizeVolume(volume, context.pool);
  return surfaceLevel(histogram, range, choice);
}
