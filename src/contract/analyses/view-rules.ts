/** What the radiographs of a reconstructed scan lack. */
import { formatNumber } from '../base/format-number.ts';
import { mark, onAll, type Rule, refuse } from './scan-finding.ts';

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

const inwardEdges: Rule = ({ viewDoubts: said = [], edgesInwardVoxels: voxels }) =>
  said.includes('EDGES_INWARD')
    ? {
        code: 'EDGES_INWARD',
        found: 'Focal spot or detector blurred the radiographs of this strongly absorbing part.',
        effects: onAll(
          mark(
            voxels === undefined
              ? 'Its surface lies too far inside by a tenth of a voxel or so, and pores are too large.'
              : `Its surface lies too far inside by about ${formatNumber(voxels, 2)} voxels, and pores are too large; intervals reach beyond that.`,
          ),
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

export const viewRules: readonly Rule[] = [
  missingViews,
  fewViews,
  assumedCenter,
  disputedCenter,
  truncatedField,
  inwardEdges,
  leftHardening,
  removedRings,
];
