import type { Vector3 } from '#kernels/grid/volume.ts';

/**
 * For each vertex the number of the connected piece that it belongs to, counted from 0 in the order of their first
 * vertices. Union by the smaller root with halved paths: nearly O(triangles).
 */
export function labelPieces(
  vertexCount: number,
  indices: Uint32Array,
): { labels: Uint32Array; count: number } {
  const parent = Uint32Array.from({ length: vertexCount }, (_, vertex) => vertex);
  const rootOf = (vertex: number) => {
    let at = vertex;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  };
  const join = (a: number, b: number) => {
    const [p, q] = [rootOf(a), rootOf(b)];
    if (p !== q) parent[Math.max(p, q)] = Math.min(p, q);
  };
  for (let t = 0; t < indices.length; t += 3) {
    join(indices[t], indices[t + 1]);
    join(indices[t], indices[t + 2]);
  }
  const labels = new Uint32Array(vertexCount);
  let count = 0;
  // A root is the smallest vertex of its piece, so it has its number before the others ask for it.
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    const root = rootOf(vertex);
    labels[vertex] = root === vertex ? count++ : labels[root];
  }
  return { labels, count };
}

/**
 * How far the piece around a place goes beyond it along a direction, in mm: of the pieces whose box holds the place the
 * one with the smallest box. 0 when no box holds it.
 */
export function reachOfPiece(
  place: Vector3,
  towards: Vector3,
  positions: Float32Array,
  indices: Uint32Array,
): number {
  const vertexCount = positions.length / 3;
  const { labels, count } = labelPieces(vertexCount, indices);
  const boxes = new Float64Array(6 * count);
  for (let piece = 0; piece < count; piece++)
    boxes.set([Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity], 6 * piece);
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    const at = 6 * labels[vertex];
    for (let k = 0; k < 3; k++) {
      const value = positions[3 * vertex + k];
      if (value < boxes[at + k]) boxes[at + k] = value;
      if (value > boxes[at + 3 + k]) boxes[at + 3 + k] = value;
    }
  }
  let chosen = -1;
  let smallest = Infinity;
  for (let piece = 0; piece < count; piece++) {
    const at = 6 * piece;
    const holds = place.every((value, k) => value >= boxes[at + k] && value <= boxes[at + 3 + k]);
    const size = Math.hypot(
      boxes[at + 3] - boxes[at],
      boxes[at + 4] - boxes[at + 1],
      boxes[at + 5] - boxes[at + 2],
    );
    if (!holds || size >= smallest) continue;
    chosen = piece;
    smallest = size;
  }
  let reach = 0;
  for (let vertex = 0; vertex < vertexCount && chosen >= 0; vertex++) {
    if (labels[vertex] !== chosen) continue;
    const along = towards.reduce((sum, value, k) => sum + value * (positions[3 * vertex + k] - place[k]), 0);
    if (along > reach) reach = along;
  }
  return reach;
}
