import { writeGlb } from '#formats/glb/write-glb.ts';
import { type CellBox, pointOf } from '#kernels/grid/region.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import type { Defect } from '#kernels/integrity/find-defects.ts';
import type { DefectTriangles } from '#kernels/integrity/measure-slab.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { ResultFile } from './analysis.ts';

/** A defect under the number that it has in every file and view, from 1, the largest first. */
export interface NumberedDefect extends Defect {
  id: number;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

export const jsonFile = (fileName: string, value: unknown): ResultFile => ({
  fileName,
  mediaType: 'application/json',
  bytes: utf8(`${JSON.stringify(value, null, 2)}\n`),
});

const columns: [string, (defect: NumberedDefect) => string | number | boolean | null][] = [
  ['id', (d) => d.id],
  ['kind', (d) => d.kind],
  ['volumeMm3', (d) => d.volumeMm3],
  ['countedVolumeMm3', (d) => d.countedVolumeMm3],
  ['voxels', (d) => d.voxels],
  ['equivalentDiameterMm', (d) => d.equivalentDiameterMm],
  ['enclosingDiameterMm', (d) => d.enclosingDiameterMm],
  ['areaMm2', (d) => d.areaMm2],
  ['openingMm', (d) => d.openingMm],
  ['sphericity', (d) => d.sphericity],
  ['compactness', (d) => d.compactness],
  ...(['x', 'y', 'z'] as const).map(
    (axis, k) =>
      [`center${axis.toUpperCase()}Mm`, (d: NumberedDefect) => d.centerMm[k]] as (typeof columns)[0],
  ),
  ...(['x', 'y', 'z'] as const).flatMap((axis, k): typeof columns => [
    [`min${axis.toUpperCase()}Mm`, (d) => d.boundsMm.min[k]],
    [`max${axis.toUpperCase()}Mm`, (d) => d.boundsMm.max[k]],
  ]),
  ['distanceToSurfaceMm', (d) => d.distanceToSurfaceMm],
  ...(['X', 'Y', 'Z'] as const).map(
    (axis, k) =>
      [`projectedArea${axis}Mm2`, (d: NumberedDefect) => d.projectedAreasMm2[k]] as (typeof columns)[0],
  ),
  ['surfaceConnected', (d) => d.surfaceConnected],
  ['belowDetectionLimit', (d) => d.belowDetectionLimit],
];

/** One row a defect; lengths in mm, areas in mm², volumes in mm³, as the names of the columns say. */
export function defectsCsv(defects: readonly NumberedDefect[]): ResultFile {
  const rows = defects.map((defect) => columns.map(([, value]) => value(defect) ?? '').join(','));
  const text = `${[columns.map(([name]) => name).join(','), ...rows].join('\n')}\n`;
  return { fileName: 'defects.csv', mediaType: 'text/csv', bytes: utf8(text) };
}

/**
 * Surfaces of the defects as one mesh with the volume and the number of its defect at each vertex.
 * @param numberOf defect of a triangle's owner; undefined = it is left out
 */
export function defectsGlb(
  parts: { triangles: DefectTriangles[]; numberOf: (owner: number) => NumberedDefect | undefined }[],
  grid: Grid,
  cells: CellBox,
): ResultFile | null {
  const positions: number[] = [];
  const indices: number[] = [];
  const volumeMm3: number[] = [];
  const defectId: number[] = [];
  const [ox, oy, oz] = pointOf(grid, cells.from);
  const d = grid.directions;
  for (const { triangles, numberOf } of parts) {
    const vertexOf = new Map<number, number>();
    for (const piece of triangles) {
      for (const [t, owner] of piece.owners.entries()) {
        const defect = numberOf(owner);
        if (!defect) continue;
        for (let v = 3 * t; v < 3 * t + 3; v++) {
          let vertex = vertexOf.get(piece.edges[v]);
          if (vertex === undefined) {
            vertex = volumeMm3.length;
            vertexOf.set(piece.edges[v], vertex);
            const [x, y, z] = piece.positions.subarray(3 * v, 3 * v + 3);
            positions.push(
              ox + d[0] * x + d[3] * y + d[6] * z,
              oy + d[1] * x + d[4] * y + d[7] * z,
              oz + d[2] * x + d[5] * y + d[8] * z,
            );
            volumeMm3.push(defect.volumeMm3);
            defectId.push(defect.id);
          }
          indices.push(vertex);
        }
      }
    }
  }
  if (indices.length === 0) return null;
  const mesh: TriangleMesh = {
    positions: Float32Array.from(positions),
    indices: Uint32Array.from(indices),
    scalars: { volumeMm3: Float32Array.from(volumeMm3), defectId: Float32Array.from(defectId) },
  };
  return {
    fileName: 'defects.glb',
    mediaType: 'model/gltf-binary',
    bytes: writeGlb(mesh, { name: 'defects', color: [0.8, 0.2, 0.15] }),
  };
}
