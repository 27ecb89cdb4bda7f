import { spanTriangle } from '../mesh/span-triangle.ts';
import { noNeighbour } from './neighbours.ts';

export interface Facing {
  /** unit normal of each triangle as it is; 0 0 0 if it has no area; 3 per triangle */
  own: Float32Array;
  /** the same, smoothed over neighbours that face similar directions */
  even: Float32Array;
  /** mm², 1 per triangle */
  areas: Float32Array;
}

const rounds = 4;
/** Minimum weight of a neighbour that faces another way: it matters only for slivers, whose own normal is unreliable. */
const minWeight = 0.02;

/**
 * Finds the direction that each triangle faces. Triangles of an isosurface vary in size and tilt with the noise, so the
 * area-weighted mean of the neighbours is a better estimate of the surface's direction. Sharp edges stay sharp.
 */
export function findFacing(positions: Float32Array, indices: Uint32Array, neighbours: Uint32Array): Facing {
  const triangles = indices.length / 3;
  const own = new Float32Array(3 * triangles);
  const areas = new Float32Array(triangles);
  const normal = new Float64Array(3);
  for (let t = 0; t < triangles; t++) {
    const a = 3 * indices[3 * t];
    const b = 3 * indices[3 * t + 1];
    const c = 3 * indices[3 * t + 2];
    spanTriangle(positions, a, b, c, normal);
    const x = normal[0];
    const y = normal[1];
    const z = normal[2];
    const double = Math.sqrt(x * x + y * y + z * z);
    areas[t] = double / 2;
    if (!(double > 0)) continue;
    own[3 * t] = x / double;
    own[3 * t + 1] = y / double;
    own[3 * t + 2] = z / double;
  }
  let from = own;
  for (let round = 0; round < rounds; round++) {
    const to = new Float32Array(own.length);
    for (let t = 0; t < triangles; t++) {
      const nx = from[3 * t];
      const ny = from[3 * t + 1];
      const nz = from[3 * t + 2];
      let x = areas[t] * nx;
      let y = areas[t] * ny;
      let z = areas[t] * nz;
      for (let k = 0; k < 3; k++) {
        const other = neighbours[3 * t + k];
        if (other === noNeighbour) continue;
        const ox = from[3 * other];
        const oy = from[3 * other + 1];
        const oz = from[3 * other + 2];
        const alike = Math.max(0, nx * ox + ny * oy + nz * oz);
        const weight = areas[other] * (alike * alike + minWeight);
        x += weight * ox;
        y += weight * oy;
        z += weight * oz;
      }
      const length = Math.sqrt(x * x + y * y + z * z);
      to[3 * t] = length > 0 ? x / length : nx;
      to[3 * t + 1] = length > 0 ? y / length : ny;
      to[3 * t + 2] = length > 0 ? z / length : nz;
    }
    from = to;
  }
  return { own, even: from, areas };
}

/** The triangles sorted by the flatness of their neighbourhood, flattest first; ties keep their order. */
export function flattestFirst({ even }: Facing, neighbours: Uint32Array): Uint32Array {
  const triangles = even.length / 3;
  const classes = 256;
  const classOf = new Uint8Array(triangles);
  const starts = new Uint32Array(classes + 1);
  for (let t = 0; t < triangles; t++) {
    let least = 1;
    for (let k = 0; k < 3; k++) {
      const other = neighbours[3 * t + k];
      if (other === noNeighbour) continue;
      const dot =
        even[3 * t] * even[3 * other] +
        even[3 * t + 1] * even[3 * other + 1] +
        even[3 * t + 2] * even[3 * other + 2];
      if (dot < least) least = dot;
    }
    // The angle keeps small differences apart: 1 − cos would put nearly all triangles into one class.
    const angle = Math.acos(Math.max(-1, least));
    classOf[t] = Math.min(classes - 1, Math.floor(angle * classes));
    starts[classOf[t] + 1]++;
  }
  for (let k = 0; k < classes; k++) starts[k + 1] += starts[k];
  const order = new Uint32Array(triangles);
  for (let t = 0; t < triangles; t++) order[starts[classOf[t]]++] = t;
  return order;
}
