import { malformed } from '../format-error.ts';
import type { GltfNode } from './gltf-shape.ts';

/** Column-major 4×4, as glTF writes them. */
export type Matrix4 = number[];

export function multiply4(a: Matrix4, b: Matrix4): Matrix4 {
  const out: Matrix4 = [];
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out.push(sum);
    }
  }
  return out;
}

function vector(value: unknown, length: number, fallback: number[], what: string): number[] {
  if (value === undefined) return fallback;
  if (!Array.isArray(value) || value.length !== length || !value.every((x) => Number.isFinite(x))) {
    throw malformed(`GLB: ${what} must be ${length} finite numbers.`);
  }
  return value;
}

/** The local transform of a node: its matrix, or translation · rotation · scale. */
export function nodeMatrix(node: GltfNode, index: number): Matrix4 {
  if (node.matrix !== undefined) return vector(node.matrix, 16, [], `the matrix of node ${index}`);
  const [tx, ty, tz] = vector(node.translation, 3, [0, 0, 0], `the translation of node ${index}`);
  const [x, y, z, w] = vector(node.rotation, 4, [0, 0, 0, 1], `the rotation of node ${index}`);
  const [sx, sy, sz] = vector(node.scale, 3, [1, 1, 1], `the scale of node ${index}`);
  return [
    (1 - 2 * (y * y + z * z)) * sx,
    2 * (x * y + z * w) * sx,
    2 * (x * z - y * w) * sx,
    0,
    2 * (x * y - z * w) * sy,
    (1 - 2 * (x * x + z * z)) * sy,
    2 * (y * z + x * w) * sy,
    0,
    2 * (x * z + y * w) * sz,
    2 * (y * z - x * w) * sz,
    (1 - 2 * (x * x + y * y)) * sz,
    0,
    tx,
    ty,
    tz,
    1,
  ];
}
