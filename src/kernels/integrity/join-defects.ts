/** Joins the surfaces of many defects into one mesh. */
import { type CellBox, locatePoint } from '../grid/region.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import type { DefectTriangles } from './measure-slab.ts';

/** Data of a defect at each of its vertices. */
interface DefectScalars {
  id: number;
  volumeMm3: number;
}

/** Data needed to draw a stand-in body for a defect: position and size. */
export interface DefectBody extends DefectScalars {
  centerMm: Vector3;
  boundsMm: { min: Vector3; max: Vector3 };
}

/** More stand-ins would be more triangles than a browser draws well. */
const maxStandIns = 100_000;

/**
 * Surfaces of the defects as one mesh, with the volume and number of the defect at each vertex. Defects without
 * triangles are replaced by octahedra (the surface of a single voxel is one, too) of the same volume, in the
 * proportions of their bounding box. When there are any, `standIn` is 1 at their vertices and 0 elsewhere.
 *
 * @param findNumber defect of a triangle's owner; undefined = it is left out
 * @param defects all defects to show, the largest first; mm in the frame of the scan
 * @returns null when no triangle is left
 */
export function joinDefects(
  parts: { triangles: DefectTriangles[]; findNumber: (owner: number) => DefectScalars | undefined }[],
  grid: Grid,
  cells: CellBox,
  defects: readonly DefectBody[],
): TriangleMesh | null {
  const surfaces = joinSurfaces(parts, grid, cells);
  const drawn = new Set(surfaces.scalars.defectId);
  const standIns = defects.filter(({ id }) => !drawn.has(id)).slice(0, maxStandIns);
  if (standIns.length > 0) return addStandIns(surfaces, standIns);
  return surfaces.indices.length > 0 ? surfaces : null;
}

type DefectMesh = TriangleMesh & { scalars: Record<'volumeMm3' | 'defectId', Float32Array> };

/** Oriented like the surfaces of voids: material is outside. */
const octahedron = [2, 0, 4, 1, 2, 4, 3, 1, 4, 0, 3, 4, 0, 2, 5, 2, 1, 5, 1, 3, 5, 3, 0, 5];

function addStandIns(
  { positions, indices, scalars: { volumeMm3, defectId } }: DefectMesh,
  bodies: readonly DefectBody[],
): TriangleMesh {
  const before = defectId.length;
  const corners: number[] = [];
  for (const { centerMm, boundsMm, volumeMm3: volume } of bodies) {
    const edges = centerMm.map((_, k) => boundsMm.max[k] - boundsMm.min[k]);
    const stretch = Math.cbrt((0.75 * volume) / edges.reduce((product, edge) => product * edge, 1));
    // Both ends of each axis in turn.
    for (let corner = 0; corner < 6; corner++)
      for (let k = 0; k < 3; k++) {
        const side = corner >> 1 === k ? (corner & 1 ? -1 : 1) : 0;
        corners.push(centerMm[k] + side * stretch * edges[k]);
      }
  }
  const each = (value: (body: DefectBody) => number) =>
    Float32Array.from({ length: 6 * bodies.length }, (_, i) => value(bodies[Math.floor(i / 6)]));
  return {
    positions: joinArrays(positions, Float32Array.from(corners)),
    indices: joinIndices(
      indices,
      bodies.flatMap((_, i) => octahedron.map((corner) => before + 6 * i + corner)),
    ),
    scalars: {
      volumeMm3: joinArrays(
        volumeMm3,
        each((body) => body.volumeMm3),
      ),
      defectId: joinArrays(
        defectId,
        each(({ id }) => id),
      ),
      standIn: joinArrays(
        new Float32Array(before),
        each(() => 1),
      ),
    },
  };
}

function joinArrays(first: Float32Array, second: Float32Array): Float32Array {
  const joined = new Float32Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

function joinIndices(first: Uint32Array, second: readonly number[]): Uint32Array {
  const joined = new Uint32Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

function joinSurfaces(parts: Parameters<typeof joinDefects>[0], grid: Grid, cells: CellBox): DefectMesh {
  const most =
    3 * parts.flatMap((part) => part.triangles).reduce((sum, { owners }) => sum + owners.length, 0);
  const positions = new Float32Array(3 * most);
  const indices = new Uint32Array(most);
  const volumeMm3 = new Float32Array(most);
  const defectId = new Float32Array(most);
  let [vertices, corners] = [0, 0];
  const [ox, oy, oz] = locatePoint(grid, cells.from);
  const d = grid.directions;
  for (const { triangles, findNumber } of parts) {
    const vertexOf = vertexTable(most);
    for (const piece of triangles) {
      for (const [t, owner] of piece.owners.entries()) {
        const defect = findNumber(owner);
        if (!defect) continue;
        for (let v = 3 * t; v < 3 * t + 3; v++) {
          const vertex = vertexOf(piece.edges[v], vertices);
          indices[corners++] = vertex;
          if (vertex < vertices) continue;
          vertices++;
          const [x, y, z] = [piece.positions[3 * v], piece.positions[3 * v + 1], piece.positions[3 * v + 2]];
          positions[3 * vertex] = ox + d[0] * x + d[3] * y + d[6] * z;
          positions[3 * vertex + 1] = oy + d[1] * x + d[4] * y + d[7] * z;
          positions[3 * vertex + 2] = oz + d[2] * x + d[5] * y + d[8] * z;
          volumeMm3[vertex] = defect.volumeMm3;
          defectId[vertex] = defect.id;
        }
      }
    }
  }
  return {
    positions: positions.slice(0, 3 * vertices),
    indices: indices.slice(0, corners),
    scalars: { volumeMm3: volumeMm3.slice(0, vertices), defectId: defectId.slice(0, vertices) },
  };
}

/**
 * Returns the vertex of an edge: the existing one, or else `fresh`. A Map is several times slower for this many edges.
 */
function vertexTable(most: number): (edge: number, fresh: number) => number {
  const bits = Math.ceil(Math.log2(2 * most + 2));
  const edges = new Float64Array(2 ** bits).fill(-1);
  const vertices = new Uint32Array(2 ** bits);
  return (edge, fresh) => {
    // Edges are integers beyond 32 bits, so both halves are hashed.
    const mixed = Math.imul(edge | 0, 0x9e3779b1) ^ Math.imul((edge / 2 ** 32) | 0, 0x85ebca6b);
    let at = mixed >>> (32 - bits);
    while (edges[at] !== edge) {
      if (edges[at] < 0) {
        edges[at] = edge;
        vertices[at] = fresh;
        return fresh;
      }
      at = (at + 1) & (edges.length - 1);
    }
    return vertices[at];
  };
}
