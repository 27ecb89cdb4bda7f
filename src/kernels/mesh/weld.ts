import type { TriangleMesh } from './mesh.ts';

/**
 * Joins vertices with exactly equal positions (−0 counts as 0); the first one's normal and scalars are kept. Formats
 * like STL repeat every vertex in every triangle, so that without welding no edge would have two sides.
 */
export function weld(mesh: TriangleMesh): TriangleMesh {
  const source = mesh.positions;
  const count = source.length / 3;
  const positions = source.slice();
  for (let i = 0; i < positions.length; i++) if (positions[i] === 0) positions[i] = 0;
  const bits = new Uint32Array(positions.buffer);
  // Open addressing; at most half full.
  let size = 16;
  while (size < 2 * count) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const mask = size - 1;
  const newNumber = new Uint32Array(count);
  const kept: number[] = [];
  for (let v = 0; v < count; v++) {
    const x = bits[3 * v];
    const y = bits[3 * v + 1];
    const z = bits[3 * v + 2];
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & mask;
    for (; table[slot] >= 0; slot = (slot + 1) & mask) {
      const other = kept[table[slot]] * 3;
      if (bits[other] === x && bits[other + 1] === y && bits[other + 2] === z) break;
    }
    if (table[slot] < 0) {
      table[slot] = kept.length;
      kept.push(v);
    }
    newNumber[v] = table[slot];
  }
  const take = (values: Float32Array, width: number) => {
    const out = new Float32Array(kept.length * width);
    for (let k = 0; k < kept.length; k++) {
      for (let c = 0; c < width; c++) out[k * width + c] = values[kept[k] * width + c];
    }
    return out;
  };
  const welded: TriangleMesh = {
    positions: take(positions, 3),
    indices: mesh.indices.map((index) => newNumber[index]),
  };
  if (mesh.normals) welded.normals = take(mesh.normals, 3);
  if (mesh.scalars) {
    welded.scalars = Object.fromEntries(
      Object.entries(mesh.scalars).map(([name, values]) => [name, take(values, 1)]),
    );
  }
  return welded;
}

/**
 * Joins vertices no further apart than `toleranceMm`, for files whose numbers were rounded differently in neighbouring
 * triangles. Each vertex joins the first one within reach, in the order of the file.
 */
export function weldClose(mesh: TriangleMesh, toleranceMm: number): TriangleMesh {
  const { positions } = mesh;
  const count = positions.length / 3;
  const cellSize = 2 * toleranceMm;
  const cells = new Map<string, number[]>();
  const joined = positions.slice();
  for (let v = 0; v < count; v++) {
    const [x, y, z] = [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];
    // With cells of twice the tolerance, everything within reach lies in the 8 cells around.
    const near = [x, y, z].map((value) => [
      Math.floor((value - toleranceMm) / cellSize),
      Math.floor((value + toleranceMm) / cellSize),
    ]);
    let found = -1;
    for (const i of new Set(near[0])) {
      for (const j of new Set(near[1])) {
        for (const k of new Set(near[2])) {
          for (const other of cells.get(`${i},${j},${k}`) ?? []) {
            const distance = Math.hypot(
              positions[3 * other] - x,
              positions[3 * other + 1] - y,
              positions[3 * other + 2] - z,
            );
            if (distance <= toleranceMm && (found < 0 || other < found)) found = other;
          }
        }
      }
    }
    if (found >= 0) {
      joined.copyWithin(3 * v, 3 * found, 3 * found + 3);
      continue;
    }
    const home = `${Math.floor(x / cellSize)},${Math.floor(y / cellSize)},${Math.floor(z / cellSize)}`;
    const list = cells.get(home);
    if (list) list.push(v);
    else cells.set(home, [v]);
  }
  return weld({ ...mesh, positions: joined });
}

/** The mesh without triangles that use a vertex twice, and the number of those removed. */
export function withoutDegenerate(mesh: TriangleMesh): { mesh: TriangleMesh; removed: number } {
  const { indices } = mesh;
  const kept = new Uint32Array(indices.length);
  let length = 0;
  for (let i = 0; i + 2 < indices.length; i += 3) {
    const [a, b, c] = [indices[i], indices[i + 1], indices[i + 2]];
    if (a === b || b === c || c === a) continue;
    kept[length++] = a;
    kept[length++] = b;
    kept[length++] = c;
  }
  if (length === indices.length) return { mesh, removed: 0 };
  return { mesh: { ...mesh, indices: kept.slice(0, length) }, removed: (indices.length - length) / 3 };
}
