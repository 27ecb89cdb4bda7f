import type { Vector3 } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/** Points per loop of a loft: eight stretches of eight, one for each side of a chamfered rectangle. */
const STRETCH = 8;
const POINTS = 8 * STRETCH;

/** A closed loop around the z axis at one height, counter-clockwise as seen from +z. */
export type Loop = Vector3[];

export type Corner = [x: number, y: number];

/** Each corner with the next one. */
export const listSides = (corners: readonly Corner[]): (readonly [Corner, Corner])[] =>
  corners.map((corner, i) => [corner, corners[i + 1] ?? corners[0] ?? corner]);

/** A rectangle with its corners cut off at 45°, as eight corners in order. */
export function chamferedCorners(halfX: number, halfY: number, chamferMm: number, centerX = 0): Corner[] {
  const [a, b] = [halfX - chamferMm, halfY - chamferMm];
  const corners: Corner[] = [
    [halfX, -b],
    [halfX, b],
    [a, halfY],
    [-a, halfY],
    [-halfX, b],
    [-halfX, -b],
    [-a, -halfY],
    [a, -halfY],
  ];
  return corners.map(([x, y]) => [x + centerX, y]);
}

export function polygonLoop(corners: Corner[], z: number): Loop {
  return listSides(corners).flatMap(([[x, y], [nextX, nextY]]) => {
    return Array.from({ length: STRETCH }, (_, k): Vector3 => {
      const share = k / STRETCH;
      return [x + share * (nextX - x), y + share * (nextY - y), z];
    });
  });
}

export function circleLoop(radiusMm: number, z: number): Loop {
  return Array.from({ length: POINTS }, (_, k): Vector3 => {
    // Starts where a chamfered rectangle starts, so that corresponding points of two loops have the same direction.
    const angle = (2 * Math.PI * (k - STRETCH / 2)) / POINTS;
    return [radiusMm * Math.cos(angle), radiusMm * Math.sin(angle), z];
  });
}

/**
 * The closed surface through a sequence of loops, with lids on the first and the last. From loop to loop the material
 * is on the left as seen in the r-z half plane: from the centre of the bottom outwards, up, and inwards.
 */
export function loft(loops: Loop[]): TriangleMesh {
  const points = loops.flat();
  const indices: number[] = [];
  for (let loop = 0; loop + 1 < loops.length; loop++) {
    for (let k = 0; k < POINTS; k++) {
      const next = (k + 1) % POINTS;
      const [a, b] = [loop * POINTS + k, loop * POINTS + next];
      const [c, d] = [a + POINTS, b + POINTS];
      indices.push(a, b, d, a, d, c);
    }
  }
  const addLid = (loop: number, isFirst: boolean) => {
    const middle = points.length;
    const mean = (axis: 0 | 1 | 2) => (loops[loop] ?? []).reduce((sum, p) => sum + p[axis], 0) / POINTS;
    points.push([mean(0), mean(1), mean(2)]);
    for (let k = 0; k < POINTS; k++) {
      const [a, b] = [loop * POINTS + k, loop * POINTS + ((k + 1) % POINTS)];
      if (isFirst) indices.push(middle, b, a);
      else indices.push(middle, a, b);
    }
  };
  addLid(0, true);
  addLid(loops.length - 1, false);
  return { positions: Float32Array.from(points.flat()), indices: Uint32Array.from(indices) };
}
