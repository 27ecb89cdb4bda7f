/**
 * Sides where the surface was closed only because the scan or its region ends there; these are not faces of the part.
 */
import type { Vector3 } from '../grid/volume.ts';

export const sideNames = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'] as const;
export type SideName = (typeof sideNames)[number];

export interface CutFaces {
  sides: SideName[];
  areaMm2: number;
}

/**
 * The surface is closed half a cell beyond the last cell's centre. Faces of the part that come close to the border stay
 * within this limit.
 */
const beyondCells = 0.25;

/** Number of the side at which a vertex was closed; −1 for the part's own vertices. */
function findSide(positions: Float32Array, v: number, cells: Vector3, voxelSizeMm: Vector3): number {
  for (let axis = 0; axis < 3; axis++) {
    const place = positions[3 * v + axis] / voxelSizeMm[axis];
    if (place < -beyondCells) return 2 * axis;
    if (place > cells[axis] - 1 + beyondCells) return 2 * axis + 1;
  }
  return -1;
}

/**
 * Faces at which the surface of a box of cells was closed. O(vertices), plus O(triangles) when there are such faces.
 * @param positions mm from the centre of the box's first cell along the grid's axes
 */
export function findCutFaces(
  { positions, indices }: { positions: Float32Array; indices: Uint32Array },
  cells: Vector3,
  voxelSizeMm: Vector3,
): { faces: CutFaces; isCut: (vertex: number) => boolean } {
  const isCut = (vertex: number) => findSide(positions, vertex, cells, voxelSizeMm) >= 0;
  const areas = new Float64Array(sideNames.length);
  const vertices = positions.length / 3;
  let isAny = false;
  for (let v = 0; v < vertices && !isAny; v++) isAny = isCut(v);
  if (!isAny) return { faces: { sides: [], areaMm2: 0 }, isCut: () => false };
  for (let t = 0; t < indices.length; t += 3) {
    const side = findSide(positions, indices[t], cells, voxelSizeMm);
    if (side < 0) continue;
    const isFlat =
      findSide(positions, indices[t + 1], cells, voxelSizeMm) === side &&
      findSide(positions, indices[t + 2], cells, voxelSizeMm) === side;
    if (isFlat) areas[side] += measureArea(positions, indices, t);
  }
  const sides = sideNames.filter((_, side) => areas[side] > 0);
  return { faces: { sides, areaMm2: areas.reduce((sum, area) => sum + area, 0) }, isCut };
}

function measureArea(positions: Float32Array, indices: Uint32Array, t: number): number {
  const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
  const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
  const w = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
  return 0.5 * Math.hypot(u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]);
}
