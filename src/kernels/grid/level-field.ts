/**
 * A volume on one scale: air and material have the same grey values everywhere, although they drift across the scan.
 * Values are base + gain · grey, both interpolated between nodes, so that a search for one level finds the local one.
 */
import type { LevelField } from './volume.ts';

/** Air and material on the scale: 16-bit integers, with room for noise below and metal above. */
export const levelled = { air: 12_000, contrast: 12_000 } as const;

/** Scale of a volume, from its levels at each node. */
export function scaleField({
  nodes,
  brickCells,
  air,
  contrast,
}: Pick<LevelField, 'nodes' | 'brickCells'> & { air: Float32Array; contrast: Float32Array }): LevelField {
  const gain = Float32Array.from(contrast, (height) => levelled.contrast / height);
  const base = Float32Array.from(air, (grey, i) => levelled.air - gain[i] * grey);
  return { nodes, brickCells, base, gain };
}

/** Lowest and highest value on the scale that a grey value gets anywhere in planes from … to−1 across an axis. */
export function rangeOnScale(
  { nodes, brickCells, base, gain }: LevelField,
  grey: number,
  axis = 0,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): [number, number] {
  const first = Math.max(0, Math.floor(from / brickCells - 0.5));
  const last = Math.min(nodes[axis] - 1, Math.ceil(to / brickCells - 0.5));
  const step = [1, nodes[0], nodes[0] * nodes[1]][axis];
  let [low, high] = [Infinity, -Infinity];
  // Nodes at one position along the axis are contiguous in runs of this length.
  for (let start = Math.min(first, last) * step; start < base.length; start += nodes[axis] * step) {
    const end = start + (last + 1 - Math.min(first, last)) * step;
    for (let i = start; i < end; i++) {
      const value = base[i] + gain[i] * grey;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return [low, high];
}

/** The nodes before and after a cell, and the interpolation weight of the second. */
export function betweenNodes(cell: number, brickCells: number, nodes: number): [number, number, number] {
  const place = Math.min(Math.max((cell + 0.5) / brickCells - 0.5, 0), nodes - 1);
  const node = Math.floor(place);
  return [node, Math.min(nodes - 1, node + 1), place - node];
}
