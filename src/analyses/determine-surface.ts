/** Where the surface of a volume lies: found by one rule for every analysis, and once for all of them. */
import { isUneven } from '#contract/analyses/grey-rules.ts';
import { isShallow } from '#contract/analyses/part-rules.ts';
import { checkLevel } from '#contract/analyses/scan-findings.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { OneLevelReason } from '#contract/metadata/surface.ts';
import { binWidth } from '#kernels/grid/histogram.ts';
import { medianFiltered } from '#kernels/grid/median-filter.ts';
import { cellsAbove } from '#kernels/grid/outline.ts';
import { type CellBox, wholeGrid } from '#kernels/grid/region.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { fitLevels, type LocalLevels } from '#kernels/levels/fit-levels.ts';
import { levelOfPlaces } from '#kernels/surface/level-places.ts';
import { type SurfaceChoice, type SurfaceLevel, surfaceLevel } from '#kernels/surface/surface-level.ts';
import { findBrightening } from '#kernels/surface/surface-uncertainty.ts';
import { type Algorithm, listVersions } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import type { DeterminedSurface, FoundLevel, SurfaceSettings } from './found-level.ts';
import { outermostLevel } from './material-levels.ts';
import { isNoisy } from './noise-filter.ts';
import { readSurface, writeSurface } from './surface-files.ts';

/** Cells of air around a small part that its level is read among; it is small in less than this share of the scan. */
const [placesMargin, smallShare] = [8, 0.125];
/** Peaks closer than this many bins are counted anew over the bulk of the values: a few outliers stretched the range. */
const fewBins = 40;
/** Several materials differ by more than this share of their mean height above air. */
const oneMaterial = 0.15;

/** What a level was told with. */
export const levelAlgorithms = ({ local, quiet }: FoundLevel): Algorithm[] => [
  ...(quiet ? (['medianFilter'] as const) : []),
  local ? 'localLevels' : 'surfaceLevel',
];

/**
 * The level or levels of a volume, whichever region of it is asked for: a region's own grey values are those of a part of it.
 * Taken from what an earlier analysis has stored where it rests on the same.
 * @param volume behind the noise filter that the settings name
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

/** Everything but the volume that a surface rests on: with any of it different it may be another one. */
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
  const summary = await summarizeVolume(filtered, context.pool, { signal: context.signal });
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
  const { signal, judged } = context;
  const isLocal = chosen.mode === 'local';
  const choice: SurfaceChoice = isLocal ? { mode: 'iso50' } : chosen;
  const ofHistogram = await histogramLevel(volume, choice, context);
  if (choice.mode !== 'iso50') return { level: ofHistogram };
  const whole = betweenJudged(ofHistogram, judged);
  const { local, reason } = isLocal ? await findLocal(volume, whole, context) : {};
  // Material that stands as high above air everywhere is one, however much both rise across the scan.
  if (local && judged?.materials.length === 1 && local.contrastSpread < oneMaterial)
    return { level: whole, local };
  const outermost = await outermostLevel(volume, whole, context);
  if (outermost) return { ...outermost, ...(isLocal ? { oneLevel: 'materials' } : {}) };
  if (local) return { level: whole, local };
  const cells = chooseCells(volume, whole.isoValue);
  const isOne = judged?.materials.length === 1;
  const isFew = judged !== null && isShallow(judged);
  const level = await levelOfPlaces(volume, whole, { cells, mode: 'iso50', isOne, isShallow: isFew, signal });
  return { level: isFew ? doubtOne(level, volume, judged) : level, ...(reason ? { oneLevel: reason } : {}) };
}

/** The brightest tenth of one material lies no farther above it than this share of its height; cupping of 60 % reaches 0.3. */
const mostBrighter = 0.5;

/** A level that few places told is not known where a denser material is there as well, of which too little fills a block. */
function doubtOne(
  level: SurfaceLevel,
  { histogram }: VolumeInput,
  { contrastToNoise, specks }: ScanQuality,
): SurfaceLevel {
  const { peaks, contrastWithin = 0 } = level;
  if (!peaks) return level;
  const noise = contrastToNoise ? (peaks.material - peaks.air) / contrastToNoise : 0;
  const brighter = findBrightening(histogram, peaks, noise, specks?.share);
  return brighter > mostBrighter
    ? { ...level, contrastWithin: Math.max(contrastWithin, brighter / 2) }
    : level;
}

/** Where levels are read: of a small part in a wide field, places spread over all of the field would hardly meet it. */
function chooseCells({ grid, outline }: VolumeInput, isoValue: number): CellBox {
  const all = wholeGrid(grid);
  const around = cellsAbove(all, outline, isoValue, placesMargin);
  return countCells(around) < smallShare * countCells(all) ? around : all;
}

const countCells = ({ from, to }: CellBox) => to.reduce((count, end, k) => count * (end - (from[k] ?? 0)), 1);

/** Levels around each place, or why there are none. */
async function findLocal(
  volume: VolumeInput,
  whole: SurfaceLevel,
  { pool, signal, judged }: AnalysisContext,
): Promise<{ local: LocalLevels; reason?: never } | { local?: never; reason: OneLevelReason }> {
  if (!judged) return { reason: 'unjudged' };
  if (!isUneven(judged)) return { reason: 'even' };
  const local = await fitLevels(volume, pool, { range: volume.range, signal });
  if (!local) return { reason: 'notTold' };
  // Of two materials local levels may have taken the lighter for air.
  const isLighterAir = judged.materials.length > 1 && local.air >= (whole.air + whole.isoValue) / 2;
  return isLighterAir ? { reason: 'materials' } : { local };
}

/**
 * A part of a thousandth of the cells leaves no hill in the histogram, and what noise leaves there is taken for one. Places
 * tell its grey value all the same: the judge has looked for them.
 */
function betweenJudged(level: SurfaceLevel, judged: AnalysisContext['judged']): SurfaceLevel {
  const [only, second] = judged?.materials ?? [];
  if (!judged?.hasContrast || !only || second) return level;
  // Pores alone leave a hill of their edges.
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
  const { histogram, range } = await summarizeVolume(volume, context.pool, { signal: context.signal });
  return surfaceLevel(histogram, range, choice);
}
