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
  /** laminates, wood and filled resins reach 0.1, other parts 0.05; foils, rolls and powder with unresolved gaps have 0.15 to 0.5 */
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
    'The level may be too low by some percent of the contrast, which makes struts and walls thicker.';
  return {
    code: 'SCAN_FEW_DEEP',
    shownBy: 'fewDeep',
    found: `Only ${percent(fullShare ?? 0)} of the part lies deep enough inside to determine the material’s grey value.`,
    effects: { ...onSurfaces(mark(consequence)), defects: mark(consequence) },
  };
};

const thinWalls: Rule = ({ thinnestWallVoxels, thinShare }) => {
  if (thinnestWallVoxels === null) return null;
  const consequence = 'Below 4 voxels a wall is measured too thick or too thin by up to a voxel.';
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
      walls: refuse(consequence),
      deviation: refuse('Their deviation may be off by up to a voxel.'),
      defects: {
        ...mark('Porosity counts the volume of these walls, which may be off by a fifth.'),
        unaffected: defectMeasures,
      },
    },
  };
};

/** Fibres, grains or wires so close that gaps are nowhere as dark as air, and material nowhere reaches its full grey value. */
const isBundle = ({ fullShare, texture }: ScanQuality): boolean =>
  isShallow({ fullShare }) && (texture ?? 0) > limits.texture.from && (texture ?? 0) < limits.texture.to;

const wallsBeside = 'Walls beside them are measured too thick, or as one wall.';
const closedGaps = (found: string, consequence: string): ScanFinding => ({
  code: 'SCAN_NARROW_GAPS',
  shownBy: 'fewDeep',
  found,
  effects: {
    ...onSurfaces(refuse(consequence)),
    walls: refuse(wallsBeside),
    defects: refuse('Gaps between them are missed, and count as material.'),
  },
});

const narrowGaps: Rule = (quality) => {
  const { gapShare = 0, texture, unresolved } = quality;
  if (isBundle(quality))
    return closedGaps(
      `Grey values within the part vary by ${percent(texture ?? 0)} of the contrast, and hardly a place is full of material: it may consist of fibres or grains with gaps of fewer than two voxels between them.`,
      'The surface closes gaps between them, and the volume may come out half too large.',
    );
  if ((unresolved ?? 0) > limits.unresolved)
    return closedGaps(
      `Grey values within the part rise and fall by ${percent(unresolved ?? 0)} of the contrast from one voxel to the next: it may consist of foils, wires or grains with gaps of fewer than two voxels between them.`,
      'The surface closes gaps between them, and the volume may come out more than twice as large as it is.',
    );
  if (gapShare <= limits.gaps.marked) return null;
  return {
    code: 'SCAN_NARROW_GAPS',
    shownBy: 'narrowGaps',
    found: `Gaps and pores narrower than two voxels make up about ${percent(gapShare)} of the part’s volume.`,
    effects: {
      surface: upTo(
        gapShare,
        limits.gaps.surface,
        'The surface shows less of them, or none, and the volume comes out too large.',
        'The surface shows less of them, or none, and the volume comes out too large by some percent.',
      ),
      walls: mark(wallsBeside),
      deviation: mark('Faces beside them may be off by up to half a voxel.'),
      defects: mark('Those that reach the outside may be missed, and count as material.'),
    },
  };
};

const skin: Rule = ({ skin: height = null }) => {
  if (height === null || height <= limits.skin.marked) return null;
  const surface = upTo(
    height,
    limits.skin.surface,
    'There the surface lies too far out by tenths of a voxel.',
    'The surface lies too far out by half a voxel and more.',
  );
  return {
    code: 'SCAN_SKIN',
    shownBy: 'skin',
    found: `Edges rise above the material behind them by ${percent(height)} of the contrast on average, as with a thin skin of a denser material.`,
    effects: {
      ...onSurfaces(surface),
      defects: mark(
        'Porosity counts a volume that is too large, and a dense skin may be taken for an inclusion.',
      ),
    },
  };
};

const materials: Rule = ({ materials: found, bareShare }) => {
  if (found.length < 2) return null;
  const bare = bareShare ?? 0;
  const isBare = bare > limits.bare;
  const tooFarOut = `${percent(bare)} of the surface is of a denser material than the lightest: there it lies up to a voxel too far out.`;
  const orTooFarOut = (consequence: string): Effect => (isBare ? refuse(tooFarOut) : mark(consequence));
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
        'There is one threshold for all of them: pores in one can be missed, and another can be taken for air.',
      ),
    },
  };
};

/** Alternative explanation when all faces of the scan are bright. */
const inverted =
  'Or the grey values are inverted, with air brighter than the part: invert them before the upload.';

const filled: Rule = ({ isFilled }) =>
  isFilled
    ? {
        code: 'SCAN_FILLED',
        shownBy: 'cut',
        found: `Material fills the whole scan, without air around it, so there is no outer surface. ${inverted}`,
        effects: {
          surface: refuse(
            'Volume and area are of what was scanned; the only surfaces are those of its pores.',
          ),
          walls: refuse('Walls are those between its pores.'),
          deviation: refuse('Only surfaces of its pores are compared.'),
          pose: refuse('Only surfaces of its pores are aligned.'),
          defects: mark(
            'The grey value of air is that of its widest pores. Gates on porosity need a region within the scan.',
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
      surface: refuse('Volume and area are of what was scanned; cut faces count as surface.'),
      walls: refuse('Cut faces are taken for walls.'),
      defects: {
        ...refuse(
          'Porosity and defects are of what was scanned: the rest of the part may hold more. To judge a piece, choose a region within the scan.',
        ),
        unaffected: ['cutPorosity', 'cutCount', 'detectionLimitMm'],
      },
    },
  };
};

export const partRules: readonly Rule[] = [fewDeep, thinWalls, narrowGaps, skin, materials, filled, cut];
