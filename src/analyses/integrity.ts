import { integrity } from '#contract/analyses/integrity.ts';
import { findInward } from '#contract/analyses/scan-findings.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { greyPeaks, otsuLevel } from '#kernels/grid/histogram.ts';
import { medianFiltered } from '#kernels/grid/median-filter.ts';
import { cellsAbove } from '#kernels/grid/outline.ts';
import { type CellBox, cellsIn } from '#kernels/grid/region.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import { planesPerRead } from '#kernels/integrity/bit-grid.ts';
import type { RegionSide } from '#kernels/integrity/cut-voids.ts';
import { type Defect, detectionLimit } from '#kernels/integrity/describe-defect.ts';
import { findFaintSpots, findSeenDiameter, type SpotSearch } from '#kernels/integrity/faint-spots.ts';
import { findDefects } from '#kernels/integrity/find-defects.ts';
import { inclusionLevel } from '#kernels/integrity/inclusion-level.ts';
import type { GreyLevels } from '#kernels/integrity/measure-defects.ts';
import type { DefectGroup } from '#kernels/integrity/measure-group.ts';
import { type PaleSearch, startPaleSearch, visitPlanes } from '#kernels/integrity/pale-regions.ts';
import type { SurfaceLevel } from '#kernels/surface/surface-level.ts';
import { listVersions } from './algorithms.ts';
import { type AnalysisContext, implementAnalysis, type VolumeInput } from './analysis.ts';
import { defectsFile, defectsGlb, type NumberedDefect } from './defect-files.ts';
import {
  addMaterial,
  isCounted,
  keepKnown,
  mayMissPores,
  sizeDistribution,
  totals,
  warnOfCut,
  warnOfCutAir,
  warnOfFilled,
  warnOfGaps,
  warnOfHollows,
} from './defect-totals.ts';
import { findDenser, findNoise, warnOfFaint } from './denser-material.ts';
import { determineSurface } from './determine-surface.ts';
import type { FoundLevel } from './found-level.ts';
import { putOnScale } from './local-levels.ts';
import { jsonRowsFile } from './number-files.ts';
import { warnOfPale } from './pale-voids.ts';
import { takeOffRings } from './ring-free.ts';
import {
  describeShells,
  describeSpots,
  describeVoidSearch,
  findByLevel,
  isBehindFilter,
  minUncertainty,
  usualBlur,
} from './scan-knowledge.ts';
import { volumeWithinSurface } from './volume-mesh.ts';
import { localFacts, type SurfaceDoubt, surfaceWarnings } from './volume-surface.ts';

/** Defects beyond this number are in the files only. */
const listedDefects = 200;
/** Radius, in voxels, of the rolling ball that separates open voids from the outside. */
const defaultBallCells = 5;
/** Largest number of triangles written for the surfaces of defects; the largest defects come first. */
const maxTriangles = 400_000;
/** Margin of air around the material, in voxels; voids reaching into it are measured too. */
const marginCells = 24;

/** Finds pores, inclusions and cracks of a volume: a table of them, and porosity. */
export const integrityAnalysis = implementAnalysis(integrity, async (parameters, inputs, context) => {
  const { pool, signal, judged: quality } = context;
  const stored = await context.volume(inputs.sourceDataObjectId);
  const cells = cellsIn(stored.grid, parameters.region);
  context.progress(0, 'Threshold');
  const wanted = new Set(parameters.kinds);
  const isFiltered = isBehindFilter(quality);
  const { threshold: surface, region, inclusionAbove: given } = parameters;
  const found = await determineSurface(inputs.sourceDataObjectId, stored, { surface }, context);
  // Rings would be detected as pores and would shift the pores they cross; the surface is that of the scan as it is.
  const ringFree = await takeOffRings(stored, found, context);
  const scan = ringFree ?? stored;
  // Voids are detected behind the filter; their volumes are measured on the unfiltered grey values.
  const quiet = found.quiet && isFiltered ? { ...medianFiltered(scan, pool), ...found.quiet } : scan;
  const part = await volumeWithinSurface(
    stored,
    { smoothing: 'auto', region },
    { ...context, progress: (fraction) => context.progress(fraction, 'Surface') },
    found,
    surfaceShare,
  );
  const { volume, levels, levelled } = await findScale(quiet, found, parameters, context);
  const above = given === undefined ? undefined : (levelled?.toScale(given) ?? given);
  const denser = wanted.has('inclusion') ? findDenser(volume, levels, above, quality) : null;
  const toGrey = (value: number) => levelled?.toGrey(value) ?? value;
  const toHeight = (height: number) => toGrey(levels.air + height) - toGrey(levels.air);
  const edgeMm = Math.max(...volume.grid.voxelSizeMm);
  const ballMm = (parameters.widestOpeningMm ?? 2 * defaultBallCells * edgeMm) / 2;
  const limitVoxels = isFiltered ? detectionLimit.filtered : detectionLimit.plain;
  const searched = cellsAbove(cells, volume.outline, levels.level, marginCells);
  // With a second material, pale regions belong to that.
  const paleSearch = found.materialGrays
    ? null
    : searchPale(volume, describePale(searched, levels, quality), pool);
  const result = await pool.withArena(async (arena) =>
    findDefects(volume, arena, {
      cells: searched,
      levels,
      minVoxels: parameters.minVoxels,
      limitVoxels,
      openingRadiusMm: parameters.includeSurfaceConnected ? ballMm : null,
      cracks: wanted.has('crack') ? { noise: findNoise(volume, levels), range: volume.range } : null,
      inclusionLevel: denser?.level ?? null,
      inclusionGrey: denser?.grey ?? null,
      isFaint: denser?.isFaint ?? false,
      shells: describeShells(scan, levels, levelled, context, part),
      maxTriangles,
      visitor: paleSearch?.visitor,
      onStage: (stage, fraction) => context.progress(surfaceShare + (0.95 - surfaceShare) * fraction, stage),
    }),
  );
  const pale = (await paleSearch?.find()) ?? null;
  signal.throwIfAborted();
  context.progress(0.95, 'Writing');
  const isWanted = (defect: Defect) =>
    wanted.has(defect.kind) &&
    defect.probability >= parameters.minProbability &&
    (defect.significance === null || defect.significance > parameters.minSignificance) &&
    defect.equivalentDiameterMm >= (parameters.minDefectSizeMm ?? 0) &&
    defect.equivalentDiameterMm <= (parameters.maxDefectSizeMm ?? Number.POSITIVE_INFINITY);
  const groups = [result.voids, ...(result.inclusions ? [result.inclusions] : [])];
  const { defects, numbered } = numberDefects(
    groups,
    (defect) => isWanted(defect) && isCounted(defect, parameters.borderDefects),
  );
  const { grey } = result.voids.measures;
  const noiseShare = grey.noise / Math.abs(grey.material - grey.air);
  const known = describeVoidSearch(context, result.voids, edgeMm, parameters.minDefectSizeMm ?? 0);
  const scanned = { volume, noiseShare, levels, cells: searched, minVoxels: parameters.minVoxels };
  const search = mayMissPores(defects, known) ? await searchSpots(known, scanned, context) : known;
  const measured = { ...part, byLevelMm3: findByLevel(part, quality, stored.grid) };
  const { uncertainties, isOpen, ...figures } = totals(defects, measured, search, denser);
  const hollowDoubts = warnOfHollows(result.hollows, figures.voidVolumeMm3, part.volumeMm3);
  const paleDoubts = warnOfPale(pale, volume.grid, {
    filled: result.voids.filled,
    voidsMm3: figures.voidVolumeMm3,
    materialMm3: part.volumeMm3,
  });
  const cutAirDoubts = warnOfCutAir(result, stored.grid, figures);
  const isSure =
    paleDoubts.length + cutAirDoubts.length === 0 && hasIntervals(quality, isFiltered, noiseShare);
  const metadata = {
    ...figures,
    uncertainties: addMaterial(part, isSure ? keepKnown(uncertainties, hollowDoubts, isOpen) : {}),
    detectionLimitMm: limitVoxels * edgeMm,
    cutSides: result.cutSides,
    borderDefects: parameters.borderDefects,
    sizeDistribution: sizeDistribution(defects),
    threshold: toGrey(levels.level),
    thresholdMode: surface.mode,
    ...localFacts(levelled?.local ?? null, found.oneLevel),
    thresholdUncertainty: toHeight(levels.uncertainty),
    airGrey: toGrey(grey.air),
    materialGrey: toGrey(grey.material),
    noise: toHeight(grey.noise),
    inclusionThreshold: denser && toGrey(denser.level),
    openingBallDiameterMm: parameters.includeSurfaceConnected ? 2 * ballMm : null,
    kinds: parameters.kinds,
    regionCells: cells,
    defects: defects.slice(0, listedDefects),
  };
  const glb = defectsGlb(
    groups.map((group) => ({ ...group, findNumber: (owner: number) => numbered.get(group)?.get(owner) })),
    volume.grid,
    searched,
    defects,
  );
  return {
    dataObjects: [
      {
        kind: integrity.makes,
        name: 'Integrity',
        metadata,
        files: [jsonRowsFile('defects.json', defects), defectsFile(defects), ...(glb ? [glb] : [])],
      },
    ],
    warnings: [
      ...warnOfSurface(part.doubts, result.cutSides, parameters.region !== undefined && defects.length === 0),
      ...warnOfCut(result.cutSides, isAtEnd(result.cutSides, cells, stored.grid), parameters.borderDefects),
      ...cutAirDoubts,
      ...warnOfGaps(defects),
      ...hollowDoubts,
      ...warnOfFilled(result.voids.filled, figures.voidVolumeMm3),
      ...paleDoubts,
      ...warnOfFaint(denser, toGrey, defects),
      ...(isFiltered ? warnOfGrain(quality, (grey.material - grey.air) / grey.noise) : []),
    ],
    algorithms: nameAlgorithms(part.algorithms, parameters, ringFree !== null, denser !== null),
  };
});

/** Algorithms used, for the provenance. */
const nameAlgorithms = (
  ofPart: Parameters<typeof listVersions>,
  { kinds, includeSurfaceConnected }: { kinds: readonly string[]; includeSurfaceConnected: boolean },
  isRingFree: boolean,
  hasDenser: boolean,
) =>
  listVersions(
    ...ofPart,
    'voidComponents',
    'defectMeasures',
    'paleRegions',
    'shellVolumes',
    ...(isRingFree ? (['ringsTakenOff'] as const) : []),
    'defectProbability',
    ...(includeSurfaceConnected ? (['openVoids'] as const) : []),
    ...(kinds.includes('crack') ? (['cracks'] as const) : []),
    ...(hasDenser ? (['inclusions'] as const) : []),
  );

/** Sorted by size; the number of each defect is its position, also within its group. */
function numberDefects(groups: readonly DefectGroup[], isListed: (defect: Defect) => boolean) {
  const ordered = groups
    .flatMap((group) => group.defects.map((defect, owner) => ({ group, defect, owner })))
    .filter(({ defect }) => isListed(defect))
    .sort((a, b) => b.defect.volumeMm3 - a.defect.volumeMm3);
  const numbered = new Map<DefectGroup, Map<number, NumberedDefect>>(
    groups.map((group) => [group, new Map()]),
  );
  const defects = ordered.map(({ group, defect, owner }, index) => {
    const withNumber = { id: index + 1, ...defect };
    numbered.get(group)?.set(owner, withNumber);
    return withNumber;
  });
  return { defects, numbered };
}

/** Deviation, in voxels, that a median filter over 3³ voxels adds to edges. */
const filterBlur = 0.8;
const describePale = (
  cells: CellBox,
  levels: GreyLevels,
  quality: AnalysisContext['judged'],
): PaleSearch => ({
  cells,
  levels,
  blur: Math.hypot(quality?.blurVoxels ?? usualBlur, isBehindFilter(quality) ? filterBlur : 0),
});

/** Searches while voids are measured, so that the scan is read once less; on its own where it needs larger reads. */
function searchPale(volume: VolumeInput, search: PaleSearch, pool: KernelPool) {
  const pale = startPaleSearch(volume, search);
  const visitor = pale.every <= 2 * planesPerRead(volume) ? pale : null;
  return {
    visitor,
    async find() {
      if (!visitor) await pool.withArena((arena) => visitPlanes(volume, search.cells, pale, arena));
      return pale.find();
    },
  };
}

/** What is known about voids that were not found, also from spots that may be small pores. */
async function searchSpots(
  known: ReturnType<typeof describeVoidSearch>,
  { volume, noiseShare, ...scanned }: { volume: VolumeInput; noiseShare: number } & Searched,
  { pool, judged }: AnalysisContext,
) {
  const spots = describeSpots({ judged }, noiseShare);
  const found =
    spots && (await pool.withArena((arena) => findFaintSpots(volume, arena, { ...scanned, ...spots })));
  if (!found) return known;
  const { voxelSizeMm } = volume.grid;
  const volumeMm3 = found.volume * voxelSizeMm.reduce((product, edge) => product * edge, 1);
  const fromMm = findSeenDiameter(spots.share, spots.deviation) * Math.max(...voxelSizeMm);
  return { ...known, tooSmall: { count: found.count, volumeMm3, fromMm } };
}

/** Where voids were searched. */
type Searched = Pick<SpotSearch, 'levels' | 'cells' | 'minVoxels'>;

/** Share of the progress until the part's volume is known. */
const surfaceShare = 0.3;

/** What cut faces do to volumes and defects is said apart, unless so few cells lie at the border that no side counts as cut. */
const withoutCutDoubt = (doubts: readonly SurfaceDoubt[], cutSides: readonly unknown[]) =>
  cutSides.length === 0 ? doubts : doubts.filter(({ code }) => code !== 'SCAN_CUT');

const allNumbers = integrity.measures.map(({ path }) => path);
const ofCut: readonly string[] = ['cutPorosity', 'cutCount', 'detectionLimitMm'];
/**
 * Voids that were found are measured against the material around them; at a level beside that of their material, or in
 * a region that may lie within a void, others may be missing.
 */
const warnOfSurface = (
  doubts: readonly SurfaceDoubt[],
  cutSides: readonly unknown[],
  mayLieInVoid: boolean,
) =>
  withoutCutDoubt(doubts, cutSides).flatMap((doubt) =>
    doubt.code === 'SEVERAL_MATERIALS' || mayLieInVoid
      ? surfaceWarnings([doubt], ...allNumbers.filter((path) => !ofCut.includes(path)))
      : surfaceWarnings([doubt], 'porosity', 'materialVolumeMm3'),
  );

/** Whether one of the sides of the cells is an end of the scan. */
const isAtEnd = (sides: readonly RegionSide[], { from, to }: CellBox, { dimensions }: Grid): boolean =>
  sides.some((side) => {
    const axis = 'xyz'.indexOf(side.charAt(0));
    return side.endsWith('-') ? from[axis] === 0 : to[axis] === dimensions[axis];
  });

/** The grey values that voids are found in, and where air and material lie in them. */
async function findScale(
  quiet: VolumeInput,
  { level, local }: FoundLevel,
  { threshold, kinds }: { threshold: { mode: string }; kinds: readonly string[] },
  { pool }: AnalysisContext,
) {
  const whole = greyLevels(quiet, level, threshold.mode);
  // Local levels would follow a denser material of which there is enough for a peak.
  const isDenser = kinds.includes('inclusion') && inclusionLevel(quiet.histogram, whole) !== null;
  const levelled = local && !isDenser ? putOnScale(quiet, local, pool) : null;
  if (!levelled) return { volume: quiet, levels: whole, levelled };
  // Only these need a histogram on the scale, for which all of the scan is read again.
  const needsHistogram = kinds.includes('crack') || kinds.includes('inclusion');
  const summary = needsHistogram ? await summarizeVolume(levelled, pool) : {};
  const volume = { ...levelled, histogram: quiet.histogram, ...summary };
  const { air, peaks, isoValue } = levelled.level;
  const uncertainty = minUncertainty * (peaks.material - air);
  return { volume, levels: { air, material: peaks.material, level: isoValue, uncertainty }, levelled };
}

/** Noise deep in the material, without the filter and behind it, as a share of the contrast, and rings, beyond which volumes are moved by more than is seen. */
const intervalsUpTo = { noise: 0.16, filteredNoise: 0.1, rings: 0.25, bands: 0.03, saturated: 0.02 };

/** Whether sound places tell how far volumes may be off: not where artefacts are strong, nor where grey values are missing. */
function hasIntervals(quality: AnalysisContext['judged'], isFiltered: boolean, noiseShare: number): boolean {
  if (noiseShare > intervalsUpTo[isFiltered ? 'filteredNoise' : 'noise']) return false;
  if (!quality) return true;
  if (findInward(quality) === null) return false;
  const { rings, bands, saturatedShare, lostSlices, isAirCut = false } = quality;
  return (
    !isAirCut &&
    (rings ?? 0) <= intervalsUpTo.rings &&
    (bands ?? 0) <= intervalsUpTo.bands &&
    saturatedShare <= intervalsUpTo.saturated &&
    (lostSlices ?? 0) === 0
  );
}

/** The filter leaves a quarter of white noise, and more than this share only of noise with a grain. */
const maxLeftShare = 0.33;

function warnOfGrain(quality: AnalysisContext['judged'], after: number) {
  if (!((quality?.contrastToNoise ?? 0) / after > maxLeftShare)) return [];
  const message =
    'The noise of the scan has a grain of more than a voxel: small pores can’t be told from it, and porosity comes out too low.';
  return [{ code: 'SCAN_NOISE' as const, message, measures: allNumbers, invalidates: true }];
}

/**
 * The threshold, the peaks on either side of it and how far it may be off: half of what ISO 50 and Otsu differ by, at
 * least two hundredths of the contrast.
 */
function greyLevels(
  { histogram, range }: VolumeInput,
  { isoValue, peaks, air: lowest }: SurfaceLevel,
  mode: string,
): GreyLevels {
  let air = peaks?.air ?? lowest;
  let material = peaks?.material ?? range[1];
  if (!(air < isoValue && isoValue < material)) [air, material] = range;
  const otsu = otsuLevel(histogram);
  const iso50 = mode === 'iso50' ? isoValue : greyPeaks(histogram)?.iso50;
  const differ = otsu === null || iso50 === undefined ? 0 : Math.abs(otsu - iso50) / 2;
  const uncertainty = Math.max(differ, minUncertainty * (material - air));
  return { air, material, level: isoValue, uncertainty };
}
