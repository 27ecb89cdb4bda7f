import { GrowingIndices } from '../mesh/growing-array.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';

export interface RefinedMesh {
  mesh: TriangleMesh;
  /** the original triangle that each triangle is a piece of */
  pieceOf: Uint32Array;
}

/**
 * The same surface with no side longer than `longestMm`: longer sides are halved, in both of their triangles, until
 * none is left. A mesh of few large triangles has hardly any vertices on its faces, so measurements at vertices would
 * not cover them. Original vertices keep their numbers; normals and scalars are dropped. O(triangles) per round.
 * @param most limit of triangles; refinement stops before exceeding it
 */
export function refineMesh(mesh: TriangleMesh, longestMm: number, most = 2_000_000): RefinedMesh {
  const limit = longestMm * longestMm;
  let positions = mesh.positions.slice();
  /** triangles without a long side, and those that may have one */
  const done = new Pieces();
  let open: ReturnType<Pieces['trimmed']> = {
    corners: mesh.indices,
    pieceOf: Uint32Array.from({ length: mesh.indices.length / 3 }, (_, t) => t),
  };
  while (open.pieceOf.length > 0) {
    const middles = new Middles(positions, 3 * open.pieceOf.length, limit);
    const next = new Pieces();
    const doneBefore = done.count;
    for (let t = 0; t < open.pieceOf.length; t++) cutTriangle(open, t, middles, done, next);
    if (done.count + next.count > most) {
      done.cutOff(doneBefore);
      break;
    }
    positions = middles.addTo(positions);
    open = next.trimmed();
  }
  for (let t = 0; t < open.pieceOf.length; t++) {
    const [a, b, c] = open.corners.subarray(3 * t, 3 * t + 3);
    done.push(a, b, c, open.pieceOf[t]);
  }
  const { corners, pieceOf } = done.trimmed();
  return { mesh: { positions, indices: corners }, pieceOf };
}

class Pieces {
  readonly #corners = new GrowingIndices();
  readonly #pieceOf = new GrowingIndices();

  get count(): number {
    return this.#pieceOf.length;
  }

  push(a: number, b: number, c: number, pieceOf: number): void {
    this.#corners.push(a);
    this.#corners.push(b);
    this.#corners.push(c);
    this.#pieceOf.push(pieceOf);
  }

  cutOff(count: number): void {
    this.#corners.length = 3 * count;
    this.#pieceOf.length = count;
  }

  trimmed(): { corners: Uint32Array; pieceOf: Uint32Array } {
    return { corners: this.#corners.trimmed(), pieceOf: this.#pieceOf.trimmed() };
  }
}

/** Midpoints of sides that are too long, numbered after the vertices in the order of their first request. */
class Middles {
  readonly #positions: Float32Array;
  readonly #limit: number;
  readonly #ends: Uint32Array;
  /** 1 + number of a midpoint, at the slot of its ends' hash or the next free one; 0 = free */
  readonly #table: Uint32Array;
  #count = 0;

  /**
   * @param sides largest number of sides that may be requested
   * @param limit square of the longest side allowed, in mm²
   */
  constructor(positions: Float32Array, sides: number, limit: number) {
    this.#positions = positions;
    this.#limit = limit;
    this.#ends = new Uint32Array(2 * sides);
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(1.5 * sides)));
  }

  /** The vertex that halves a side; −1 when the side is short enough. */
  between(a: number, b: number): number {
    const positions = this.#positions;
    const dx = positions[3 * a] - positions[3 * b];
    const dy = positions[3 * a + 1] - positions[3 * b + 1];
    const dz = positions[3 * a + 2] - positions[3 * b + 2];
    if (!(dx * dx + dy * dy + dz * dz > this.#limit)) return -1;
    const [ends, table] = [this.#ends, this.#table];
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    const hash = Math.imul(low, 0x9e3779b1) + Math.imul(high, 0x85ebca77);
    let at = (hash ^ (hash >>> 15)) & (table.length - 1);
    for (; table[at] > 0; at = (at + 1) & (table.length - 1)) {
      const known = table[at] - 1;
      if (ends[2 * known] === low && ends[2 * known + 1] === high) return positions.length / 3 + known;
    }
    ends[2 * this.#count] = low;
    ends[2 * this.#count + 1] = high;
    table[at] = ++this.#count;
    return positions.length / 3 + this.#count - 1;
  }

  addTo(positions: Float32Array): Float32Array<ArrayBuffer> {
    const all = new Float32Array(positions.length + 3 * this.#count);
    all.set(positions);
    for (let middle = 0; middle < this.#count; middle++) {
      const [a, b] = [3 * this.#ends[2 * middle], 3 * this.#ends[2 * middle + 1]];
      for (let k = 0; k < 3; k++)
        all[positions.length + 3 * middle + k] = (positions[a + k] + positions[b + k]) / 2;
    }
    return all;
  }
}

/**
 * Splits a triangle into one to four, depending on which sides are halved: an unsplit one is done, others go to the
 * next round.
 */
function cutTriangle(
  { corners, pieceOf }: ReturnType<Pieces['trimmed']>,
  t: number,
  middles: Middles,
  done: Pieces,
  next: Pieces,
): void {
  const piece = pieceOf[t];
  let [a, b, c] = [corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]];
  let [ab, bc, ca] = [middles.between(a, b), middles.between(b, c), middles.between(c, a)];
  const cuts = (ab < 0 ? 0 : 1) + (bc < 0 ? 0 : 1) + (ca < 0 ? 0 : 1);
  if (cuts === 0) {
    done.push(a, b, c, piece);
    return;
  }
  // Rotate so that the first side is cut, and with two cuts the last side is not.
  while (ab < 0 || (cuts === 2 && ca >= 0)) {
    [a, b, c] = [b, c, a];
    [ab, bc, ca] = [bc, ca, ab];
  }
  if (cuts === 1) {
    next.push(a, ab, c, piece);
    next.push(ab, b, c, piece);
  } else if (cuts === 2) {
    next.push(ab, b, bc, piece);
    next.push(a, ab, bc, piece);
    next.push(a, bc, c, piece);
  } else {
    next.push(a, ab, ca, piece);
    next.push(ab, b, bc, piece);
    next.push(ca, bc, c, piece);
    next.push(ab, bc, ca, piece);
  }
}
