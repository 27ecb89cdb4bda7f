/** Marks a side without a neighbour; no valid triangle number. */
export const noNeighbour = 0xffffffff;

/**
 * The triangle across each side of each triangle; side k runs from corner k to corner k + 1. Where more than two
 * triangles meet, sides of opposite direction are paired in their order. O(triangles).
 * @param indices three vertex numbers per triangle
 * @returns 3 · triangles; `noNeighbour` at a border
 */
export function listNeighbours(vertices: number, indices: Uint32Array): Uint32Array {
  const next = (side: number) => (side % 3 === 2 ? side - 2 : side + 1);
  const starts = new Uint32Array(vertices + 1);
  for (let side = 0; side < indices.length; side++) {
    starts[Math.min(indices[side], indices[next(side)]) + 1]++;
  }
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  // Sides grouped by their lower vertex, a few each.
  const sides = new Uint32Array(indices.length);
  const fill = starts.slice(0, vertices);
  for (let side = 0; side < indices.length; side++) {
    sides[fill[Math.min(indices[side], indices[next(side)])]++] = side;
  }
  const neighbours = new Uint32Array(indices.length).fill(noNeighbour);
  for (let v = 0; v < vertices; v++) {
    for (let i = starts[v]; i < starts[v + 1]; i++) {
      const side = sides[i];
      if (neighbours[side] !== noNeighbour) continue;
      for (let j = i + 1; j < starts[v + 1]; j++) {
        const other = sides[j];
        if (neighbours[other] !== noNeighbour) continue;
        if (indices[other] !== indices[next(side)] || indices[next(other)] !== indices[side]) continue;
        neighbours[side] = Math.floor(other / 3);
        neighbours[other] = Math.floor(side / 3);
        break;
      }
    }
  }
  return neighbours;
}
