/** Grey value above which material counts as an inclusion, and the warning when it is not known or too low. */
import { formatNumber } from '#contract/base/format-number.ts';
import { binWidth } from '#kernels/grid/histogram.ts';
import { inclusionLevel } from '#kernels/integrity/inclusion-level.ts';
import type { GreyLevels } from '#kernels/integrity/measure-defects.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';

/**
 * Inclusions without a histogram peak must stand out from the material by this share of the contrast and by this many
 * deviations of noise, rings and unevenness, so that three voxels together never reach it by chance.
 */
const faintest = { contrast: 0.1, noise: 4, rings: 1.5, unevenness: 1 };

/** If a given threshold has more of the part above it and is within reach of the material, that is the material. */
const mostByThreshold = 0.01;

export function findDenser(
  volume: VolumeInput,
  levels: GreyLevels,
  above: number | undefined,
  quality: AnalysisContext['judged'],
) {
  const found = inclusionLevel(volume.histogram, levels);
  const contrast = levels.material - levels.air;
  const scatter = Math.max(
    faintest.noise * findNoise(volume, levels),
    faintest.rings * (quality?.rings ?? 0) * contrast,
    faintest.unevenness * (quality?.unevenness ?? 0) * contrast,
  );
  const height = Math.max(faintest.contrast * contrast, scatter);
  if (above !== undefined) {
    const isOwn =
      above < levels.material + scatter &&
      findShareAbove(volume.histogram, above, levels.level) > mostByThreshold;
    // Without a peak of its own, the inclusion is assumed to be as far above its threshold as the material is below it.
    const grey = found && found.grey > above ? found.grey : 2 * above - levels.material;
    const right = found && found.level > above ? found.level : levels.material + height;
    return { level: above, grey: Math.max(grey, above), isFaint: false, right: isOwn ? right : null };
  }
  if (found) return { ...found, isFaint: false, right: null };
  return {
    ...{ level: levels.material + height, grey: levels.material + 2 * height },
    ...{ isFaint: true, right: null },
  };
}

/** Share of the values above the lower level that lie above the higher one. */
function findShareAbove(histogram: VolumeInput['histogram'], higher: number, lower: number): number {
  const width = binWidth(histogram);
  const countAbove = (level: number) =>
    histogram.counts
      .slice(Math.max(0, Math.ceil((level - histogram.min) / width)))
      .reduce((sum, count) => sum + count, 0);
  return countAbove(higher) / Math.max(1, countAbove(lower));
}

/** Warning for inclusions of unknown grey value, and for a threshold that the material itself exceeds. */
export function warnOfFaint(
  denser: ReturnType<typeof findDenser> | null,
  toGrey: (value: number) => number,
  defects: readonly { kind: string }[],
) {
  if (!denser) return [];
  const measures = ['defectCount' as const, 'inclusionVolumeMm3' as const, 'largestVolumeMm3' as const];
  const name = (value: number) => formatNumber(toGrey(value), 0);
  const about = { code: 'INCLUSIONS_FAINT' as const, measures };
  if (denser.right !== null) {
    const message = `The part’s own material is brighter than ${name(denser.level)} in places, the grey value given for inclusions, and counts as inclusions there. Set it to ${name(denser.right)} or more.`;
    return [{ ...about, message, invalidates: true }];
  }
  if (!denser.isFaint) return [];
  const message = `No peak of the histogram is that of inclusions: what is brighter than ${name(denser.level)} counts as one. ${
    defects.some(({ kind }) => kind === 'inclusion')
      ? 'Their volumes are those of blurred balls of one grey value, and may be off by a third.'
      : 'Fainter ones are not found.'
  }`;
  return [{ ...about, message }];
}

/** Standard deviation of grey values around the material's peak, from where the histogram falls to 0.607 of it. */
export function findNoise({ histogram }: VolumeInput, { material, level }: GreyLevels): number {
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
