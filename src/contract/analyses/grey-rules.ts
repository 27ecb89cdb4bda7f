/** Rules about the grey values of a scan: noisy, blurred, uneven, cut off or missing. */
import { formatNumber } from '../base/format-number.ts';
import type { ScanQuality } from '../metadata/scan-quality.ts';
import {
  defectMeasures,
  mark,
  onAll,
  onSurfaces,
  percent,
  type Rule,
  refuse,
  resize,
  sizesUpTo,
  upTo,
} from './scan-finding.ts';

/**
 * Limits derived from scans of known bodies. Below a contrast-to-noise ratio of 3, surfaces can't be located and small
 * pores can't be distinguished; below 7, pores are searched behind a filter. One percent of unevenness or rings changes
 * single pores by some ten percent, surfaces by a tenth of that.
 */
const limits = {
  noise: { marked: 6, filtered: 7, defects: 2.8, surface: 3 },
  uneven: { marked: 0.03, defects: 0.08, surface: 0.15 },
  gradient: { marked: 0.1, defects: 0.15, surface: 0.3 },
  /** of 36 numbers of voids in scans with bands of 7 to 10 % none was wrong, up to 15 % 2 of 24 */
  bands: { marked: 0.03, defects: 0.1, surface: 0.15 },
  /**
   * Rings are subtracted before voids are measured. Of 104 numbers of voids in scans with rings of 7 to 22 % none was
   * wrong; above that 22 of 40.
   */
  rings: { marked: 0.04, defects: 0.15, surface: 0.15 },
  /** noise with more than this grain counts as stronger in proportion, because no filter removes it */
  grain: 2,
  /** in voxels; a wall thinner than five times the blur nowhere reaches the full grey value of the material */
  blur: { marked: 1.2, surface: 2, wall: 5 },
  /**
   * A linear filter of s voxels gives noise a grain of at most 1 + 2.5 s², and edges a blur of at least s. The blur of edges
   * is taken as at least `sharpest`.
   */
  filtered: { grainOfSquare: 2.5, sharpest: 0.6 },
  /**
   * Share of the material. Up to half of it, only noise is cut off, and the level of the surface is off by less than 1 %
   * of the contrast; beyond, nothing shows how far the material's own grey value lies above the highest one.
   */
  saturated: { marked: 0.02, surface: 0.5 },
  /** walls of 9 voxels come out 0.002 voxels too thick at this share of the contrast, 0.08 at 0.008 and 0.64 at 0.06 */
  floatStep: 0.001,
  /** good scans reach 0.004 */
  haze: { marked: 0.01, surface: 0.04 },
  /**
   * Shares of the contrast. An offset of 4 % shifts surfaces by a tenth of a voxel; gamma curves caused at most half of
   * what the noise shows, and up to an offset of 30 % at most 0.15 voxels.
   */
  greyShift: { marked: 0.04, surface: 0.3 },
  greyStep: 0.07,
  /** good scans and textured materials reach 0.1, pins in rings with a gap of two voxels 0.2 */
  doubleShare: 0.25,
  /**
   * Share of the part's volume: tips and blur of good parts reach 0.0065, seals and gaskets 0.008 and more. Where the blur
   * is wide or unknown, good parts reach 0.017 and powder between struts 0.04.
   */
  faint: { sharp: 0.0075, blurred: 0.02 },
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
    ? `The contrast is ${formatNumber(contrastToNoise, 1)} times the noise. The noise is correlated over several voxels and counts as ${formatNumber(coarseness, 1)} times as strong.`
    : `The contrast is ${formatNumber(contrastToNoise, 1)} times the noise.`;
  const isWeak = contrastToNoise < limits.noise.surface;
  const surface = isWeak
    ? refuse('Below 3, the surface can’t be distinguished from noise.')
    : mark('Below 6, single values are uncertain by up to a voxel.');
  const defects = isGrained
    ? refuse('Small pores can’t be distinguished from such noise.')
    : counted < limits.noise.defects
      ? refuse('Below 3, pores can’t be distinguished from noise.')
      : mark('Pores are searched after a median filter: pores under 40 voxels may be missed.');
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
    'Sharp edges and tight curves are rounded: area is too small.',
    'Volume and area may be wrong by a few percent, except for flat and massive parts.',
  );
  const wholeVoxels = Math.ceil(limits.blur.wall * blurVoxels);
  return {
    code: 'SCAN_BLUR',
    shownBy: 'blur',
    found: `Edges are blurred by ${formatNumber(blurVoxels, 1)} voxels (standard deviation).`,
    effects: {
      surface,
      deviation: surface,
      walls: mark(`Walls under ${wholeVoxels} voxels are measured too thick.`),
      defects: mark('Pores under 10 voxels in diameter are measured too small; the smallest are missed.'),
    },
  };
};

/** Whether noise is too strong to detect finer effects in the grey values. */
function isNoiseStrong(quality: ScanQuality): boolean {
  const { counted } = countNoise(quality);
  return isNoiseCoarse(quality) || counted < limits.noise.marked;
}

/** Whether noise looks like structure: correlated over several voxels, and strong. */
function isNoiseCoarse(quality: ScanQuality): boolean {
  const { isGrained, counted } = countNoise(quality);
  return isGrained && counted < limits.noise.filtered;
}

export const filtered: Rule = ({ blurVoxels, evenGrain }) => {
  if (blurVoxels === null || evenGrain == null) return null;
  const { grainOfSquare, sharpest } = limits.filtered;
  const most = 1 + grainOfSquare * Math.max(blurVoxels, sharpest) ** 2;
  if (evenGrain <= most) return null;
  const consequence =
    'Edges and corners may be rounded: area is too small, and volume may be wrong by a few percent.';
  return {
    code: 'SCAN_FILTERED',
    shownBy: 'filtered',
    found:
      'The noise is smoother than the edges: the scan was probably filtered with an edge-preserving filter (median, bilateral, non-local means, diffusion).',
    effects: {
      surface: mark(consequence),
      walls: mark('Walls of a few voxels may be too thin, or lost.'),
      deviation: mark('Deviations at edges and corners may be wrong by up to a voxel.'),
      defects: refuse('Pores up to 10 voxels are measured too small; small pores may be lost.'),
    },
  };
};

const uneven: Rule = ({ unevenness }) => {
  if (unevenness === null || unevenness <= limits.uneven.marked) return null;
  const surface = upTo(
    unevenness,
    limits.uneven.surface,
    'Surfaces may be wrong by a tenth of a voxel.',
    'Surfaces may be wrong by a fifth of a voxel or more.',
  );
  return {
    code: 'SCAN_UNEVEN',
    shownBy: 'uneven',
    found: `The grey value of the material varies by ${percent(unevenness)} over the part, as with cupping.`,
    effects: {
      ...onSurfaces(surface),
      defects: sizesUpTo(
        unevenness,
        limits.uneven.defects,
        'Pores in darker regions are measured up to 10 % too large.',
        'Pores in darker regions are measured 20 % too large or more.',
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
    'Surfaces are wrong by a third of a voxel or more.',
  );
  return {
    code: 'SCAN_GRADIENT',
    shownBy: 'gradient',
    found: `The background rises by ${percent(rise)} of the contrast across the scan.`,
    effects: {
      ...onSurfaces(surface),
      defects: sizesUpTo(
        rise,
        limits.gradient.defects,
        'Pores are measured too large on one side and too small on the other.',
        'Pore volumes are wrong by tens of percent.',
      ),
    },
  };
};

const rings: Rule = ({ rings: height }) => {
  if (height === null || height <= limits.rings.marked) return null;
  const surface = upTo(
    height,
    limits.rings.surface,
    'Surfaces on rings are less certain.',
    'Surfaces on rings are wrong by half a voxel.',
  );
  return {
    code: 'SCAN_RINGS',
    shownBy: 'rings',
    found: `Rings reach ${percent(height)} of the contrast.`,
    effects: {
      ...onSurfaces(surface),
      defects: sizesUpTo(
        height,
        limits.rings.defects,
        'Pores on rings are less certain.',
        'Rings may be detected as pores.',
      ),
    },
  };
};

const bands: Rule = ({ bands: height = null }) => {
  if (height === null || height <= limits.bands.marked) return null;
  const surface = upTo(
    height,
    limits.bands.surface,
    'In these slices the surface is wrong by tenths of a voxel.',
    'In these slices the surface is wrong by half a voxel.',
  );
  return {
    code: 'SCAN_BANDS',
    shownBy: 'bands',
    found: `Some slices are brighter or darker than their neighbours, by ${percent(height)} of the contrast.`,
    effects: {
      ...onSurfaces(surface),
      defects: sizesUpTo(
        height,
        limits.bands.defects,
        'Voids are measured too large in dark slices and too small in bright ones.',
        'Dark slices may be detected as voids.',
      ),
    },
  };
};

const saturated: Rule = ({ saturatedShare }) => {
  if (saturatedShare <= limits.saturated.marked) return null;
  const { surface } = limits.saturated;
  const judge = (slightly: string, unknown: string) => upTo(saturatedShare, surface, slightly, unknown);
  return {
    code: 'SCAN_SATURATED',
    shownBy: 'saturated',
    found: `${percent(saturatedShare)} of the material has the highest grey value of the scan: brighter values were cut off.`,
    effects: {
      ...onSurfaces(
        judge(
          'The grey value of the material is too low, which shifts the surface outwards.',
          'The grey value of the material is unknown, so the surface may be too far outside.',
        ),
      ),
      defects: judge(
        'Inclusions can’t be distinguished from the material.',
        'The grey value of the material is unknown, so voids may be measured too small, and inclusions can’t be distinguished from it.',
      ),
    },
  };
};

const cutAir: Rule = ({ isAirCut, airGrey }) => {
  if (!isAirCut) return null;
  const level = refuse('The grey value of air is unknown, so the surface may be too far inside.');
  return {
    code: 'SCAN_AIR_CUT',
    shownBy: 'airCut',
    found: `All air has the grey value ${formatNumber(airGrey, 0)}, without noise: darker values were cut off, probably by an export with too narrow a grey range.`,
    effects: {
      ...onSurfaces(level),
      defects: refuse('The grey value of air is unknown, so voids may be measured too large.'),
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
    'Surfaces are up to a tenth of a voxel too far out; volume is a few percent too large.',
    'Surfaces are up to a quarter of a voxel too far out; volume is several percent too large.',
  );
  return {
    code: 'SCAN_HAZE',
    shownBy: 'blur',
    found: `Air near the part is brighter than air further out by ${percent(haze)} of the contrast. Blur alone does not explain this; scattered radiation does.`,
    effects: {
      ...onSurfaces(surface),
      defects: sizesUpTo(
        haze,
        limits.haze.surface,
        'Pores are measured up to 20 % too small.',
        'Pores are measured 20 % too small or more.',
      ),
    },
  };
};

const faintPlaces: Rule = (quality) => {
  const { faintShare = 0, blurVoxels, haze, rings: height, doubleShare } = quality;
  const isSharp = blurVoxels !== null && blurVoxels <= limits.blur.marked;
  if (faintShare <= (isSharp ? limits.faint.sharp : limits.faint.blurred)) return null;
  // Haze, rings and second steps of edges brighten air, too; they have their own findings.
  const isHazy = (haze ?? 0) > limits.haze.marked;
  const isOther = (height ?? 0) > limits.rings.marked || (doubleShare ?? 0) > limits.doubleShare;
  if (isHazy || isOther || isNoiseCoarse(quality) || filtered(quality)) return null;
  const says = 'They count as air: if they belong to the part, its volume comes out too small.';
  return {
    code: 'SCAN_FAINT_PLACES',
    found: `Places beside the part are brighter than air by more than 6 % of the contrast, over at least ${percent(faintShare)} of the part’s volume, as with foam, seals, liquids, powder or scattered radiation.`,
    effects: { surface: mark(says), defects: { ...mark(says), unaffected: defectMeasures } },
  };
};

const greyCurve: Rule = (quality) => {
  const { greyShift, rings: height } = quality;
  const off = Math.abs(greyShift ?? 0);
  if (off <= limits.greyShift.marked) return null;
  // Rings and filters also skew the noise, and strong noise has its own finding.
  if (isNoiseStrong(quality) || filtered(quality) || (height ?? 0) > limits.rings.marked) return null;
  const isStrong = off > limits.greyShift.surface;
  const surface = upTo(
    off,
    limits.greyShift.surface,
    'Surfaces may be wrong by a tenth of a voxel or more.',
    'Surfaces may be wrong by a fifth of a voxel or more, and volume by several percent.',
  );
  return {
    code: 'SCAN_GREY_CURVE',
    found:
      'The noise is asymmetric: a curve (gamma, logarithm) was probably applied to the grey values, or they were cut off within the noise. Edges are then not midway between air and material.',
    effects: {
      ...onSurfaces(surface),
      // The curve is monotonic, so the same voids are found at any strength of it.
      defects: {
        ...resize(
          isStrong ? 'Pore volumes may be wrong by 20 % or more.' : 'Pore volumes may be wrong by 10 %.',
        ),
        invalidates: isStrong,
      },
    },
  };
};

/** Relative spacing of 32-bit floats, with which grey values are filtered. */
const floatStep = 2 ** -23;
const farFromZero: Rule = ({ airGrey, materials: [material] }) => {
  if (material === undefined || material.grey === airGrey) return null;
  const step =
    (floatStep * Math.max(Math.abs(airGrey), Math.abs(material.grey))) / Math.abs(material.grey - airGrey);
  if (!(step > limits.floatStep)) return null;
  return {
    code: 'SCAN_GREY_STEPS',
    found: `Air and material differ too little for grey values so far from zero: 32-bit numbers have steps of ${percent(step)} of the contrast there.`,
    effects: onAll(
      refuse('Surfaces may be off by half a voxel. Subtract the grey value of air before the import.'),
    ),
  };
};

const greySteps: Rule = ({ greyStep, contrastToNoise }) => {
  if (greyStep == null || contrastToNoise === null || greyStep <= limits.greyStep) return null;
  const consequence =
    'The grey values of air and material are only known to a few percent of the contrast, which makes the surface less certain.';
  return {
    code: 'SCAN_GREY_STEPS',
    found: `Grey values are rounded to steps of ${percent(greyStep)} of the contrast.`,
    effects: {
      ...onSurfaces(mark(consequence)),
      defects: resize('Pore volumes may be wrong by 10 %.'),
    },
  };
};

const doubleEdges: Rule = (quality) => {
  const { doubleShare, rings: height, bands: slices, skin } = quality;
  if ((doubleShare ?? 0) <= limits.doubleShare) return null;
  // Rings, bands and skins also split edges into two steps; they have their own findings.
  const others = [height, slices, skin].some((share) => (share ?? 0) > limits.rings.marked);
  if (others || isNoiseCoarse(quality) || filtered(quality)) return null;
  const consequence =
    'The surface follows one step, jumps between both, or is shifted: area is up to 20 % too large, and volume may lack a layer.';
  return {
    code: 'SCAN_DOUBLE_EDGES',
    shownBy: 'blur',
    found:
      'Edges rise in two steps or lean to one side: the part may have moved, the centre of rotation may be wrong, a lighter material may cover the part, or the part absorbs strongly and its radiographs are blurred.',
    effects: {
      surface: mark(consequence),
      walls: mark('Wall thickness may be wrong by several voxels.'),
      deviation: mark('Deviations may be wrong by several voxels.'),
      defects: mark('Voids are measured too large, too small or twice.'),
    },
  };
};

const specks: Rule = ({ specks: found }) => {
  if (!found) return null;
  const isCorrected = found.share <= limits.specks;
  const left = refuse('Specks that touch each other are kept and count as material or voids.');
  return {
    code: 'SCAN_SPECKS',
    found: `${formatNumber(1e4 * found.share, 1)} of 10,000 voxels differ strongly from all of their neighbours, like dead or hot pixels. They were replaced by the median of their neighbours.`,
    effects: isCorrected
      ? { defects: mark('Voids of one or two voxels are lost.') }
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
  faintPlaces,
  greyCurve,
  farFromZero,
  greySteps,
  doubleEdges,
  specks,
];
