/** Beyond this number of edges at a vertex, comparing each with every other takes longer than sorting them. */
const many = 24;

/**
 * Visits the edges of a mesh, each with the corners of triangles where it starts: corner 3 t + k is the edge from vertex
 * k of triangle t to the next one. They are listed at their lower vertex and sorted there: O(n log n) where n triangles
 * meet at one vertex or edge. 4 bytes per corner and vertex.
 * @param visit gets all corners, and which of them belong to this edge: `from` to `to` − 1
 */
export function eachEdge(
  vertices: number,
  indices: Uint32Array,
  visit: (corners: Uint32Array, from: number, to: number) => void,
): void {
  const next = (corner: number) => indices[corner % 3 === 2 ? corner - 2 : corner + 1];
  const higher = (corner: number) => Math.max(indices[corner], next(corner));
  const starts = new Uint32Array(vertices + 1);
  for (let corner = 0; corner < indices.length; corner++)
    starts[Math.min(indices[corner], next(corner)) + 1]++;
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  const corners = new Uint32Array(indices.length);
  for (let corner = 0; corner < indices.length; corner++)
    corners[starts[Math.min(indices[corner], next(corner))]++] = corner;
  // Each start has moved on to the next one.
  for (let v = 0, begin = 0; v < vertices; begin = starts[v++]) {
    const end = starts[v];
    if (end - begin > many) corners.subarray(begin, end).sort((a, b) => higher(a) - higher(b) || a - b);
    else insertionSort(corners, begin, end, higher);
    for (let from = begin, to = begin; from < end; from = to) {
      const high = higher(corners[from]);
      while (to < end && higher(corners[to]) === high) to++;
      visit(corners, from, to);
    }
  }
}

function insertionSort(
  values: Uint32Array,
  begin: number,
  end: number,
  key: (value: number) => number,
): void {
  for (let i = begin + 1; i < end; i++) {
    const value = values[i];
    const own = key(value);
    let at = i;
    for (; at > begin && key(values[at - 1]) > own; at--) values[at] = values[at - 1];
    values[at] = value;
  }
}
