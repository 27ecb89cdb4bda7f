export interface MeshFacts {
  vertices: number;
  triangles: number;
  /** signed by the triangles' turning; right for closed meshes */
  volumeMm3: number;
  areaMm2: number;
  /** every side of a triangle belongs to exactly one other triangle that turns the same way */
  watertight: boolean;
  /** connected parts; an inner void counts as a part of its own */
  components: number;
  boundsMm: { min: [number, number, number]; max: [number, number, number] };
}

/**
 * Volume, area, connected parts and closedness of an indexed mesh. O(triangles).
 * @param positions xyz in mm, 3 · vertices
 * @param indices three vertex numbers a triangle, counter-clockwise seen from outside
 */
export function measureMesh(positions: Float32Array, indices: Uint32Array): MeshFacts {
  const vertices = positions.length / 3;
  const triangles = indices.length / 3;
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const value = positions[i + k];
      if (value < min[k]) min[k] = value;
      if (value > max[k]) max[k] = value;
    }
  }
  // Tetrahedra from the middle of the box rather than from the origin: less cancellation far from it.
  const ox = (min[0] + max[0]) / 2;
  const oy = (min[1] + max[1]) / 2;
  const oz = (min[2] + max[2]) / 2;
  let volume6 = 0;
  let area2 = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const a = indices[t] * 3;
    const b = indices[t + 1] * 3;
    const c = indices[t + 2] * 3;
    const ax = positions[a] - ox;
    const ay = positions[a + 1] - oy;
    const az = positions[a + 2] - oz;
    const ux = positions[b] - ox - ax;
    const uy = positions[b + 1] - oy - ay;
    const uz = positions[b + 2] - oz - az;
    const vx = positions[c] - ox - ax;
    const vy = positions[c + 1] - oy - ay;
    const vz = positions[c + 2] - oz - az;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    area2 += Math.sqrt(nx * nx + ny * ny + nz * nz);
    volume6 += ax * nx + ay * ny + az * nz;
  }
  return {
    vertices,
    triangles,
    volumeMm3: volume6 / 6,
    areaMm2: area2 / 2,
    watertight: isClosed(vertices, indices),
    components: countParts(vertices, indices),
    boundsMm: vertices > 0 ? { min, max } : { min: [0, 0, 0], max: [0, 0, 0] },
  };
}

/** Each directed side occurs once and its reverse once. Sides are kept at their lower vertex, a handful each. */
export function isClosed(vertices: number, indices: Uint32Array): boolean {
  if (indices.length === 0) return false;
  const starts = new Uint32Array(vertices + 1);
  const each = (visit: (low: number, high: number, forward: boolean) => void) => {
    for (let t = 0; t < indices.length; t += 3) {
      for (let k = 0; k < 3; k++) {
        const from = indices[t + k];
        const to = indices[t + (k === 2 ? 0 : k + 1)];
        if (from < to) visit(from, to, true);
        else visit(to, from, false);
      }
    }
  };
  each((low) => {
    starts[low + 1]++;
  });
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  const fill = starts.slice(0, vertices);
  const highs = new Uint32Array(indices.length);
  const forwards = new Uint8Array(indices.length);
  each((low, high, forward) => {
    const at = fill[low]++;
    highs[at] = high;
    forwards[at] = forward ? 1 : 0;
  });
  for (let v = 0; v < vertices; v++) {
    for (let i = starts[v]; i < starts[v + 1]; i++) {
      if (highs[i] === v) return false;
      let same = 0;
      let opposite = 0;
      for (let j = starts[v]; j < starts[v + 1]; j++) {
        if (highs[j] !== highs[i]) continue;
        if (forwards[j] === forwards[i]) same++;
        else opposite++;
      }
      if (same !== 1 || opposite !== 1) return false;
    }
  }
  return true;
}

/** Smallest vertex number of each vertex's connected part. */
export function partsOf(vertices: number, indices: Uint32Array): Uint32Array {
  const parent = new Uint32Array(vertices);
  for (let v = 0; v < vertices; v++) parent[v] = v;
  const root = (v: number) => {
    let at = v;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  };
  const join = (a: number, b: number) => {
    const ra = root(a);
    const rb = root(b);
    if (ra < rb) parent[rb] = ra;
    else parent[ra] = rb;
  };
  for (let t = 0; t < indices.length; t += 3) {
    join(indices[t], indices[t + 1]);
    join(indices[t + 1], indices[t + 2]);
  }
  for (let v = 0; v < vertices; v++) parent[v] = root(v);
  return parent;
}

/** Parts that have at least one triangle. */
function countParts(vertices: number, indices: Uint32Array): number {
  const parts = partsOf(vertices, indices);
  const seen = new Uint8Array(vertices);
  let count = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const part = parts[indices[t]];
    if (seen[part] === 0) {
      seen[part] = 1;
      count++;
    }
  }
  return count;
}
