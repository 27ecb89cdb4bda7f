import type { UnseenField } from '../grid/unseen-field.ts';
import type { Vector3 } from '../grid/volume.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';

/** A smaller share of the blocks does not affect any level. */
const minShare = 0.01;
/** Largest standard deviation within a constant block, as a share of the greatest mean. */
const rounding = 1e-6;
/**
 * Smallest radius of the field of view, as a share of half the scan's width; a round part whose background was removed
 * is narrower.
 */
const minRadius = 0.8;
/** A block cut by the circle has its centre no further from it than half its diagonal. */
const blockReach = (blockCells / 2) * Math.SQRT2;

export interface UnseenBlocks {
  field: UnseenField;
  /** 1: a block that contains only unseen cells */
  isUnseen: Uint8Array;
}

/**
 * Finds the part of a scan that has one grey value because it is outside of the field of view: everything beyond a
 * circle around an axis through the centre, whole planes at the ends, or both. Inside, few blocks may be constant; many
 * are where the background was removed, and in air without noise.
 * @returns null when nothing is constant, or when it is constant for another reason
 */
export function findUnseen(blocks: BlockGrid, dimensions: Vector3): UnseenBlocks | null {
  const { means, deviations } = blocks;
  let greatest = 0;
  for (let at = 0; at < means.length; at++) greatest = Math.max(greatest, Math.abs(means[at]) || 0);
  const isEven = (at: number) => deviations[at] <= rounding * greatest;
  const corners = new Set([0, means.length - 1].filter(isEven).map((corner) => means[corner]));
  for (const value of corners) {
    const isUnseen = new Uint8Array(means.length);
    let [count, silent] = [0, 0];
    for (let at = 0; at < means.length; at++) {
      if (!isEven(at)) continue;
      if (means[at] !== value) silent++;
      else {
        isUnseen[at] = 1;
        count++;
      }
    }
    if (count < minShare * means.length || 2 * silent > means.length - count) continue;
    for (const axis of [2, 1, 0] as const) {
      const found = describeField(blocks, isUnseen, axis, dimensions);
      if (found) return { field: { value, axis, ...found }, isUnseen };
    }
  }
  return null;
}

function describeField(
  { size, stride, first }: BlockGrid,
  isUnseen: Uint8Array,
  axis: 0 | 1 | 2,
  dimensions: Vector3,
): Pick<UnseenField, 'radiusVoxels' | 'planes'> | null {
  const strides = [1, size[0], size[0] * size[1]];
  const [u, v] = [0, 1, 2].filter((k) => k !== axis);
  const findMiddle = (place: number, k: number) =>
    first[k] + place * stride + (blockCells - dimensions[k]) / 2;
  const radii = new Float64Array(size[u] * size[v]);
  for (let j = 0; j < size[v]; j++)
    for (let i = 0; i < size[u]; i++) radii[j * size[u] + i] = Math.hypot(findMiddle(i, u), findMiddle(j, v));
  const layers = Array.from({ length: size[axis] }, (_, layer) => {
    let [nearest, farthest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let j = 0; j < size[v]; j++) {
      for (let i = 0; i < size[u]; i++) {
        const radius = radii[j * size[u] + i];
        const at = layer * strides[axis] + j * strides[v] + i * strides[u];
        if (isUnseen[at] === 1) nearest = Math.min(nearest, radius);
        else farthest = Math.max(farthest, radius);
      }
    }
    return { nearest, farthest };
  });
  const hasSeen = ({ farthest }: { farthest: number }) => farthest >= 0;
  const [from, last] = [layers.findIndex(hasSeen), layers.findLastIndex(hasSeen)];
  if (from < 0) return null;
  const seen = layers.slice(from, last + 1).filter(hasSeen);
  const nearest = Math.min(...seen.map((each) => each.nearest));
  const farthest = Math.max(...seen.map((each) => each.farthest));
  const isRound = Number.isFinite(nearest);
  // Seen and unseen blocks overlap by the blocks cut by the circle, which count as seen.
  if (isRound && farthest - nearest > blockReach + 1) return null;
  const half = Math.min(dimensions[u], dimensions[v]) / 2;
  if (isRound && nearest < minRadius * half) return null;
  const findEnd = (layer: number) => first[axis] + layer * stride;
  return {
    radiusVoxels: isRound ? nearest - stride - blockReach : null,
    // The ends lie somewhere between two layers.
    planes: [
      from === 0 ? 0 : findEnd(from) + blockCells,
      last === size[axis] - 1 ? dimensions[axis] : findEnd(last),
    ],
  };
}

/** The blocks with missing values for those that were not seen, or are cut by the edge of the field of view. */
export function withoutUnseen(
  blocks: BlockGrid,
  { axis, radiusVoxels, planes: [from, to] }: UnseenField,
  dimensions: Vector3,
): BlockGrid {
  const { size, stride, first } = blocks;
  const means = blocks.means.slice();
  const most = radiusVoxels ?? Number.POSITIVE_INFINITY;
  const start: Vector3 = [0, 0, 0];
  const across: Vector3 = [0, 0, 0];
  for (let at = 0; at < means.length; at++) {
    const row = Math.floor(at / size[0]);
    start[0] = first[0] + (at % size[0]) * stride;
    start[1] = first[1] + (row % size[1]) * stride;
    start[2] = first[2] + Math.floor(row / size[1]) * stride;
    for (let k = 0; k < 3; k++) across[k] = k === axis ? 0 : start[k] + (blockCells - dimensions[k]) / 2;
    const isWithin = start[axis] >= from && start[axis] + blockCells <= to;
    if (!isWithin || Math.hypot(across[0], across[1], across[2]) > most) means[at] = Number.NaN;
  }
  return { ...blocks, means };
}

/**
 * Sides on which the part continues where nothing was seen.
 * @param blocks all of them
 */
export function findCutSides(
  { means, size }: BlockGrid,
  level: number,
  isUnseen: Uint8Array,
  fewest: number,
): Set<number> {
  const counts = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < means.length; at++) {
    if (!(means[at] > level)) continue;
    for (const [axis, step] of [1, size[0], size[0] * size[1]].entries()) {
      const place = Math.floor(at / step) % size[axis];
      if (place > 0 && isUnseen[at - step] === 1) counts[2 * axis]++;
      if (place < size[axis] - 1 && isUnseen[at + step] === 1) counts[2 * axis + 1]++;
    }
  }
  return new Set([...counts.keys()].filter((face) => counts[face] >= fewest));
}
