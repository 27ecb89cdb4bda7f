import { type DataType, identityDirections, type Vector3, type Volume, voxelArray } from '../grid/volume.ts';
import { seededNormal } from '../random.ts';
import type { Body } from './bodies.ts';

export interface RenderOptions {
  dimensions: Vector3;
  voxelSizeMm: Vector3;
  /** centre of voxel (0,0,0); by default the grid is centred on the origin */
  originMm?: Vector3;
  dataType?: DataType;
  /** grey values */
  air?: number;
  material?: number;
  /** standard deviation of the noise, in grey values */
  noise?: number;
  seed?: number;
}

/** Sub-cells along each axis of a voxel that the surface may cross. */
const divisions = 3;
/** Voxels along each side of a block that is first tested as a whole. */
const blockCells = 4;
const mixed = 2;
/** Largest allowed change of a distance per unit of length, for bodies whose distances are not quite exact. */
const slack = 1.25;

/**
 * Renders a body as a volume whose voxels hold the mean over their extent (partial volume), with optional noise.
 * Defaults: uint16, air 8 000, material 40 000, no noise.
 */
export function renderBody(body: Body, options: RenderOptions): Volume {
  const { dimensions, voxelSizeMm, dataType = 'uint16', air = 8000, material = 40000 } = options;
  const [nx, ny, nz] = dimensions;
  const [sx, sy, sz] = voxelSizeMm;
  const originMm = options.originMm ?? (dimensions.map((n, k) => -((n - 1) / 2) * voxelSizeMm[k]) as Vector3);
  const data = voxelArray(dataType, nx * ny * nz);
  const normal = seededNormal(options.seed ?? 1);
  const noise = options.noise ?? 0;
  const reach = Math.hypot(sx, sy, sz) / 2;
  const shares = findBlockShares(body, dimensions, voxelSizeMm, originMm);
  const [blocksX, blocksY] = dimensions.map((n) => Math.ceil(n / blockCells));
  const isFloat = dataType === 'float32' || dataType === 'float64';
  let i = 0;
  for (let z = 0; z < nz; z++) {
    const pz = originMm[2] + z * sz;
    for (let y = 0; y < ny; y++) {
      const py = originMm[1] + y * sy;
      const blocks = (Math.floor(z / blockCells) * blocksY + Math.floor(y / blockCells)) * blocksX;
      for (let x = 0; x < nx; x++) {
        let share = shares[blocks + Math.floor(x / blockCells)];
        if (share === mixed) {
          const px = originMm[0] + x * sx;
          const distance = body.distanceMm(px, py, pz);
          share = distance < 0 ? 1 : 0;
          if (Math.abs(distance) < reach) share = shareInside(body, px, py, pz, voxelSizeMm);
        }
        const value = air + (material - air) * share + (noise > 0 ? noise * normal() : 0);
        data[i++] = isFloat ? value : Math.round(value);
      }
    }
  }
  return { dimensions, voxelSizeMm, originMm, directions: identityDirections(), dataType, data };
}

/** For each block of voxels, x fastest, the share common to all of them, or `mixed` where the surface may be near. */
function findBlockShares(
  body: Body,
  dimensions: Vector3,
  voxelSizeMm: Vector3,
  originMm: Vector3,
): Uint8Array {
  const [bx, by, bz] = dimensions.map((n) => Math.ceil(n / blockCells));
  const shares = new Uint8Array(bx * by * bz);
  const reach = (slack * Math.hypot(...voxelSizeMm) * blockCells) / 2;
  const middle = (block: number, axis: 0 | 1 | 2) =>
    originMm[axis] + (block * blockCells + (blockCells - 1) / 2) * voxelSizeMm[axis];
  let i = 0;
  for (let z = 0; z < bz; z++) {
    for (let y = 0; y < by; y++) {
      for (let x = 0; x < bx; x++) {
        const distance = body.distanceMm(middle(x, 0), middle(y, 1), middle(z, 2));
        shares[i++] = Math.abs(distance) < reach ? mixed : distance < 0 ? 1 : 0;
      }
    }
  }
  return shares;
}

/** Share of a voxel inside the body: each sub-cell is cut by the plane given by its distance and gradient. */
export function shareInside(body: Body, x: number, y: number, z: number, size: Vector3): number {
  const edge = size.map((s) => s / divisions);
  const reach = (slack * Math.max(...edge)) / 2;
  // If the middle of a row of sub-cells is further away, all of them are full or empty.
  const rowReach = reach + (slack * edge[0] * (divisions - 1)) / 2;
  let sum = 0;
  for (let k = 0; k < divisions; k++) {
    const pz = z + ((k + 0.5) / divisions - 0.5) * size[2];
    for (let j = 0; j < divisions; j++) {
      const py = y + ((j + 0.5) / divisions - 0.5) * size[1];
      const middle = body.distanceMm(x, py, pz);
      if (Math.abs(middle) > rowReach) {
        if (middle < 0) sum += divisions;
        continue;
      }
      for (let i = 0; i < divisions; i++) {
        const px = x + ((i + 0.5) / divisions - 0.5) * size[0];
        const d = 2 * i + 1 === divisions ? middle : body.distanceMm(px, py, pz);
        if (Math.abs(d) > reach) {
          if (d < 0) sum++;
          continue;
        }
        const h = 1e-4 * edge[0];
        // Width of the sub-cell along the surface's normal: how quickly it passes from outside to inside.
        const gx = Math.abs(body.distanceMm(px + h, py, pz) - d) / h;
        const gy = Math.abs(body.distanceMm(px, py + h, pz) - d) / h;
        const gz = Math.abs(body.distanceMm(px, py, pz + h) - d) / h;
        const width = Math.max(gx * edge[0], gy * edge[1], gz * edge[2]);
        sum += Math.min(Math.max(0.5 - d / width, 0), 1);
      }
    }
  }
  return sum / divisions ** 3;
}
