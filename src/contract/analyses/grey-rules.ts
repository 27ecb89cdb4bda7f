/** Rules about the grey values of a scan: noisy, blurred, uneven, cut off or missing. */
import { formatNumber } from '../base/format-number.ts';
import type { ScanQuality } from '../metadata/scan-quality.ts';
import { mark, onSurfaces, percent, type Rule, refuse, upTo } from './scan-finding.ts';

/**
 * Limits derived from scans of known bodies. Below a contrast-to-noise ratio of 3, surfaces can't be located and small
 * pores can't be distinguished; below 7, pores are searched behind a filter. One percent of unevenness or rings changes
 * single pores by some ten percent, surfaces by a tenth of that.
 */
const limits = {
  noise: { marked: 6, filtered: 7, defects: 2.8, surface: 3 },
  uneven: { marked: 0.03, defects: 0.08, surface: 0.15 },
  gradient: { marked: 0.1, defects: 0.15, surface: 0.3 },
  bands: { marked: 0.03, defects: 0.07, surface: 0.15 },
  rings: { marked: 0.04, defects: 0.07, surface: 0.15 },
  /** noise with more than this grain counts as stronger in proportion, because no filter removes it */
  grain: 2,
  /** in voxels; a wall thinner than five times the blur nowhere reaches the full grey value of the material */
  blur: { marked: 1.2, surface: 2, wall: 5 },
  /**
   * A linear filter of s voxels gives noise a grain of at most 1 + 2.5 s², and edges a blur of at least s. The blur of edges
   * is taken as at least `sharpest`.
   */
  filtered: { grainOfSquare: 2.5, sharpest: 0.6 },
  saturated: 0.02,
  /** good scans reach 0.004 */
  haze: { marked: 0.01, surface: 0.04 },
  /** shares of the contrast; an offset of 4 % shifts surfaces by a tenth of a voxel */
  greyShift: { marked: 0.04, surface: 0.12 },
  greyStep: 0.07,
  /** good scans and textured materials reach 0.1, pins in rings with a gap of two voxels 0.2 */
  doubleShare: 0.25,
  /** share of the voxels; above it, specks touch each other and are not replaced */
  specks: 0.01,
} as const;

/** Whether air or material varies too much over the scan for a single threshold. */
export const isUneven = (quality: ScanQuality | 'unjudged' | null): boolean =>
  quality !== null &&
  quality !== 'unjudged' &&
  quality.hasContrast &&
  ((quality.unevenness ?? 0) > limits.uneven.marked || (quality.gradient ?? 0) > limits.gradient.marked);

export const hasStrongBands = ({ bands: height }: ScanQuality): boolean =>
  (height ?? 0) > limits.bands.surface;

/** Factor by which correlated noise counts more than white noise, and the resulting contrast-to-noise ratio. */
function countNoise({ contrastToNoise, noiseGrain }: ScanQuality) {
  const coarseness = Math.max(1, (noiseGrain ?? 1) / limits.grain);
  const counted = (contrastToNoise ?? Number.POSITIVE_INFINITY) / coarseness;
  return { coarseness, isGrained: coarseness > 1, counted };
}

const noise: Rule = (quality) => {
  const { contrastToNoise } = quality;
  if (contrastToNoise === null) return null;
  const { coarseness, isGrained, counted } = countNoise(quality);
  if (counted >= limits.noise.filtered) return null;
  const found = isGrained
    ? `The contrast is ${formatNumber(contrastToNoise, 1)} times the noise, which has a grain of several voxels and so counts as ${formatNumber(coarseness, 1)} times as strong.`
    : `The contrast is ${formatNumber(contrastToNoise, 1)} times the noise.`;
  const isWeak = contrastToNoise < limits.noise.surface;
  const surface = isWeak
    ? refuse('Below 3, the surface can’t be told from noise.')
    : mark('Below 6, single values scatter by a voxel.');
  const defects = isGrained
    ? refuse('Small pores can’t be told from such noise.')
    : counted < limits.noise.defects
      ? refuse('Below 3, pores can’t be told from noise.')
      : mark('Pores are found behind a median filter: those of fewer than 40 voxels can be missed.');
  const marked = isWeak || counted < limits.noise.marked;
  return {
    code: 'SCAN_NOISE',
    shownBy: 'noise',
    found,
    effects: {
      defects,
      ...(marked ? { ...onSurfaces(surface), pose: mark(surface.consequence) } : {}),
    },
  };
};

const blur: Rule = ({ blurVoxels }) => {
  if (blurVoxels === null || blurVoxels <= limits.blur.marked) return null;
  const surface = upTo(
    blurVoxels,
    limits.blur.surface,
    'Sharp edges and tight curves are rounded, so that area comes out too small.',
    'Volume and area of anything but flat and massive parts may be off by some percent.',
  );
  const wholeVoxels = Math.ceil(limits.blur.wall * blurVoxels);
  return {
    code: 'SCAN_BLUR',
    shownBy: 'blur',
    found: `Edges are blurred by ${formatNumber(blurVoxels, 1)} voxels (standard deviation).`,
    effects: {
      surface,
      deviation: surface,
      walls: mark(`Walls of fewer than ${wholeVoxels} voxels are measured too thick.`),
      defects: mark(
        'Pores of fewer than 10 voxels across are measured too small, and the smallest are missed.',
      ),
    },
  };
};

/** Whether noise is too strong to detect finer effects in the grey values. */
function isNoiseStrong(quality: ScanQuality): boolean {
  const { isGrained, counted } = countNoise(quality);
  return counted < (isGrained ? limits.noise.filtered : limits.noise.marked);
}

export const filtered: Rule = ({ blurVoxels, evenGrain }) => {
  if (blurVoxels === null || evenGrain == null) return null;
  const { grainOfSquare, sharpest } = limits.filtered;
  const most = 1 + grainOfSquare * Math.max(blurVoxels, sharpest) ** 2;
  if (evenGrain <= most) return null;
  const consequence =
    'Edges and corners may have been rounded: area comes out too small, and volume may be off by some percent.';
  return {
    code: 'SCAN_FILTERED',
    shownBy: 'filtered',
    found:
      'The noise is smoother than the edges: the scan was probably filtered with an edge-preserving filter (median, bilateral, non-local means, diffusion).',
    effects: {
      surface: mark(consequence),
      walls: mark('Walls of few voxels may have been thinned, or lost.'),
      deviation: mark('Edges and corners may be off by up to a voxel.'),
      defects: refuse('Pores of up to 10 voxels are measured too small, and small ones may have been lost.'),
    },
  };
};

const uneven: Rule = ({ unevenness }) => {
  if (unevenness === null || unevenness <= limits.uneven.marked) return null;
  const surface = upTo(
    unevenness,
    limits.uneven.surface,
    'Surfaces may be off by a tenth of a voxel.',
    'Surfaces may be off by a fifth of a voxel and more.',
  );
  return {
    code: 'SCAN_UNEVEN',
    shownBy: 'uneven',
    found: `The grey value of the material varies by ${percent(unevenness)} over the part, as with cupping.`,
    effects: {
      ...onSurfaces(surface),
      defects: upTo(
        unevenness,
        limits.uneven.defects,
        'Pores where it is darker are measured up to a tenth too large.',
        'Pores where it is darker are measured a fifth too large and more.',
      ),
    },
  };
};

const gradient: Rule = ({ gradient: rise }) => {
  if (rise === null || rise <= limits.gradient.marked) return null;
  const surface = upTo(
    rise,
    limits.gradient.surface,
    'Surfaces are up to a fifth of a voxel too high on one side and too low on the other.',
    'Surfaces are off by a third of a voxel and more.',
  );
  return {
    code: 'SCAN_GRADIENT',
    shownBy: 'gradient',
    found: `The background rises by ${percent(rise)} of the contrast across the scan.`,
    effects: {
      ...onSurfaces(surface),
      defects: upTo(
        rise,
        limits.gradient.defects,
        'Pores on one side are measured too large, on the other too small.',
        'Pores are off by tens of percent.',
      ),
    },
  };
};

const rings: Rule = ({ rings: height }) => {
  if (height === null || height <= limits.rings.marked) return null;
  const surface = upTo(
    height,
    limits.rings.surface,
    'Surfaces on them are less certain.',
    'Surfaces on them are off by half a voxel.',
  );
  return {
    code: 'SCAN_RINGS',
    shownBy: 'rings',
    found: `Rings reach ${percent(height)} of the contrast.`,
    effects: {
      ...onSurfaces(surface),
      defects: upTo(
        height,
        limits.rings.defects,
        'Pores on them are less certain.',
        'Rings may be taken for pores.',
      ),
    },
  };
};

const bands: Rule = ({ bands: height = null }) => {
  if (height === null || height <= limits.bands.marked) return null;
  const surface = upTo(
    height,
    limits.bands.surface,
    'The surface lies too far in or out by tenths of a voxel, slice by slice.',
    'The surface lies off by half a voxel, slice by slice.',
  );
  return {
    code: 'SCAN_BANDS',
    shownBy: 'bands',
    found: `Some slices are brighter or darker than their neighbours, by ${percent(height)} of the contrast.`,
    effects: {
      ...onSurfaces(surface),
      defects: upTo(
        height,
        limits.bands.defects,
        'Voids are measured too large in one slice and too small in the next.',
        'Dark slices may be taken for voids.',
      ),
    },
  };
};

const saturated: Rule = ({ saturatedShare }) => {
  if (saturatedShare <= limits.saturated) return null;
  const consequence = 'The level of the material, and so the surface, is too low.';
  return {
    code: 'SCAN_SATURATED',
    shownBy: 'saturated',
    found: `${percent(saturatedShare)} of the material has the highest grey value of the scan: values are cut off there.`,
    effects: {
      ...onSurfaces(mark(consequence)),
      defects: mark('Inclusions can’t be told from the material.'),
    },
  };
};

const cutAir: Rule = ({ isAirCut, airGrey }) => {
  if (!isAirCut) return null;
  const level = refuse('The grey value of air is not known, and so the surface may lie too far inside.');
  return {
    code: 'SCAN_AIR_CUT',
    shownBy: 'airCut',
    found: `All air has the grey value ${formatNumber(airGrey, 0)}, without noise: darker values were cut off, as by an export with too narrow a range of grey values.`,
    effects: {
      ...onSurfaces(level),
      defects: refuse('The grey value of air is not known, and voids may be measured too large.'),
    },
  };
};

const hazy: Rule = (quality) => {
  const { haze, gradient: rise, rings: height } = quality;
  if (haze == null || haze <= limits.haze.marked) return null;
  // Gradients and rings brighten air beside edges just as much; they have their own findings.
  const isOther = (rise ?? 0) > limits.gradient.marked || (height ?? 0) > limits.rings.marked;
  if (isOther || isNoiseStrong(quality) || filtered(quality)) return null;
  const surface = upTo(
    haze,
    limits.haze.surface,
    'Surfaces lie up to a tenth of a voxel too far out, and volume is some percent too large.',
    'Surfaces lie up to a quarter of a voxel too far out, and volume is several percent too large.',
  );
  return {
    code: 'SCAN_HAZE',
    shownBy: 'blur',
    found: `Air near the part is brighter than air further out by ${percent(haze)} of the contrast, more than blur explains, as with scattered radiation.`,
    effects: {
      ...onSurfaces(surface),
      defects: upTo(
        haze,
        limits.haze.surface,
        'Pores are measured up to a fifth too small.',
        'Pores are measured a fifth too small and more.',
      ),
    },
  };
};

const greyCurve: Rule = (quality) => {
  const { greyShift, rings: height } = quality;
  const off = Math.abs(greyShift ?? 0);
  if (off <= limits.greyShift.marked) return null;
  // Rings and filters also skew the noise, and strong noise has its own finding.
  if (isNoiseStrong(quality) || filtered(quality) || (height ?? 0) > limits.rings.marked) return null;
  const effect = (below: string, above: string) => upTo(off, limits.greyShift.surface, below, above);
  const surface = effect(
    'Surfaces may be off by a tenth of a voxel.',
    'Surfaces may be off by a third of a voxel, and volume by several percent.',
  );
  return {
    code: 'SCAN_GREY_CURVE',
    found:
      'The noise is lopsided, as if a curve (gamma, logarithm) had been applied to the grey values or they had been cut off within the noise: edges do not lie midway between air and material.',
    effects: {
      ...onSurfaces(surface),
      defects: effect(
        'Pores may be measured a tenth too large or too small.',
        'Pores may be measured a fifth too large or too small, and more.',
      ),
    },
  };
};

const greySteps: Rule = ({ greyStep, contrastToNoise }) => {
  if (greyStep == null || contrastToNoise === null || greyStep <= limits.greyStep) return null;
  const consequence =
    'The levels of air and material, and so the surface, are known to some percent of the contrast only.';
  return {
    code: 'SCAN_GREY_STEPS',
    found: `Grey values are rounded to steps of ${percent(greyStep)} of the contrast.`,
    effects: {
      ...onSurfaces(mark(consequence)),
      defects: mark('Pores may be measured a tenth too large or too small.'),
    },
  };
};

const doubleEdges: Rule = (quality) => {
  const { doubleShare, rings: height, bands: slices, skin } = quality;
  if ((doubleShare ?? 0) <= limits.doubleShare) return null;
  // Rings, bands and skins also split edges into two steps; they have their own findings.
  const others = [height, slices, skin].some((share) => (share ?? 0) > limits.rings.marked);
  if (others || isNoiseStrong(quality) || filtered(quality)) return null;
  const consequence =
    'The surface follows either step, or jumps between them: area is up to a fifth too large, and a layer may be missing from the volume.';
  return {
    code: 'SCAN_DOUBLE_EDGES',
    shownBy: 'blur',
    found:
      'Edges rise in two steps, as if the part had moved, the centre of rotation were off or a layer of a lighter material covered it.',
    effects: {
      surface: mark(consequence),
      walls: mark('Walls are measured up to some voxels too thick or too thin.'),
      deviation: mark('Surfaces may be off by some voxels.'),
      defects: mark('Voids are measured too large, too small or twice.'),
    },
  };
};

const specks: Rule = ({ specks: found }) => {
  if (!found) return null;
  const isCorrected = found.share <= limits.specks;
  const left = refuse('Where two or more lie side by side they are kept, and count as material or voids.');
  return {
    code: 'SCAN_SPECKS',
    found: `${formatNumber(1e4 * found.share, 1)} of 10,000 voxels differ strongly from all of their neighbours, as dead and hot pixels do. They were replaced by the median of their neighbours.`,
    effects: isCorrected
      ? { defects: mark('Voids of a single voxel are lost with them.') }
      : { ...onSurfaces(left), defects: left },
  };
};

export const greyRules: readonly Rule[] = [
  noise,
  blur,
  filtered,
  uneven,
  gradient,
  rings,
  bands,
  saturated,
  cutAir,
  hazy,
  greyCurve,
  greySteps,
  doubleEdges,
  specks,
];
