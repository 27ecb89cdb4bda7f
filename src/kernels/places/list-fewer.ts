/** A surface of very many places with fewer triangles, while it is turned. Pure. */

export interface ManyPlaces {
  /** three a triangle, in any order */
  indices: Uint32Array;
  /** number of its place at each vertex; the largest place has the smallest */
  ids: Float32Array;
  /** 1 at the vertices of bodies that stand for places, else 0 */
  standIn: Float32Array;
  /** by the number of a place, 1 for those that are to be seen; null = all */
  shown: Uint8Array | null;
}

/**
 * The triangles of what is to be seen, but of the bodies that stand for places only the `most` largest.
 * O(vertices + triangles).
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

/** Number of the smallest of those that are kept. */
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
