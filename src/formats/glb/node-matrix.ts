import type { Vector3 } from '#kernels/grid/volume.ts';
import type { Matrix4 } from '#kernels/mesh/transform.ts';
import { malformed } from '../format-error.ts';
import type { GltfNode } from './gltf-shape.ts';

function vector<Values extends number[]>(value: unknown, fallback: Values, what: string): Values {
  if (value === undefined) return fallback;
  if (!Array.isArray(value) || value.length !== fallback.length || !value.every(Number.isFinite)) {
    throw malformed(`GLB: ${what} must be ${fallback.length} finite numbers.`);
  }
  return value as Values;
}

type Quaternion = [number, number, number, number];
const identity = (): Matrix4 => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Local transform of a node: its matrix, or translation · rotation · scale. */
export function nodeMatrix(node: GltfNode, index: number): Matrix4 {
  if (node.matrix !== undefined) return vector(node.matrix, identity(), `the matrix of node ${index}`);
  const [tx, ty, tz] = vector<Vector3>(node.translation, [0, 0, 0], `the translation of node ${index}`);
  const [x, y, z, w] = vector<Quaternion>(node.rotation, [0, 0, 0, 1], `the rotation of node ${index}`);
  const [sx, sy, sz] = vector<Vector3>(node.scale, [1, 1, 1], `the scale of node ${index}`);
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
