/** Reduces the triangles of a surface with very many places while it is rotated. Pure function. */

export interface ManyPlaces {
  /** three per triangle, in any order */
  indices: Uint32Array;
  /** number of the place at each vertex; smaller numbers are larger places */
  ids: Float32Array;
  /** 1 at the vertices of bodies that represent places, else 0 */
  standIn: Float32Array;
  /** by place number: 1 if visible; null = all */
  shown: Uint8Array | null;
}

/**
 * The visible triangles, restricted to the `most` largest places among those represented by bodies. O(vertices +
 * triangles).
 */
export function listFewer({ indices, ids, standIn, shown }: ManyPlaces, most: number): Uint32Array {
  const isShown = (id: number) => shown === null || shown[id] === 1;
  const last = findLast({ ids, standIn }, isShown, most);
  const kept = new Uint32Array(indices.length);
  let count = 0;
  for (let i = 0; i < indices.length; i += 3) {
    const vertex = indices[i] ?? 0;
    const id = ids[vertex] ?? Number.NaN;
    if (!isShown(id) || (standIn[vertex] === 1 && id > last)) continue;
    for (let corner = i; corner < i + 3; corner++) kept[count++] = indices[corner] ?? 0;
  }
  return kept.slice(0, count);
}

/** Largest number (smallest place) of the represented places that are kept. */
function findLast(
  { ids, standIn }: Pick<ManyPlaces, 'ids' | 'standIn'>,
  isShown: (id: number) => boolean,
  most: number,
): number {
  const isBody = new Uint8Array(1 + ids.reduce((highest, id) => Math.max(highest, id), 0));
  for (let vertex = 0; vertex < ids.length; vertex++) {
    const id = ids[vertex] ?? 0;
    if (standIn[vertex] === 1 && isShown(id)) isBody[id] = 1;
  }
  let bodies = 0;
  const tooMany = isBody.findIndex((is) => is === 1 && ++bodies > most);
  return tooMany < 0 ? Number.POSITIVE_INFINITY : tooMany - 1;
}
