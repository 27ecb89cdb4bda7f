/** What the quality of a scan does to the numbers that are measured on it, in sentences. */
import { formatNumber } from '../base/format-number.ts';
import { type ScanQuality, type ShownName, viewDoubts } from '../metadata/scan-quality.ts';
import type { Warning, WarningCode } from '../metadata/warning.ts';

/** What numbers rest on: where the surface lies, how far walls are apart, what is a void, the distance to a reference, or the pose. */
export type RestsOn = 'surface' | 'walls' | 'defects' | 'deviation' | 'pose';

interface Effect {
  /** what it does to the numbers, a sentence */
  says: string;
  /** so much that they can't be relied on */
  invalidates: boolean;
}

export interface ScanFinding {
  code: WarningCode;
  /** what was found, a sentence */
  found: string;
  /** the place of the scan's quality that shows it */
  shownBy?: ShownName;
  effects: Partial<Record<RestsOn, Effect>>;
}

const mark = (says: string): Effect => ({ says, invalidates: false });
const refuse = (says: string): Effect => ({ says, invalidates: true });
const onAll = (effect: Effect): ScanFinding['effects'] => ({
  surface: effect,
  walls: effect,
  defects: effect,
  deviation: effect,
  pose: effect,
});
/** Relied on up to a limit, and no more beyond. */
const upTo = (value: number, limit: number, below: string, above: string): Effect =>
  value <= limit ? mark(below) : refuse(above);

const percent = (share: number) => `${formatNumber(100 * share, share < 0.095 ? 1 : 0)} %`;

/**
 * Limits from scans of known bodies: a contrast of three times the noise is where surfaces lose their place and small pores
 * can't be told; unevenness and rings move single pores by as many tens of percent as
 * they have percent, surfaces by a tenth of that.
 */
const limits = {
  noise: { marked: 6, grained: 7, defects: 2.8, surface: 3 },
  uneven: { marked: 0.03, defects: 0.08, surface: 0.15 },
  gradient: { marked: 0.1, defects: 0.15, surface: 0.3 },
  bands: { marked: 0.03, defects: 0.07, surface: 0.15 },
  rings: { marked: 0.04, defects: 0.07, surface: 0.15 },
  /** noise that many times as coarse as white noise counts as so much stronger; no filter evens it out */
  grain: 2,
  /** in voxels; a wall that is thinner than five times the blur holds no place that is full of material */
  blur: { marked: 1.2, surface: 2, wall: 5 },
  /** massive parts have a quarter and more, those of struts and sheets up to 7 voxels thick a fifth and less */
  full: 0.22,
  saturated: 0.02,
  /** share of the part in thin walls that its volume and area can bear */
  thin: 0.05,
  /** share of the surface that may lie too far out, as that of a dense material at the level of a lighter one does */
  bare: 0.05,
} as const;

type Rule = (quality: ScanQuality) => ScanFinding | null;

const noise: Rule = ({ contrastToNoise, noiseGrain }) => {
  if (contrastToNoise === null) return null;
  const coarseness = Math.max(1, (noiseGrain ?? 1) / limits.grain);
  const counted = contrastToNoise / coarseness;
  const isGrained = coarseness > 1;
  if (counted >= (isGrained ? limits.noise.grained : limits.noise.marked)) return null;
  const found = isGrained
    ? `The contrast is ${formatNumber(contrastToNoise, 1)} times the noise, which has a grain of several voxels and counts as ${formatNumber(coarseness, 1)} times as strong.`
    : `The contrast is ${formatNumber(contrastToNoise, 1)} times the noise.`;
  const isWeak = contrastToNoise < limits.noise.surface;
  const surface = isWeak
    ? refuse('Below 3 the surface can’t be told from noise.')
    : mark('Below 6 single values scatter by a voxel.');
  const defects = isGrained
    ? refuse('Small pores can’t be told from it.')
    : counted < limits.noise.defects
      ? refuse('Below 3 pores can’t be told from noise.')
      : mark('Pores are found behind a median filter: those of fewer than 40 voxels can be missed.');
  const marked = isWeak || counted < limits.noise.marked;
  return {
    code: 'SCAN_NOISE',
    shownBy: 'noise',
    found,
    effects: {
      defects,
      ...(marked ? { surface, walls: surface, deviation: surface, pose: mark(surface.says) } : {}),
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

const fewDeep: Rule = ({ fullShare }) => {
  if (fullShare === null || fullShare === undefined || fullShare >= limits.full) return null;
  const says =
    'The level may be too low by some percent of the contrast, which makes struts and walls thicker.';
  return {
    code: 'SCAN_FEW_DEEP',
    shownBy: 'fewDeep',
    found: `Only ${percent(fullShare)} of the part lies deep enough in it to tell the material’s grey value.`,
    effects: { surface: mark(says), walls: mark(says), deviation: mark(says), defects: mark(says) },
  };
};

const thinWalls: Rule = ({ thinnestWallVoxels, thinShare }) => {
  if (thinnestWallVoxels === null) return null;
  const says = 'Below 4 voxels a wall is measured too thick or too thin by up to a voxel.';
  return {
    code: 'SCAN_THIN_WALLS',
    shownBy: 'thinWalls',
    found: `Walls are down to ${formatNumber(thinnestWallVoxels, 1)} voxels thin (${percent(thinShare)} of the part).`,
    effects: {
      surface: upTo(
        thinShare,
        limits.thin,
        'Volume and area of these walls may be off by a fifth.',
        'Volume and area may be off by a fifth.',
      ),
      walls: refuse(says),
      deviation: refuse('Their deviation may be off by up to a voxel.'),
      defects: mark('Porosity counts the volume of these walls, which may be off by a fifth.'),
    },
  };
};

const materials: Rule = ({ materials: found, bareShare }) => {
  if (found.length < 2) return null;
  const bare = bareShare ?? 0;
  const isBare = bare > limits.bare;
  const tooFarOut = `${percent(bare)} of the surface is of a denser material than the lightest: there it lies up to a voxel too far out.`;
  const orTooFarOut = (says: string): Effect => (isBare ? refuse(tooFarOut) : mark(says));
  const shares = found.map(({ share }) => percent(share)).join(', ');
  return {
    code: 'SCAN_MATERIALS',
    shownBy: 'materials',
    found: `The scan shows ${found.length} materials (${shares} of the part, the lightest first), or one that is very uneven.`,
    effects: {
      surface: orTooFarOut('Where materials meet, the surface is less certain.'),
      walls: orTooFarOut('Walls are measured from air to air, whatever they are made of.'),
      deviation: orTooFarOut('Where materials meet, the deviation is less certain.'),
      defects: refuse(
        'The threshold is one for all of them: pores in one can be missed, and another taken for air.',
      ),
    },
  };
};

const filled: Rule = ({ isFilled }) =>
  isFilled
    ? {
        code: 'SCAN_FILLED',
        shownBy: 'cut',
        found: 'Material fills the whole scan, with no air around it: the part has no outer surface in it.',
        effects: {
          surface: refuse(
            'Volume and area are of what was scanned; the only surfaces are those of its pores.',
          ),
          walls: refuse('Walls are those between its pores.'),
          deviation: refuse('Only surfaces of its pores are compared.'),
          pose: refuse('Only surfaces of its pores are aligned.'),
          defects: mark('The grey value of air is that of its widest pores.'),
        },
      }
    : null;

const cut: Rule = ({ border, isFilled }) => {
  if (border.length === 0 || isFilled) return null;
  return {
    code: 'SCAN_CUT',
    shownBy: 'cut',
    found: `The part reaches beyond the scan at ${border.join(', ')}.`,
    effects: {
      surface: refuse('Volume and area are of what was scanned; cut faces count as surface.'),
      walls: refuse('Cut faces are taken for walls.'),
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
    found: `The grey value of the material varies by ${percent(unevenness)} over the part, as cupping makes it.`,
    effects: {
      surface,
      walls: surface,
      deviation: surface,
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
      surface,
      walls: surface,
      deviation: surface,
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
      surface,
      walls: surface,
      deviation: surface,
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
    found: `Slices are brighter and darker than those near them by ${percent(height)} of the contrast.`,
    effects: {
      surface,
      walls: surface,
      deviation: surface,
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
  const says = 'The level of the material, and so the surface, is too low.';
  return {
    code: 'SCAN_SATURATED',
    shownBy: 'saturated',
    found: `${percent(saturatedShare)} of the material has the highest grey value of the scan: values are cut off there.`,
    effects: {
      surface: mark(says),
      walls: mark(says),
      deviation: mark(says),
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
    found: `All of the air has the grey value ${formatNumber(airGrey, 0)}, without noise: what is darker was cut off, as by an export of too narrow a range of grey values.`,
    effects: {
      surface: level,
      walls: level,
      deviation: level,
      defects: refuse('The grey value of air is not known, and voids may be measured too large.'),
    },
  };
};

const lostSlices: Rule = ({ lostSlices: count }) => {
  if (count === null || count === 0) return null;
  const says = 'What lies there was not scanned.';
  return {
    code: 'SCAN_LOST_SLICES',
    shownBy: 'lostSlices',
    found: `${count} ${count === 1 ? 'slice is' : 'slices are'} empty or repeated.`,
    effects: { surface: refuse(says), walls: refuse(says), deviation: refuse(says), defects: refuse(says) },
  };
};

const missingViews: Rule = ({ viewDoubts: said = [] }) => {
  if (!said.includes('ANGLES_MISSING')) return null;
  const says = 'Faces along which no ray passed are smeared or missing.';
  return {
    code: 'ANGLES_MISSING',
    found: 'The radiographs of this volume do not cover all directions.',
    effects: {
      ...onAll(refuse(says)),
      pose: mark(says),
      defects: refuse('Voids are drawn out along the missing directions, and streaks may be taken for them.'),
    },
  };
};

const fewViews: Rule = ({ viewDoubts: said = [] }) =>
  said.includes('FEW_PROJECTIONS')
    ? {
        code: 'FEW_PROJECTIONS',
        found: 'This volume was reconstructed from few projections.',
        effects: {
          ...onAll(mark('Streaks roughen the surface.')),
          defects: mark('Streaks may be taken for small pores.'),
        },
      }
    : null;

const assumedCenter: Rule = ({ viewDoubts: said = [] }) =>
  said.includes('CENTER_ASSUMED')
    ? {
        code: 'CENTER_ASSUMED',
        found: 'The centre of rotation of this volume was not measured.',
        effects: onAll(
          mark('If it is off, edges are doubled, and walls and voids come out wider or narrower.'),
        ),
      }
    : null;

const disputedCenter: Rule = ({ viewDoubts: said = [] }) =>
  said.includes('CENTER_DIFFERS')
    ? {
        code: 'CENTER_DIFFERS',
        found: 'This volume was reconstructed about another centre of rotation than its radiographs show.',
        effects: onAll(refuse('Edges are doubled where it is off, and walls and voids come out wrong.')),
      }
    : null;

const truncatedField: Rule = ({ viewDoubts: said = [] }) =>
  said.includes('FIELD_TRUNCATED')
    ? {
        code: 'FIELD_TRUNCATED',
        found: 'The part reached beyond the detector at its sides while this volume was scanned.',
        effects: {
          ...onAll(refuse('The part is cut there, and grey values rise towards the cut.')),
          pose: mark('What was cut off can’t be aligned.'),
        },
      }
    : null;

const inwardEdges: Rule = ({ viewDoubts: said = [] }) =>
  said.includes('EDGES_INWARD')
    ? {
        code: 'EDGES_INWARD',
        found: 'Focal spot or detector blurred the radiographs of this strongly absorbing part.',
        effects: onAll(
          mark('Its surface lies too far inside by a tenth of a voxel or so, and pores are too large.'),
        ),
      }
    : null;

const leftHardening: Rule = ({ viewDoubts: said = [] }) =>
  said.includes('HARDENING_LEFT')
    ? {
        code: 'HARDENING_LEFT',
        found:
          'This volume of a strongly absorbing part was reconstructed without a correction of beam hardening.',
        effects: onAll(
          mark('If the beam had a spectrum, walls are up to 5 % too thick, and pores up to 20 % too small.'),
        ),
      }
    : null;

const removedRings: Rule = ({ viewDoubts: said = [] }) =>
  said.includes('RINGS_REMOVED')
    ? {
        code: 'RINGS_REMOVED',
        found: 'Rings were removed from this volume.',
        effects: {
          ...onAll(mark('Faces that run around the axis of rotation can lie a twentieth of a voxel off.')),
          defects: mark('What is left of them can put pores off by some percent.'),
        },
      }
    : null;

const rules: readonly Rule[] = [
  noise,
  blur,
  fewDeep,
  thinWalls,
  materials,
  filled,
  cut,
  uneven,
  gradient,
  rings,
  bands,
  saturated,
  cutAir,
  lostSlices,
  missingViews,
  fewViews,
  assumedCenter,
  disputedCenter,
  truncatedField,
  inwardEdges,
  leftHardening,
  removedRings,
];

/** What there is to say about a scan; nothing about one without contrast, on which nothing is measured. */
export const listFindings = (quality: ScanQuality | null): ScanFinding[] =>
  quality?.hasContrast ? rules.flatMap((rule) => rule(quality) ?? []) : [];

/** @param codes of the warnings that the volume carries itself */
export const withViewDoubts = (quality: ScanQuality, codes: readonly string[]): ScanQuality => ({
  ...quality,
  viewDoubts: viewDoubts.filter((code) => codes.includes(code)),
});

/** Whether air or material differs over the scan by more than one grey value for all of it can bear. */
export const isUneven = (quality: ScanQuality | 'unjudged' | null): boolean =>
  quality !== null &&
  quality !== 'unjudged' &&
  quality.hasContrast &&
  ((quality.unevenness ?? 0) > limits.uneven.marked || (quality.gradient ?? 0) > limits.gradient.marked);

/** At local levels cupping and shading are known, and no longer held against a surface and the voids under it. */
export function followLevels(finding: ScanFinding): ScanFinding {
  if (finding.code !== 'SCAN_UNEVEN' && finding.code !== 'SCAN_GRADIENT') return finding;
  const followed = mark('The surface follows it: it lies midway between air and material around each place.');
  const defects = mark('Each closed void is measured against the material around it.');
  return { ...finding, effects: { ...finding.effects, surface: followed, walls: followed, defects } };
}

const noContrast =
  'The scan shows one grey value and noise: it holds no part, or material fills all of it. Either way there is no surface to measure.';
const noAir =
  'Material fills the whole scan, with no air around it: the part has no outer surface in it. Its pores are too few or too small to tell the grey value of air: to measure them, give the grey value of the surface.';

/** Why nothing is measured on a scan without contrast. */
export const explainNoContrast = ({ isFilled }: ScanQuality): string => (isFilled ? noAir : noContrast);

/** Of a scan of too few voxels, or so odd that its levels can't be told. */
export const unjudged: ScanFinding = {
  code: 'SCAN_UNJUDGED',
  found:
    'The scan could not be judged: it has fewer than 28 voxels along an axis, or its grey values don’t part.',
  effects: onAll(mark('Whether it is cut, uneven, noisy or too coarse for this number is not known.')),
};

/** Where local levels were asked for and there is no place that tells them. */
export const oneLevel: ScanFinding = {
  code: 'SCAN_ONE_LEVEL',
  found: 'Nothing lies deep enough in the part to tell its grey value place by place.',
  effects: onAll(
    mark('One level was taken for all of it, which may be off by some percent of the contrast.'),
  ),
};

/**
 * How near to the material the level of a surface may lie, as a share of the contrast, and how near to air in deviations; but
 * about midway it lies right however strong the noise is, which is filtered before anything is taken for material.
 */
const levelMargin = 0.2;
const airDeviations = 2;
const midway = 0.35;

/** The level at which a surface or voids were taken, where it lies next to air or a material. */
export function checkLevel(quality: ScanQuality, level: number): ScanFinding | null {
  const { airGrey, contrastToNoise } = quality;
  const lightest = quality.materials[0]?.grey ?? Number.POSITIVE_INFINITY;
  const share = (level - airGrey) / (lightest - airGrey);
  const least = contrastToNoise === null ? 0 : Math.min(airDeviations / contrastToNoise, midway);
  if (share > least && share < 1 - levelMargin) return null;
  const grey = (value: number) => formatNumber(value, 0);
  const says =
    share >= 1 - levelMargin ? 'Material is taken for air.' : 'Air and noise are taken for material.';
  const effect = refuse(says);
  return {
    code: 'SCAN_LEVEL',
    found: `The level of ${grey(level)} lies next to ${share <= least ? `air (${grey(airGrey)})` : `the lightest material (${grey(lightest)})`}.`,
    effects: { surface: effect, walls: effect, deviation: effect, defects: effect },
  };
}

/** What a finding says to the numbers of one analysis; nothing where it does not touch them. */
export const warnOf = (
  { code, found, effects }: ScanFinding,
  restsOn: RestsOn,
  measures: string[],
): Warning[] => {
  const effect = effects[restsOn];
  if (!effect) return [];
  const { says, invalidates } = effect;
  return [{ code, message: `${found} ${says}`, measures, ...(invalidates ? { invalidates } : {}) }];
};
