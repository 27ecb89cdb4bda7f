/** Rules about parts that a scan shows less reliably: thin, with narrow gaps, of several materials, or cut. */
import { formatNumber } from '../base/format-number.ts';
import type { ScanQuality } from '../metadata/scan-quality.ts';
import {
  defectMeasures,
  type Effect,
  mark,
  onSurfaces,
  percent,
  type Rule,
  refuse,
  resize,
  type ScanFinding,
  upTo,
} from './scan-finding.ts';

/** Limits derived from scans of known bodies. */
const limits = {
  /** massive parts have 0.25 or more, parts of struts and sheets up to 7 voxels thick 0.2 or less */
  full: 0.22,
  /** largest share of the part in thin walls for which volume and area stay reliable */
  thin: 0.05,
  /** shares of the part's volume; small pores alone amount to 0.004 */
  gaps: { marked: 0.005, surface: 0.03 },
  /**
   * Variation of grey values inside the part, as a share of the contrast, that indicates unresolved gaps. Laminates and
   * filled resins reach 0.09. Values between half of the contrast and all of it vary by at most 0.25; a larger variation
   * means darker places, which the surface encloses.
   */
  texture: { from: 0.12, to: 0.25 },
  /** laminates, wood and filled resins reach 0.1, other parts 0.05; foils, rolls, coils and powder with unresolved gaps have 0.15 to 0.8 */
  unresolved: 0.125,
  /** 0.15: a skin of twice the grey value on a seventh of the edges, or of 1.15 times on all edges */
  skin: { marked: 0.03, surface: 0.15 },
  /** share of the surface that may lie too far out, as a dense material does at the level of a lighter one */
  bare: 0.05,
} as const;

/** Whether hardly any place lies deep enough inside the part to reach the material's full grey value. */
export const isShallow = ({ fullShare = null }: Pick<ScanQuality, 'fullShare'>): boolean =>
  fullShare !== null && fullShare < limits.full;

const fewDeep: Rule = ({ fullShare }) => {
  if (!isShallow({ fullShare })) return null;
  const consequence =
    'The level may be too low by a few percent of the contrast, so struts and walls are measured too thick.';
  return {
    code: 'SCAN_FEW_DEEP',
    shownBy: 'fewDeep',
    found: `Only ${percent(fullShare ?? 0)} of the part lies deep enough inside to determine the material’s grey value.`,
    effects: { ...onSurfaces(mark(consequence)), defects: resize(consequence) },
  };
};

const thinWalls: Rule = ({ thinnestWallVoxels, thinShare }) => {
  if (thinnestWallVoxels === null) return null;
  const consequence = 'Walls under 4 voxels are measured wrong by up to a voxel.';
  return {
    code: 'SCAN_THIN_WALLS',
    shownBy: 'thinWalls',
    found: `The thinnest walls have ${formatNumber(thinnestWallVoxels, 1)} voxels; thin walls make up ${percent(thinShare)} of the part.`,
    effects: {
      surface: upTo(
        thinShare,
        limits.thin,
        'Volume and area of these walls may be wrong by 20 %.',
        'Volume and area may be wrong by 20 %.',
      ),
      walls: refuse(consequence),
      deviation: refuse('Deviations of these walls may be wrong by up to a voxel.'),
      defects: {
        ...resize('Porosity may be wrong: the volume of these walls may be wrong by 20 %.'),
        unaffected: defectMeasures,
      },
    },
  };
};

/** Fibres, grains or wires so close that gaps are nowhere as dark as air, and material nowhere reaches its full grey value. */
const isBundle = ({ fullShare, texture }: ScanQuality): boolean =>
  isShallow({ fullShare }) && (texture ?? 0) > limits.texture.from && (texture ?? 0) < limits.texture.to;

const wallsBeside = 'Walls beside such gaps are measured too thick, or as one wall.';
const closedGaps = (found: string, consequence: string): ScanFinding => ({
  code: 'SCAN_NARROW_GAPS',
  shownBy: 'fewDeep',
  found,
  effects: {
    ...onSurfaces(refuse(consequence)),
    walls: refuse(wallsBeside),
    defects: refuse('The gaps are missed and count as material.'),
  },
});

const narrowGaps: Rule = (quality) => {
  const { texture, unresolved } = quality;
  const gapShare = Math.max(quality.gapShare ?? 0, quality.faintGapShare ?? 0);
  if (isBundle(quality))
    return closedGaps(
      `Grey values within the part vary by ${percent(texture ?? 0)} of the contrast, and hardly any place reaches the full grey value: the part may consist of fibres or grains with gaps under two voxels.`,
      'The surface closes the gaps; volume may be 50 % too large.',
    );
  if ((unresolved ?? 0) > limits.unresolved)
    return closedGaps(
      `Grey values within the part rise and fall every few voxels, without blur by ${percent(unresolved ?? 0)} of the contrast or more: the part may consist of foils, wires or grains with gaps under two voxels.`,
      'The surface closes the gaps; volume may be more than twice too large.',
    );
  if (gapShare <= limits.gaps.marked) return null;
  return {
    code: 'SCAN_NARROW_GAPS',
    shownBy: 'narrowGaps',
    found: `Gaps and pores narrower than two voxels, or equally thin layers of a lighter material, take up about ${percent(gapShare)} of the part’s volume.`,
    effects: {
      surface: upTo(
        gapShare,
        limits.gaps.surface,
        'The surface closes some of these gaps; volume is too large.',
        'The surface closes some of these gaps; volume is a few percent too large.',
      ),
      walls: mark(wallsBeside),
      deviation: mark('Deviations beside such gaps may be wrong by up to half a voxel.'),
      defects: mark('Gaps that reach the outside may be missed and count as material.'),
    },
  };
};

const skin: Rule = ({ skin: height = null }) => {
  if (height === null || height <= limits.skin.marked) return null;
  const surface = upTo(
    height,
    limits.skin.surface,
    'There the surface is tenths of a voxel too far out.',
    'The surface is half a voxel or more too far out.',
  );
  return {
    code: 'SCAN_SKIN',
    shownBy: 'skin',
    found: `Edges are brighter than the material behind them by ${percent(height)} of the contrast on average, like a thin skin of a denser material.`,
    effects: {
      ...onSurfaces(surface),
      defects: mark(
        'Porosity is too low, because the volume is too large; a dense skin may be detected as an inclusion.',
      ),
    },
  };
};

const materials: Rule = ({ materials: found, bareShare }) => {
  if (found.length < 2) return null;
  const bare = bareShare ?? 0;
  const isBare = bare > limits.bare;
  const tooFarOut = `${percent(bare)} of the surface belongs to a material denser than the lightest one; there the surface is up to a voxel too far out.`;
  const orTooFarOut = (consequence: string): Effect => (isBare ? refuse(tooFarOut) : mark(consequence));
  const shares = found.map(({ share }) => percent(share)).join(', ');
  return {
    code: 'SCAN_MATERIALS',
    shownBy: 'materials',
    found: `The scan shows ${found.length} materials (${shares} of the part, the lightest first), or one that is very uneven.`,
    effects: {
      surface: orTooFarOut('Where materials meet, the surface is less certain.'),
      walls: orTooFarOut('Walls are measured from air to air, across all materials.'),
      deviation: orTooFarOut('Where materials meet, the deviation is less certain.'),
      defects: refuse(
        'One threshold serves all materials: pores in a dense one may be missed, and a light one may count as air.',
      ),
    },
  };
};

/** Alternative explanation when all faces of the scan are bright. */
const inverted =
  'If air is brighter than the part, the grey values are inverted: invert them before the upload.';

const filled: Rule = ({ isFilled }) =>
  isFilled
    ? {
        code: 'SCAN_FILLED',
        shownBy: 'cut',
        found: `Material fills the whole scan, without air around it, so there is no outer surface. ${inverted}`,
        effects: {
          surface: refuse('Volume and area are those of the scanned region; only its pores have surfaces.'),
          walls: refuse('Only walls between pores are measured.'),
          deviation: refuse('Only surfaces of pores are compared.'),
          pose: refuse('Only surfaces of pores are aligned.'),
          defects: mark(
            'The grey value of air is that of the widest pores. Gates on porosity need a region within the scan.',
          ),
        },
      }
    : null;

const cut: Rule = ({ border, isFilled }) => {
  if (border.length === 0 || isFilled) return null;
  return {
    code: 'SCAN_CUT',
    shownBy: 'cut',
    found: `The part reaches beyond the scan at ${border.join(', ')}.${border.length === 6 ? ` ${inverted}` : ''}`,
    effects: {
      surface: refuse('Volume and area are those of the scanned region; cut faces count as surface.'),
      walls: refuse('Cut faces are measured as walls.'),
      defects: {
        ...refuse(
          'Porosity and defects are those of the scanned region; the rest of the part may have more. To judge a piece, choose a region within the scan.',
        ),
        unaffected: ['cutPorosity', 'cutCount', 'detectionLimitMm'],
      },
    },
  };
};

export const partRules: readonly Rule[] = [fewDeep, thinWalls, narrowGaps, skin, materials, filled, cut];
