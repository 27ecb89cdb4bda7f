/**
 * Voids of a scan: closed surfaces around air inside the material. Those that the reference has, too, are walls of the
 * part like any other. The others are pores, which are not deviations of shape; integrity analysis measures them.
 */
import { listParts } from '../mesh/measure.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { noTriangle } from '../spatial/surface-tree.ts';
import { type MeshPart, pickTriangles } from './pick-triangles.ts';
import { measureParts } from './repair-mesh.ts';

type Mesh = { positions: Float32Array; indices: Uint32Array };

export interface Voids {
  /** void of each vertex, from 0; −1 = none */
  ofVertex: Int32Array;
  areaMm2: Float64Array;
}

/** Connected pieces of a surface, numbered from 0. */
function numberPieces({ positions, indices }: Mesh) {
  const vertices = positions.length / 3;
  const roots = listParts(vertices, indices);
  const numberOfRoot = new Int32Array(vertices).fill(-1);
  const ofTriangle = new Uint32Array(indices.length / 3);
  let pieces = 0;
  for (let t = 0; t < ofTriangle.length; t++) {
    const root = roots[indices[3 * t]];
    if (numberOfRoot[root] < 0) numberOfRoot[root] = pieces++;
    ofTriangle[t] = numberOfRoot[root];
  }
  return { ofTriangle, ofVertex: Int32Array.from(roots, (root) => numberOfRoot[root]) };
}

/** @param areaMm2 one per vertex @returns undefined when there are no voids */
export function findVoids(scan: Mesh, areaMm2: Float32Array): Voids | undefined {
  const pieces = numberPieces(scan);
  let voids = 0;
  const voidOfPiece = measureParts(scan, pieces.ofTriangle).map(({ volumeMm3 }) =>
    volumeMm3 < 0 ? voids++ : -1,
  );
  if (voids === 0) return undefined;
  const ofVertex = pieces.ofVertex.map((piece) => voidOfPiece[piece] ?? -1);
  const area = new Float64Array(voids);
  for (const [v, number] of ofVertex.entries()) if (number >= 0) area[number] += areaMm2[v];
  return { ofVertex, areaMm2: area };
}

/**
 * Removes specks: pieces of a surface, and voids, of less than this volume. Noise alone makes them, and as pieces far
 * from the part they would be its largest deviation.
 * @returns null when nothing is removed, or nothing would be left
 */
export function dropSpecks(scan: Mesh & TriangleMesh, leastMm3: number): MeshPart | null {
  const { ofTriangle, ofVertex } = numberPieces(scan);
  const isKept = measureParts(scan, ofTriangle).map(({ volumeMm3 }) => Math.abs(volumeMm3) >= leastMm3);
  if (isKept.every(Boolean) || !isKept.some(Boolean)) return null;
  return pickTriangles(scan, (a) => isKept[ofVertex[a]] ?? false);
}

/** Share of a void's own area: that much of the reference must be closer to it than to any other wall. */
const nominalShare = 0.5;

/**
 * Determines which voids the reference has, too: much of the reference's surface faces the same way as their walls, and
 * no other surface of the scan is closer. Near a pore, the wall that contains the pore is closer.
 * @param toOuterMm distance of each point of the reference to the scan without its voids; NaN = beyond reach
 * @param toVoidMm distance to its voids alone
 * @param voidOfPoint the closest void; −1 = none
 * @param areaMm2 of each point of the reference
 * @returns one value per void
 */
export function findNominalVoids(
  { areaMm2: voidAreaMm2 }: Voids,
  toOuterMm: Float32Array,
  toVoidMm: Float32Array,
  voidOfPoint: Int32Array,
  areaMm2: Float32Array,
): Uint8Array {
  const covered = new Float64Array(voidAreaMm2.length);
  for (let p = 0; p < voidOfPoint.length; p++) {
    if (voidOfPoint[p] < 0 || Math.abs(toVoidMm[p]) >= Math.abs(toOuterMm[p])) continue;
    covered[voidOfPoint[p]] += areaMm2[p];
  }
  return Uint8Array.from(covered, (area, number) => (area >= nominalShare * voidAreaMm2[number] ? 1 : 0));
}

/** Void of each point's closest triangle; −1 = none. */
export function findPointVoids(
  { ofVertex }: Voids,
  closestTriangles: Uint32Array,
  { mesh, vertices }: { mesh: Mesh; vertices: Uint32Array },
): Int32Array {
  return Int32Array.from(closestTriangles, (triangle) =>
    triangle === noTriangle ? -1 : ofVertex[vertices[mesh.indices[3 * triangle]]],
  );
}
