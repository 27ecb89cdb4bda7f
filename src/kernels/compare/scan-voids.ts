/**
 * Voids of a scan: closed surfaces around air inside the material. Those that the reference has, too, are walls of the
 * part like any other. The others are pores, which are not deviations of shape; integrity analysis measures them.
 */
import { listParts } from '../mesh/measure.ts';
import { noTriangle } from '../spatial/surface-tree.ts';
import { measureParts } from './repair-mesh.ts';

type Mesh = { positions: Float32Array; indices: Uint32Array };

export interface Voids {
  /** void of each vertex, from 0; −1 = none */
  ofVertex: Int32Array;
  areaMm2: Float64Array;
}

/** @param areaMm2 one per vertex @returns undefined when there are no voids */
export function findVoids(scan: Mesh, areaMm2: Float32Array): Voids | undefined {
  const vertices = scan.positions.length / 3;
  const roots = listParts(vertices, scan.indices);
  const numberOfRoot = new Int32Array(vertices).fill(-1);
  const partOfTriangle = new Uint32Array(scan.indices.length / 3);
  let parts = 0;
  for (let t = 0; t < partOfTriangle.length; t++) {
    const root = roots[scan.indices[3 * t]];
    if (numberOfRoot[root] < 0) numberOfRoot[root] = parts++;
    partOfTriangle[t] = numberOfRoot[root];
  }
  const voidOfPart = new Int32Array(parts).fill(-1);
  let voids = 0;
  for (const [part, { volumeMm3 }] of measureParts(scan, partOfTriangle).entries()) {
    if (volumeMm3 < 0) voidOfPart[part] = voids++;
  }
  if (voids === 0) return undefined;
  const ofVertex = new Int32Array(vertices).fill(-1);
  const area = new Float64Array(voids);
  for (let v = 0; v < vertices; v++) {
    const part = numberOfRoot[roots[v]];
    if (part < 0 || voidOfPart[part] < 0) continue;
    ofVertex[v] = voidOfPart[part];
    area[ofVertex[v]] += areaMm2[v];
  }
  return { ofVertex, areaMm2: area };
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
