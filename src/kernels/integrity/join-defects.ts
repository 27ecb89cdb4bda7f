/** The surfaces of many defects as one mesh. */
import { type CellBox, locatePoint } from '../grid/region.ts';
import type { Grid } from '../grid/volume.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import type { DefectTriangles } from './measure-slab.ts';

/** What a vertex tells of its defect. */
interface Told {
  id: number;
  volumeMm3: number;
}

/**
 * Surfaces of the defects as one mesh with the volume and the number of its defect at each vertex.
 * @param numberOf defect of a triangle's owner; undefined = it is left out
 * @returns null where no triangle is left
 */
export function joinDefects(
  parts: { triangles: DefectTriangles[]; numberOf: (owner: number) => Told | undefined }[],
  grid: Grid,
  cells: CellBox,
): TriangleMesh | null {
  const most =
    3 * parts.flatMap((part) => part.triangles).reduce((sum, { owners }) => sum + owners.length, 0);
  const positions = new Float32Array(3 * most);
  const indices = new Uint32Array(most);
  const volumeMm3 = new Float32Array(most);
  const defectId = new Float32Array(most);
  let [vertices, corners] = [0, 0];
  const [ox, oy, oz] = locatePoint(grid, cells.from);
  const d = grid.directions;
  for (const { triangles, numberOf } of parts) {
    const vertexOf = vertexTable(most);
    for (const piece of triangles) {
      for (const [t, owner] of piece.owners.entries()) {
        const defect = numberOf(owner);
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
  if (corners === 0) return null;
  return {
    positions: positions.slice(0, 3 * vertices),
    indices: indices.slice(0, corners),
    scalars: { volumeMm3: volumeMm3.slice(0, vertices), defectId: defectId.slice(0, vertices) },
  };
}

/** Gives the vertex of an edge: the one that it had before, or else `fresh`. A map takes several times as long for so many. */
function vertexTable(most: number): (edge: number, fresh: number) => number {
  const bits = Math.ceil(Math.log2(2 * most + 2));
  const edges = new Float64Array(2 ** bits).fill(-1);
  const vertices = new Uint32Array(2 ** bits);
  return (edge, fresh) => {
    // Edges are whole numbers beyond 32 bits: both halves take part.
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
