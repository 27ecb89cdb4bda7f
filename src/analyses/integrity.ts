import { integrity } from '#contract/analyses/integrity.ts';
import { binWidth, greyPeaks, otsuLevel } from '#kernels/grid/histogram.ts';
import { cellsAbove } from '#kernels/grid/outline.ts';
import { cellsIn } from '#kernels/grid/region.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { type Defect, detectionLimitCells } from '#kernels/integrity/describe-defect.ts';
import { type DefectGroup, findDefects } from '#kernels/integrity/find-defects.ts';
import { inclusionLevel } from '#kernels/integrity/inclusion-level.ts';
import type { GreyLevels } from '#kernels/integrity/measure-defects.ts';
import { type SurfaceLevel, surfaceLevel } from '#kernels/surface/surface-level.ts';
import { versionsOf } from './algorithms.ts';
import { implementAnalysis, type VolumeInput } from './analysis.ts';
import { defectsFile, defectsGlb, type NumberedDefect } from './defect-files.ts';
import { onLocalLevels } from './local-levels.ts';
import { outermostLevel } from './material-levels.ts';
import { jsonFile } from './number-files.ts';
import { surfaceWarnings } from './volume-surface.ts';

/** Defects beyond this many are in the files only. */
const listedDefects = 200;
const distributionBins = 20;
/** Radius, in voxels, of the ball that tells open voids from the outside. */
const defaultBallCells = 5;
/** Triangles of the defects' surfaces that are written at most; the largest defects come first. */
const maxTriangles = 400_000;
/** Air around the material that is looked at: what is deep in it is measured too. */
const marginCells = 24;

/** Pores, inclusions and cracks of a volume: a table of them, and what share of the part they are. */
export const integrityAnalysis = implementAnalysis(integrity, async (parameters, inputs, context) => {
  const { pool, signal } = context;
  const stored = await context.volume(inputs.sourceDataObjectId);
  const cells = cellsIn(stored.grid, parameters.region);
  context.progress(0, 'Threshold');
  const { threshold } = parameters;
  const whole = greyLevels(stored, threshold);
  const isChosen = threshold.mode === 'otsu' || threshold.mode === 'value';
  const outermost = isChosen
    ? null
    : await outermostLevel(stored, { ...whole, isoValue: whole.level, peaks: peaksOf(whole) }, context);
  const levelled = threshold.mode === 'local' && !outermost ? await onLocalLevels(stored, context) : null;
  const volume = levelled ? { ...levelled, ...(await summarizeVolume(levelled, pool, { signal })) } : stored;
  const level = outermost?.level ?? levelled?.level;
  const levels = level ? levelsBetween(level) : whole;
  const wanted = new Set(parameters.kinds);
  const { inclusionAbove } = parameters;
  const above =
    inclusionAbove === undefined ? undefined : (levelled?.toScale(inclusionAbove) ?? inclusionAbove);
  const denser = wanted.has('inclusion') ? denserMaterial(volume, levels, above) : null;
  const toGrey = (value: number) => levelled?.toGrey(value) ?? value;
  const toHeight = (height: number) => toGrey(levels.air + height) - toGrey(levels.air);
  const spacing = volume.grid.voxelSizeMm;
  const ballMm =
    parameters.widestOpeningMm === undefined
      ? defaultBallCells * Math.max(...spacing)
      : parameters.widestOpeningMm / 2;
  const result = await pool.withArena((arena) =>
    findDefects(volume, pool, arena, {
      cells: cellsAbove(cells, volume.outline, levels.level, marginCells),
      levels,
      minVoxels: parameters.minVoxels,
      openingRadiusMm: parameters.includeSurfaceConnected ? ballMm : null,
      cracks: wanted.has('crack') ? { noise: noiseOf(volume, levels), range: volume.range } : null,
      inclusionLevel: denser?.level ?? null,
      inclusionGrey: denser?.grey ?? null,
      maxTriangles,
      signal,
      onStage: (stage, fraction) => context.progress(0.95 * fraction, stage),
    }),
  );
  signal.throwIfAborted();
  context.progress(0.95, 'Writing');
  const isWanted = (defect: Defect) =>
    wanted.has(defect.kind) &&
    defect.equivalentDiameterMm >= (parameters.minDefectSizeMm ?? 0) &&
    defect.equivalentDiameterMm <= (parameters.maxDefectSizeMm ?? Number.POSITIVE_INFINITY);
  const groups = [result.voids, ...(result.inclusions ? [result.inclusions] : [])];
  const ordered = groups
    .flatMap((group) => group.defects.map((defect, owner) => ({ group, defect, owner })))
    .filter(({ defect }) => isWanted(defect))
    .sort((a, b) => b.defect.volumeMm3 - a.defect.volumeMm3);
  const numbered = new Map<DefectGroup, Map<number, NumberedDefect>>(
    groups.map((group) => [group, new Map()]),
  );
  const defects = ordered.map(({ group, defect, owner }, index) => {
    const withNumber = { id: index + 1, ...defect };
    numbered.get(group)?.set(owner, withNumber);
    return withNumber;
  });
  const figures = totals(defects, result.partVolumeMm3);
  const { grey } = result.voids.measures;
  const metadata = {
    ...figures,
    largestVolumeMm3: defects[0]?.volumeMm3 ?? 0,
    detectionLimitMm: detectionLimitCells * Math.max(...spacing),
    belowDetectionLimitCount: defects.filter((defect) => defect.belowDetectionLimit).length,
    surfaceConnectedCount: defects.filter((defect) => defect.surfaceConnected).length,
    sizeDistribution: sizeDistribution(defects),
    threshold: toGrey(levels.level),
    thresholdMode: parameters.threshold.mode,
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
    groups.map((group) => ({
      triangles: group.triangles,
      numberOf: (owner: number) => numbered.get(group)?.get(owner),
    })),
    volume.grid,
    cells,
  );
  return {
    dataObjects: [
      {
        kind: integrity.makes,
        name: 'Integrity',
        metadata,
        files: [jsonFile('defects.json', defects), defectsFile(defects), ...(glb ? [glb] : [])],
      },
    ],
    warnings: surfaceWarnings(
      { materialGrays: outermost?.materialGrays ?? null },
      'porosity',
      'materialVolumeMm3',
    ),
    algorithms: versionsOf(
      levelled ? 'localLevels' : 'histogramLevel',
      'voidComponents',
      'defectMeasures',
      ...(parameters.includeSurfaceConnected ? (['openVoids'] as const) : []),
      ...(wanted.has('crack') ? (['cracks'] as const) : []),
      ...(denser ? (['inclusions'] as const) : []),
    ),
  };
});

/** The level may be off by as much as is least said of one for the whole scan. */
const leastUncertainty = 0.02;

const peaksOf = ({ air, material, level }: GreyLevels) => ({ air, material, iso50: level });

function levelsBetween({ isoValue, air, peaks }: SurfaceLevel): GreyLevels {
  const material = peaks?.material ?? 2 * isoValue - air;
  return { air, material, level: isoValue, uncertainty: leastUncertainty * (material - air) };
}

/**
 * The threshold, the peaks on either side of it and how far it may be off: half of what ISO 50 and Otsu differ by, at
 * least two hundredths of the contrast.
 */
function greyLevels(
  volume: VolumeInput,
  choice: { mode: 'iso50' | 'otsu' | 'value' | 'local'; value?: number | undefined },
): GreyLevels {
  const { histogram, range } = volume;
  const { isoValue: level, peaks } = surfaceLevel(histogram, range, {
    mode: choice.mode === 'local' ? 'iso50' : choice.mode,
    ...(choice.value === undefined ? {} : { value: choice.value }),
  });
  let air = peaks?.air ?? range[0];
  let material = peaks?.material ?? range[1];
  if (!(air < level && level < material)) [air, material] = range;
  const otsu = otsuLevel(histogram);
  const iso50 = greyPeaks(histogram)?.iso50;
  const differ = otsu === null || iso50 === undefined ? 0 : Math.abs(otsu - iso50) / 2;
  return { air, material, level, uncertainty: Math.max(differ, leastUncertainty * (material - air)) };
}

/** Standard deviation of the grey values about the material's peak, from where the histogram has fallen to 0.607. */
function noiseOf({ histogram }: VolumeInput, { material, level }: GreyLevels): number {
  const width = binWidth(histogram);
  const first = Math.max(0, Math.floor((level - histogram.min) / width));
  const peak = Math.min(histogram.counts.length - 1, Math.floor((material - histogram.min) / width));
  const half = Math.max(0, Math.round((peak - first) / 100));
  const around = (bin: number) =>
    histogram.counts.slice(Math.max(0, bin - half), bin + half + 1).reduce((sum, count) => sum + count, 0);
  const wanted = around(peak) * Math.exp(-0.5);
  let bin = peak;
  while (bin > first && around(bin) > wanted) bin--;
  return (peak - bin) * width;
}

function denserMaterial(volume: VolumeInput, levels: GreyLevels, above: number | undefined) {
  const found = inclusionLevel(volume.histogram, levels);
  if (above === undefined) return found;
  // Without a peak of its own, the inclusion is taken to be as far above its threshold as the material is below.
  const grey = found && found.grey > above ? found.grey : 2 * above - levels.material;
  return { level: above, grey: Math.max(grey, above) };
}

function totals(defects: readonly NumberedDefect[], partVolumeMm3: number) {
  const voids = defects.filter(({ kind }) => kind !== 'inclusion');
  const sum = (value: (defect: NumberedDefect) => number) =>
    voids.reduce((total, defect) => total + value(defect), 0);
  const voidVolumeMm3 = sum((defect) => defect.volumeMm3);
  const share = (volumeMm3: number) => (partVolumeMm3 > 0 ? volumeMm3 / partVolumeMm3 : 0);
  return {
    materialVolumeMm3: partVolumeMm3 - voidVolumeMm3,
    voidVolumeMm3,
    porosity: share(voidVolumeMm3),
    porosityBand: [
      share(sum((defect) => defect.volumeBandMm3[0])),
      share(sum((defect) => defect.volumeBandMm3[1])),
    ] satisfies [number, number],
    defectCount: defects.length,
    inclusionVolumeMm3: defects
      .filter(({ kind }) => kind === 'inclusion')
      .reduce((total, { volumeMm3 }) => total + volumeMm3, 0),
  };
}

/** Numbers and volumes by equivalent diameter, in equal steps from 0; null without defects. */
function sizeDistribution(defects: readonly NumberedDefect[]) {
  if (defects.length === 0) return null;
  const largest = defects.reduce((most, defect) => Math.max(most, defect.equivalentDiameterMm), 0);
  const edgesMm = Array.from({ length: distributionBins + 1 }, (_, i) => (largest * i) / distributionBins);
  const bins = Array.from({ length: distributionBins }, () => ({ count: 0, volumeMm3: 0 }));
  for (const { equivalentDiameterMm, volumeMm3 } of defects) {
    const bin = bins[Math.floor((equivalentDiameterMm / largest) * distributionBins)] ?? bins.at(-1);
    if (!bin) continue;
    bin.count++;
    bin.volumeMm3 += volumeMm3;
  }
  return {
    edgesMm,
    counts: bins.map(({ count }) => count),
    volumesMm3: bins.map((bin) => bin.volumeMm3),
  };
}
