import type { CellBox } from '../grid/region.ts';
import type { SlabSource, Vector3 } from '../grid/volume.ts';
import type { FoundWall } from './fit-walls.ts';
import { type GreyBox, measureUnevenness, readProfile, spanAlong } from './profile.ts';

/** Planes per group, number of groups, and total number of walls to find. */
const [groupPlanes, maxGroups, maxWalls] = [40, 8, 400];
const maxCells = 24e6;
/** Voxels that the profile of a wall extends on either side of a place in it. */
const reach = 6;
/** Voxels on either side that determine the direction at a place. */
const around = 3;
/** Voxels on either side of the line through a wall: with more of them, noise affects the fit less. */
export const beside = 2;
/** Limit of the difference between the halves of a wall's surroundings, for walls that are fitted together. */
export const evenWithin = 0.08;

/** Walls at places above a level, evenly over a region, with a first estimate of each slab. */
export async function sampleWalls(
  source: SlabSource,
  { cells, isoValue, air }: { cells: CellBox; isoValue: number; air: number },
): Promise<FoundWall[]> {
  const { dimensions, voxelSizeMm } = source.grid;
  const [nx, ny] = dimensions;
  const depth = cells.to[2] - cells.from[2];
  const planes = Math.min(
    depth,
    Math.max(2 * reach + 4, Math.min(groupPlanes, Math.floor(maxCells / (nx * ny)))),
  );
  const groups = Math.min(maxGroups, Math.ceil(depth / planes));
  const found: FoundWall[] = [];
  for (let group = 0; group < groups; group++) {
    const from = cells.from[2] + Math.round(((depth - planes) * (group + 0.5)) / groups);
    const values: ArrayLike<number> = await source.readSlab(from, from + planes);
    const box: GreyBox = {
      values,
      strides: [1, nx, nx * ny],
      offset: -from * nx * ny,
      from: [cells.from[0], cells.from[1], from],
      to: [cells.to[0], cells.to[1], from + planes],
      voxelSizeMm,
    };
    const places = placesAbove(box, isoValue);
    const step = Math.max(1, places.length / (maxWalls / groups));
    for (let i = 0; i < places.length; i += step) {
      const wall = wallAt(box, places[Math.floor(i)], air);
      if (wall) found.push(wall);
    }
  }
  return found;
}

/** Indices of elements whose surroundings are inside the box. */
function placesAbove({ values, strides, offset, from, to }: GreyBox, isoValue: number): number[] {
  const margin = around + 1;
  const found: number[] = [];
  for (let z = from[2] + margin; z < to[2] - margin; z++) {
    for (let y = from[1] + margin; y < to[1] - margin; y++) {
      const row = offset + y * strides[1] + z * strides[2];
      for (let x = from[0] + margin; x < to[0] - margin; x++) {
        const at = row + x;
        // Together with the neighbours: noise alone does not exceed the level in all of them.
        let sum = values[at];
        for (const step of strides) sum += values[at - step] + values[at + step];
        if (sum > 7 * isoValue) found.push(at);
      }
    }
  }
  return found;
}

function wallAt(box: GreyBox, at: number, air: number): FoundWall | null {
  const { strides, offset, voxelSizeMm } = box;
  const z = Math.floor((at - offset) / strides[2]);
  const y = Math.floor((at - offset - z * strides[2]) / strides[1]);
  const x = at - offset - z * strides[2] - y * strides[1];
  const place = [x * voxelSizeMm[0], y * voxelSizeMm[1], z * voxelSizeMm[2]];
  const normal = steepestDirection(box, at);
  const reachMm = reach * spanAlong(normal, voxelSizeMm);
  const profile = readProfile(box, { place, normal, fromMm: -reachMm, toMm: reachMm, around: beside });
  if (!profile || measureUnevenness(profile, beside, air) > evenWithin) return null;
  const { places, greys, spanMm } = profile;
  // Layers, and their means along the line.
  const each = (2 * beside + 1) ** 2;
  const layers = places.length / each;
  const [means, middles] = [new Float64Array(layers), new Float64Array(layers)];
  let [total, moment, most] = [0, 0, 0];
  for (let k = 0; k < layers; k++) {
    for (let i = each * k; i < each * k + each; i++) {
      means[k] += (greys[i] - air) / each;
      middles[k] += places[i] / each;
    }
    total += means[k];
    moment += means[k] * middles[k];
    most = Math.max(most, means[k]);
  }
  // Both ends must be air, or the wall does not end here.
  const ends = Math.max(Math.abs(means[0]), Math.abs(means[layers - 1]));
  if (!(most > 0) || ends > 0.2 * most) return null;
  const thicknessMm = (total * Math.abs(middles[layers - 1] - middles[0])) / (layers - 1) / most;
  if (thicknessMm > reach * spanMm) return null;
  return { profile, slab: { faceMm: moment / total + thicknessMm / 2, thicknessMm, air } };
}

/** First eigenvector of the structure tensor around a voxel, by repeated squaring of the matrix. */
function steepestDirection({ values, strides, voxelSizeMm }: GreyBox, at: number): Vector3 {
  const [sx, sy, sz] = strides;
  let m = new Float64Array(9);
  const g = [0, 0, 0];
  for (let c = -around; c <= around; c++) {
    for (let b = -around; b <= around; b++) {
      for (let a = -around; a <= around; a++) {
        const i = at + a * sx + b * sy + c * sz;
        for (let k = 0; k < 3; k++) g[k] = (values[i + strides[k]] - values[i - strides[k]]) / voxelSizeMm[k];
        for (let k = 0; k < 9; k++) m[k] += g[Math.floor(k / 3)] * g[k % 3];
      }
    }
  }
  for (let round = 0; round < 6; round++) {
    const scale = m[0] + m[4] + m[8];
    if (!(scale > 0)) return [1, 0, 0];
    const next = new Float64Array(9);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        for (let k = 0; k < 3; k++) next[3 * i + j] += (m[3 * i + k] / scale) * (m[3 * k + j] / scale);
      }
    }
    m = next;
  }
  const largest = m[0] >= m[4] && m[0] >= m[8] ? 0 : m[4] >= m[8] ? 1 : 2;
  const column = [m[largest], m[3 + largest], m[6 + largest]];
  const length = Math.hypot(...column);
  return column.map((n) => n / length) as Vector3;
}
