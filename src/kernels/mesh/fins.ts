/**
 * Removes pairs of triangles over the same three vertices with opposite orientation: an edge collapse folds the surface
 * into such fins, whose sides belong to four triangles. A closed surface stays closed without them.
 */
export function leaveOutFins(indices: Uint32Array, vertices: number): Uint32Array {
  // Rotates each triangle to start at its lowest vertex, so that in a fin's partner the other two are swapped.
  const turned = (t: number) => {
    const [a, b, c] = [indices[t], indices[t + 1], indices[t + 2]];
    if (a < b && a < c) return [a, b, c];
    return b < c ? [b, c, a] : [c, a, b];
  };
  const starts = new Uint32Array(vertices + 1);
  for (let t = 0; t < indices.length; t += 3) starts[turned(t)[0] + 1]++;
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  const fill = starts.slice(0, vertices);
  const triangles = new Uint32Array(indices.length / 3);
  const isFin = new Uint8Array(indices.length / 3);
  for (let t = 0; t < indices.length; t += 3) {
    const [low, second, third] = turned(t);
    for (let i = starts[low]; i < fill[low]; i++) {
      const other = triangles[i];
      const [, u, v] = turned(3 * other);
      if (isFin[other] === 1 || u !== third || v !== second) continue;
      isFin[other] = 1;
      isFin[t / 3] = 1;
      break;
    }
    triangles[fill[low]++] = t / 3;
  }
  return indices.filter((_, i) => isFin[Math.floor(i / 3)] === 0);
}
