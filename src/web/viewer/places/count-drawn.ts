import { hasTriangles } from '#kernels/places/place-ball.ts';
import type { PlaceTable } from '#kernels/places/place-table.ts';

/**
 * The number of rows whose places have triangles on the surface. @param ids of the surface: the place id of each vertex
 */
export const countDrawn = (table: PlaceTable, rows: Uint32Array, ids: Float32Array): number =>
  rows.reduce((sum, row) => sum + Number(hasTriangles(ids, table.ids[row] ?? 0)), 0);
