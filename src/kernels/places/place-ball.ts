import type { Vector3 } from '../grid/volume.ts';
import { findColumn, locatePoint, type PlaceTable, readValue } from './place-table.ts';

/** Represents a place for which the surface has no triangles. */
export interface PlaceBall {
  centre: Vector3;
  radiusMm: number;
}

/** A sphere about as large as the box of the place, at its centre; null if the table has no box. */
export function findBall(table: PlaceTable, row: number): PlaceBall | null {
  const read = (end: string, axis: string) => {
    const column = findColumn(table, `${end}${axis}Mm`);
    return column ? readValue(column, row) : Number.NaN;
  };
  const edges = ['X', 'Y', 'Z'].map((axis) => read('max', axis) - read('min', axis));
  const radiusMm = Math.cbrt(edges.reduce((product, edge) => product * edge, 1)) / 2;
  return radiusMm > 0 ? { centre: locatePoint(table, row), radiusMm } : null;
}

const drawn = new WeakMap<Float32Array, ReadonlySet<number>>();

/** Whether a surface has triangles of a place, given the place number at each vertex. */
export function hasTriangles(ids: Float32Array, id: number): boolean {
  const known = drawn.get(ids) ?? new Set(ids);
  drawn.set(ids, known);
  return known.has(id);
}
