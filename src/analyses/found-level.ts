/** Where the surface of a volume lies, and by which settings: what is determined once and stored. */
import type { OneLevelReason, PartMeasures } from '#contract/metadata/surface.ts';
import type { Histogram } from '#kernels/grid/histogram.ts';
import type { LocalLevels } from '#kernels/levels/fit-levels.ts';
import type { SurfaceChoice, SurfaceLevel } from '#kernels/surface/surface-level.ts';
import type { NoiseFilterParameters } from './noise-filter.ts';

export interface SurfaceSettings extends Partial<NoiseFilterParameters> {
  /** local: levels around each place, or one where they would say the same */
  surface: SurfaceChoice | { mode: 'local' };
}

/** A level that is off by more, as a share of the contrast (k = 1), is not told. */
const toldWithin = 0.03;

/** Whether a part with hardly any place that is full of material has its grey value told all the same. */
export const isLevelTold = ({
  contrastWithin = Number.POSITIVE_INFINITY,
}: Pick<SurfaceLevel, 'contrastWithin'>) => contrastWithin < toldWithin;

/** Where the surface of a volume lies, in its own grey values. */
export interface FoundLevel {
  /** for all of it: below its lightest material, where that was to be cut off */
  level: SurfaceLevel;
  /** around each place, which goes before it */
  local?: LocalLevels;
  /** why there are none although they were asked for */
  oneLevel?: OneLevelReason;
  /** several materials, of which the surface is the outer one */
  materialGrays?: number[];
  /** of the grey values behind the median filter, where the scan is so noisy that levels are read there */
  quiet?: { histogram: Histogram; range: [number, number] };
}

/** A level that is stored, and with it what was measured of the part. */
export interface DeterminedSurface extends FoundLevel {
  part: PartMeasures | undefined;
  keepPart(part: PartMeasures): void;
}
