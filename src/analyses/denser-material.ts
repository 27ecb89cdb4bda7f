/** Grey value above which material counts as an inclusion, and the warning when no histogram peak shows it. */
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

export function findDenser(
  volume: VolumeInput,
  levels: GreyLevels,
  above: number | undefined,
  quality: AnalysisContext['judged'],
) {
  const found = inclusionLevel(volume.histogram, levels);
  if (above !== undefined) {
    // Without a peak of its own, the inclusion is assumed to be as far above its threshold as the material is below it.
    const grey = found && found.grey > above ? found.grey : 2 * above - levels.material;
    return { level: above, grey: Math.max(grey, above), isFaint: false };
  }
  if (found) return { ...found, isFaint: false };
  const contrast = levels.material - levels.air;
  const height = Math.max(
    faintest.contrast * contrast,
    faintest.noise * findNoise(volume, levels),
    faintest.rings * (quality?.rings ?? 0) * contrast,
    faintest.unevenness * (quality?.unevenness ?? 0) * contrast,
  );
  return { level: levels.material + height, grey: levels.material + 2 * height, isFaint: true };
}

/** Warning for inclusions of unknown grey value. */
export function warnOfFaint(
  denser: ReturnType<typeof findDenser> | null,
  toGrey: (value: number) => number,
  defects: readonly { kind: string }[],
) {
  if (!denser?.isFaint) return [];
  const measures = ['defectCount' as const, 'inclusionVolumeMm3' as const, 'largestVolumeMm3' as const];
  const message = `No peak of the histogram is that of inclusions: what is brighter than ${formatNumber(toGrey(denser.level), 0)} counts as one. ${
    defects.some(({ kind }) => kind === 'inclusion')
      ? 'Their volumes are those of blurred balls of one grey value, and may be off by a third.'
      : 'Fainter ones are not found.'
  }`;
  return [{ code: 'INCLUSIONS_FAINT' as const, message, measures }];
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
