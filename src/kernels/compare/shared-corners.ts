/**
 * The representative vertex of each corner of a mesh's triangles: the first vertex at the same position, so that
 * triangles with vertices of their own (STL) hold together. O(n).
 */
export function cornersAtPlaces(mesh: { positions: Float32Array; indices: Uint32Array }): Uint32Array {
  // −0 and 0 are the same position, but have different bits.
  const places = mesh.positions.map((value) => value + 0);
  const bits = new Uint32Array(places.buffer);
  const vertices = places.length / 3;
  let size = 8;
  while (size < 2 * vertices) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const firstAtPosition = new Uint32Array(vertices);
  for (let v = 0; v < vertices; v++) {
    const [x, y, z] = [bits[3 * v], bits[3 * v + 1], bits[3 * v + 2]];
    let slot = hash(x, y, z) & (size - 1);
    let found = table[slot];
    while (found >= 0 && (bits[3 * found] !== x || bits[3 * found + 1] !== y || bits[3 * found + 2] !== z)) {
      slot = (slot + 1) & (size - 1);
      found = table[slot];
    }
    if (found < 0) table[slot] = found = v;
    firstAtPosition[v] = found;
  }
  return mesh.indices.map((vertex) => firstAtPosition[vertex]);
}

/** Every input bit affects the low bits of the result (finalizer of MurmurHash3, Appleby 2011). */
function hash(x: number, y: number, z: number): number {
  let h = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77) ^ Math.imul(z, 0xc2b2ae3d);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** 1 for each vertex on a side that belongs to a single triangle; vertices must be shared. O(triangles). */
export function openVertices({
  positions,
  indices,
}: {
  positions: Float32Array;
  indices: Uint32Array;
}): Uint8Array {
  const vertices = positions.length / 3;
  const isOpen = new Uint8Array(vertices);
  const sides = new Map<number, number>();
  for (let i = 0; i < indices.length; i++) {
    const [a, b] = [indices[i], indices[i % 3 === 2 ? i - 2 : i + 1]];
    const key = Math.min(a, b) * vertices + Math.max(a, b);
    sides.set(key, (sides.get(key) ?? 0) + 1);
  }
  for (const [key, count] of sides) {
    if (count > 1) continue;
    isOpen[Math.floor(key / vertices)] = 1;
    isOpen[key % vertices] = 1;
  }
  return isOpen;
}
