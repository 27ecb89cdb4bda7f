import type { TriangleMesh } from '../mesh/mesh.ts';

export interface RefinedMesh {
  mesh: TriangleMesh;
  /** number in the old mesh of the triangle that each is a piece of */
  pieceOf: Uint32Array;
}

/**
 * The same surface with no side longer than a length: each longer one is halved, in both of its triangles, until none
 * is left. A mesh of few large triangles has hardly a vertex where its faces are, and what is measured at vertices would
 * say nothing of them. Old vertices keep their numbers; normals and scalars stay behind. O(triangles) a round.
 * @param most triangles: beyond so many it stops with what it has
 */
export function refineMesh(mesh: TriangleMesh, longestMm: number, most = 2_000_000): RefinedMesh {
  const limit = longestMm * longestMm;
  const positions = Array.from(mesh.positions);
  /** triangles without a long side, and those that may have one */
  const done: { corners: number[]; pieceOf: number[] } = { corners: [], pieceOf: [] };
  let open = {
    corners: Array.from(mesh.indices),
    pieceOf: Array.from({ length: mesh.indices.length / 3 }, (_, t) => t),
  };
  while (open.pieceOf.length > 0) {
    const vertices = positions.length / 3;
    const middles = new Map<number, number>();
    const middleOf = (a: number, b: number): number => {
      const dx = positions[3 * a] - positions[3 * b];
      const dy = positions[3 * a + 1] - positions[3 * b + 1];
      const dz = positions[3 * a + 2] - positions[3 * b + 2];
      if (!(dx * dx + dy * dy + dz * dz > limit)) return -1;
      const key = Math.min(a, b) * vertices + Math.max(a, b);
      const known = middles.get(key);
      if (known !== undefined) return known;
      const number = vertices + middles.size;
      middles.set(key, number);
      return number;
    };
    const next: typeof open = { corners: [], pieceOf: [] };
    const doneBefore = done.pieceOf.length;
    for (let t = 0; t < open.pieceOf.length; t++) {
      const pieces = cutTriangle(open.corners, 3 * t, middleOf);
      const into = pieces.length === 3 ? done : next;
      for (const corner of pieces) into.corners.push(corner);
      for (let i = 0; i < pieces.length; i += 3) into.pieceOf.push(open.pieceOf[t]);
    }
    if (done.pieceOf.length + next.pieceOf.length > most) {
      done.pieceOf.length = doneBefore;
      done.corners.length = 3 * doneBefore;
      break;
    }
    for (const key of middles.keys()) {
      const [a, b] = [3 * Math.floor(key / vertices), 3 * (key % vertices)];
      for (let k = 0; k < 3; k++) positions.push(Math.fround((positions[a + k] + positions[b + k]) / 2));
    }
    open = next;
  }
  for (const corner of open.corners) done.corners.push(corner);
  for (const triangle of open.pieceOf) done.pieceOf.push(triangle);
  return {
    mesh: { positions: Float32Array.from(positions), indices: Uint32Array.from(done.corners) },
    pieceOf: Uint32Array.from(done.pieceOf),
  };
}

/** One to four triangles for one, by which of its sides are halved. */
function cutTriangle(indices: number[], t: number, middleOf: (a: number, b: number) => number): number[] {
  let [a, b, c] = [indices[t], indices[t + 1], indices[t + 2]];
  let [ab, bc, ca] = [middleOf(a, b), middleOf(b, c), middleOf(c, a)];
  const cuts = (ab < 0 ? 0 : 1) + (bc < 0 ? 0 : 1) + (ca < 0 ? 0 : 1);
  if (cuts === 0) return [a, b, c];
  // Turned so that the first side is cut, and with two cuts the last one is not.
  while (ab < 0 || (cuts === 2 && ca >= 0)) {
    [a, b, c] = [b, c, a];
    [ab, bc, ca] = [bc, ca, ab];
  }
  if (cuts === 1) return [a, ab, c, ab, b, c];
  if (cuts === 2) return [ab, b, bc, a, ab, bc, a, bc, c];
  return [a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca];
}
