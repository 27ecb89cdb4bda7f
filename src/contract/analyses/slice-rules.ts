/** Rules about slices, and rows and columns in them, that are missing, shifted or out of order. */
import { formatNumber } from '../base/format-number.ts';
import type { ScanQuality } from '../metadata/scan-quality.ts';
import { filtered, hasStrongBands } from './grey-rules.ts';
import { mark, onSurfaces, type Rule, refuse, type ScanFinding } from './scan-finding.ts';

const limits = {
  /** sharp edges reach 0; walls one voxel thick also reverse, so parts consisting mainly of thin walls are not judged */
  order: { marked: -0.3, thin: 0.5 },
  /** in voxels; thin walls are not judged, because their few edges bend together at the ends */
  sway: 0.4,
  swayThin: 0.1,
} as const;

const lostSlices: Rule = ({ lostSlices: count }) => {
  if (count === null || count === 0) return null;
  const consequence = 'These slices contain no measured values.';
  return {
    code: 'SCAN_LOST_SLICES',
    shownBy: 'lostSlices',
    found: `${count} ${count === 1 ? 'slice is' : 'slices are'} empty or repeated.`,
    effects: { ...onSurfaces(refuse(consequence)), defects: refuse(consequence) },
  };
};

/** What is out of order: slices, or rows or columns within slices. */
function findTorn({ sliceOrder, rowOrder, columnOrder }: ScanQuality): string | null {
  const isTorn = (order: number | null | undefined) => order != null && order < limits.order.marked;
  if (isTorn(sliceOrder)) return 'from slice to slice and back: slices';
  if (isTorn(rowOrder)) return 'from row to row within slices and back: rows (along x)';
  return isTorn(columnOrder) ? 'from column to column within slices and back: columns (along y)' : null;
}

const slicesMoved: Rule = (quality) => {
  const { seams = [], lostSlices: lost, thinShare, sway } = quality;
  // Lost slices and strong bands have their own findings.
  if (lost || hasStrongBands(quality)) return null;
  // Thin walls reverse from voxel to voxel even in correct order; seams, however, are reliable for them.
  const torn = thinShare > limits.order.thin ? null : findTorn(quality);
  // Edge-preserving filters make edges steeper than blur allows, which resembles a seam.
  const isJoined = seams.length > 0 && filtered(quality) === null;
  if (!torn && !isJoined)
    return (sway ?? 0) > limits.sway && thinShare < limits.swayThin ? describeSway(sway ?? 0) : null;
  const consequence = torn
    ? 'Surfaces are torn and do not show the part.'
    : 'Lengths, areas and volumes across the jump are wrong.';
  return {
    code: 'SCAN_SLICES_MOVED',
    shownBy: 'slicesMoved',
    found: torn
      ? `Edges jump ${torn} are out of order or shifted.`
      : `The part jumps before slice ${seams.slice(0, namedSeams).join(', ')}${seams.length > namedSeams ? ' and others' : ''}: slices are doubled or missing there. Two scans may have been joined.`,
    effects: { ...onSurfaces(refuse(consequence)), defects: refuse(consequence) },
  };
};

/** Maximum number of seams named in the message. */
const namedSeams = 3;

function describeSway(voxels: number): ScanFinding {
  const amount = formatNumber(voxels, 1);
  return {
    code: 'SCAN_SLICES_MOVED',
    shownBy: 'slicesMoved',
    found: `Half of the slices are shifted sideways by ${amount} voxels or more against their neighbours: the part or the stage may have swayed.`,
    effects: {
      surface: mark('Unless the part itself is wavy, its area is a few percent to a third too large.'),
      walls: mark('Unless the part itself is wavy, walls are measured up to 10 % too thin.'),
      deviation: mark(`Unless the part itself is wavy, surfaces are wrong by ${amount} voxels or more.`),
      defects: mark(
        'Unless the part itself is wavy, surface areas of voids are too large, and cracks look bent.',
      ),
    },
  };
}

export const sliceRules: readonly Rule[] = [lostSlices, slicesMoved];
