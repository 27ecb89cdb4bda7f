/**
 * Empty-space skipping for rays through a volume: the lowest and highest value of each brick of 8³ voxels, and the
 * distance from each brick to the nearest visible one. Deakin & Knackstedt 2019, doi:10.1145/3355088.3365164.
 */
import type { Vector3 } from './volume.ts';

export const brickEdge = 8;
const farthest = 255;

export interface BrickMap {
  /** number of bricks along x, y, z */
  size: Vector3;
  /** of each brick, including one voxel of its neighbours because interpolation reaches it; x fastest */
  lowest: Uint16Array<ArrayBuffer>;
  highest: Uint16Array<ArrayBuffer>;
}

/** O(voxels). @param voxels x fastest */
export function mapBricks(voxels: Uint16Array, [nx, ny, nz]: Vector3): BrickMap {
  const size: Vector3 = [Math.ceil(nx / brickEdge), Math.ceil(ny / brickEdge), Math.ceil(nz / brickEdge)];
  const [bx, by, bz] = size;
  const lowest = new Uint16Array(bx * by * bz).fill(65535);
  const highest = new Uint16Array(bx * by * bz);
  // Minimum and maximum of each row segment first, so that each voxel is read little more than once.
  const rowLow = new Uint16Array(bx);
  const rowHigh = new Uint16Array(bx);
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      const row = nx * (y + ny * z);
      for (let b = 0; b < bx; b++) {
        let low = 65535;
        let high = 0;
        const end = Math.min(nx, (b + 1) * brickEdge + 1);
        for (let x = Math.max(0, b * brickEdge - 1); x < end; x++) {
          const value = voxels[row + x];
          if (value < low) low = value;
          if (value > high) high = value;
        }
        rowLow[b] = low;
        rowHigh[b] = high;
      }
      for (const k of listBricks(z, bz)) {
        for (const j of listBricks(y, by)) {
          const at = bx * (j + by * k);
          for (let b = 0; b < bx; b++) {
            if (rowLow[b] < lowest[at + b]) lowest[at + b] = rowLow[b];
            if (rowHigh[b] > highest[at + b]) highest[at + b] = rowHigh[b];
          }
        }
      }
    }
  }
  return { size, lowest, highest };
}

/** Bricks along an axis whose range includes a voxel: its own, and a neighbour if the voxel is at the boundary. */
function listBricks(voxel: number, count: number): number[] {
  const own = Math.floor(voxel / brickEdge);
  if (voxel % brickEdge === 0 && own > 0) return [own - 1, own];
  if (voxel % brickEdge === brickEdge - 1 && own + 1 < count) return [own, own + 1];
  return [own];
}

/**
 * Chebyshev distance in bricks from each brick to the nearest visible one: 0 = visible itself, 255 = none near. Two
 * passes over the 26 neighbours, exact for this metric. O(bricks).
 *
 * @param shows whether the brick with this index is visible
 */
export function mapDistances(
  [bx, by, bz]: Vector3,
  shows: (brick: number) => boolean,
): Uint8Array<ArrayBuffer> {
  const distances = new Uint8Array(bx * by * bz);
  for (let brick = 0; brick < distances.length; brick++) distances[brick] = shows(brick) ? 0 : farthest;
  const relax = (x: number, y: number, z: number, side: 1 | -1) => {
    const at = x + bx * (y + by * z);
    let least = distances[at];
    for (let dz = -1; dz <= 1 && least > 0; dz++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          // Only neighbours that this pass has already visited.
          if (side * (dx + 3 * dy + 9 * dz) >= 0) continue;
          const [i, j, k] = [x + dx, y + dy, z + dz];
          if (i < 0 || j < 0 || k < 0 || i >= bx || j >= by || k >= bz) continue;
          const through = distances[i + bx * (j + by * k)] + 1;
          if (through < least) least = through;
        }
      }
    }
    distances[at] = least;
  };
  for (let z = 0; z < bz; z++) for (let y = 0; y < by; y++) for (let x = 0; x < bx; x++) relax(x, y, z, 1);
  for (let z = bz - 1; z >= 0; z--)
    for (let y = by - 1; y >= 0; y--) for (let x = bx - 1; x >= 0; x--) relax(x, y, z, -1);
  return distances;
}

/**
 * Prefix counts of the table entries above 0, to test any range of values at once: `counts[i]` is their number before
 * entry i.
 *
 * @param opacities over the values 0 … 65535
 */
export function countOpaque(opacities: Uint8Array): Uint32Array {
  const counts = new Uint32Array(opacities.length + 1);
  for (let i = 0; i < opacities.length; i++) counts[i + 1] = counts[i] + (opacities[i] > 0 ? 1 : 0);
  return counts;
}

/** Whether any value in a range is visible; includes one more entry on each side, because the table is interpolated. */
export function isSeen(counts: Uint32Array, lowest: number, highest: number): boolean {
  const last = counts.length - 2;
  const from = Math.max(0, Math.floor((lowest / 65535) * last) - 1);
  const to = Math.min(last, Math.ceil((highest / 65535) * last) + 1);
  return counts[to + 1] > counts[from];
}
