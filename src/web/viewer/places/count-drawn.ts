import { hasTriangles } from '#kernels/places/place-ball.ts';
import type { PlaceTable } from '#kernels/places/place-table.ts';

/** How many of the rows the surface has triangles of. @param ids of the surface: the number of its place at each vertex */
export const countDrawn = (table: PlaceTable, rows: Uint32Array, ids: Float32Array): number =>
  rows.reduce((sum, row) => sum + Number(hasTriangles(ids, table.ids[row] ?? 0)), 0);
