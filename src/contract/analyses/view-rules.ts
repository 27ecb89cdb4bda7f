/** Rules about shortcomings of the radiographs behind a reconstructed volume. */
import { formatNumber } from '../base/format-number.ts';
import type { ScanQuality, viewDoubts } from '../metadata/scan-quality.ts';
import { mark, onAll, type Rule, refuse, resize, type ScanFinding } from './scan-finding.ts';

/** Rule for one warning of the reconstruction. */
const findDoubt =
  (
    code: (typeof viewDoubts)[number],
    found: string,
    judge: (quality: ScanQuality) => ScanFinding['effects'],
  ): Rule =>
  (quality) =>
    quality.viewDoubts?.includes(code) ? { code, found, effects: judge(quality) } : null;

/** Everything is a little too large or too small. */
const onSizes = (consequence: string): ScanFinding['effects'] => ({
  ...onAll(mark(consequence)),
  defects: resize(consequence),
});

const smeared = 'Faces along which no ray passed are smeared or missing.';

export const viewRules: readonly Rule[] = [
  findDoubt('ANGLES_MISSING', 'The radiographs of this volume do not cover all directions.', () => ({
    ...onAll(refuse(smeared)),
    pose: mark(smeared),
    defects: refuse('Voids are drawn out along the missing directions, and streaks may be taken for them.'),
  })),
  findDoubt('FEW_PROJECTIONS', 'This volume was reconstructed from few projections.', () => ({
    ...onAll(mark('Streaks roughen the surface.')),
    defects: mark('Streaks may be taken for small pores.'),
  })),
  findDoubt('CENTER_ASSUMED', 'The centre of rotation of this volume was not measured.', () =>
    onAll(mark('If it is off, edges are doubled, and walls and voids come out wider or narrower.')),
  ),
  findDoubt(
    'CENTER_DIFFERS',
    'This volume was reconstructed about another centre of rotation than its radiographs show.',
    () => onAll(refuse('Edges are doubled where it is off, and walls and voids come out wrong.')),
  ),
  findDoubt(
    'FIELD_TRUNCATED',
    'The part reached beyond the detector at its sides while this volume was scanned.',
    () => ({
      ...onAll(refuse('The part is cut there, and grey values rise towards the cut.')),
      pose: mark('What was cut off can’t be aligned.'),
    }),
  ),
  findDoubt(
    'BEAM_SATURATED',
    'The detector was saturated beside the part while this volume was scanned.',
    () => ({
      ...onAll(refuse('Where the part absorbs little it is missing: surfaces lie too far inside.')),
      pose: mark('Its surfaces lie too far inside.'),
    }),
  ),
  findDoubt(
    'BEAM_ABSORBED',
    'Nothing but noise was left of the beam behind the densest places of this part.',
    () => ({
      ...onAll(refuse('Grey values are wrong along these rays: surfaces and voids move.')),
      pose: mark('Surfaces along these rays are moved.'),
    }),
  ),
  findDoubt('ROW_REPEATED', 'A row of the radiographs of this volume is the same as the one before it.', () =>
    onAll(refuse('If rows were doubled or lost, the part is stretched or torn there.')),
  ),
  findDoubt(
    'EDGES_INWARD',
    'Focal spot or detector blurred the radiographs of this strongly absorbing part.',
    ({ edgesInwardVoxels: voxels }) =>
      onSizes(
        voxels === undefined
          ? 'Its surface lies too far inside by a tenth of a voxel or so, and pores are too large.'
          : `Its surface lies too far inside by about ${formatNumber(voxels, 2)} voxels, and pores are too large; intervals reach beyond that.`,
      ),
  ),
  findDoubt(
    'HARDENING_LEFT',
    'This volume of a strongly absorbing part was reconstructed without beam hardening correction.',
    () =>
      onSizes('If the beam had a spectrum, walls are up to 5 % too thick, and pores up to 20 % too small.'),
  ),
  findDoubt('RINGS_REMOVED', 'Rings were removed from this volume.', () => ({
    ...onAll(mark('Faces that run around the axis of rotation can be shifted by a twentieth of a voxel.')),
    defects: resize('What remains of them can change the size of pores by a few percent.'),
  })),
];
