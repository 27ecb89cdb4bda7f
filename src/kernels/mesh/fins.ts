/**
 * Leaves out pairs of triangles over the same three vertices that face each other: a collapse folds the surface into
 * such fins, and their sides would belong to four triangles. What was closed is closed without them.
 */
export function leaveOutFins(indices: Uint32Array, vertices: number): Uint32Array {
  // Each triangle from its lowest vertex on, so that fins have the other two the other way round.
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
