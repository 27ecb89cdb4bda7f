// Transforms vertices and triangles from a grid's own axes into the scan's frame.
import { Frame } from './layouts';

// Bounding box of the vertices so far.
let low: v128 = f32x4.splat(0);
let high: v128 = f32x4.splat(0);

/**
 * Rotates and translates `count` vertices: positions, in mm along the grid's axes from its first cell, and normals, f32
 * xyz each; source and target may be the same.
 * `box`: minimum and maximum of the stored positions, 2 · f32 xyz; minimum = ∞ and maximum = −∞ without vertices.
 */
export function placeVertices(
  frame: Frame, positions: usize, normals: usize, count: u32, placedPositions: usize, placedNormals: usize, box: usize,
): void {
  const d0 = frame.d0, d1 = frame.d1, d2 = frame.d2, d3 = frame.d3, d4 = frame.d4, d5 = frame.d5, d6 = frame.d6, d7 = frame.d7, d8 = frame.d8;
  const ox = frame.ox, oy = frame.oy, oz = frame.oz;
  low = f32x4.splat(Infinity);
  high = f32x4.splat(-Infinity);
  for (let i: usize = 0; i < <usize>count * 12; i += 12) {
    const x = <f64>load<f32>(positions + i), y = <f64>load<f32>(positions + i, 4), z = <f64>load<f32>(positions + i, 8);
    const px = <f32>(ox + d0 * x + d3 * y + d6 * z), py = <f32>(oy + d1 * x + d4 * y + d7 * z), pz = <f32>(oz + d2 * x + d5 * y + d8 * z);
    store<f32>(placedPositions + i, px);
    store<f32>(placedPositions + i, py, 4);
    store<f32>(placedPositions + i, pz, 8);
    const place = f32x4(px, py, pz, 0);
    low = f32x4.pmin(low, place);
    high = f32x4.pmax(high, place);
    const nx = <f64>load<f32>(normals + i), ny = <f64>load<f32>(normals + i, 4), nz = <f64>load<f32>(normals + i, 8);
    store<f32>(placedNormals + i, <f32>(d0 * nx + d3 * ny + d6 * nz));
    store<f32>(placedNormals + i, <f32>(d1 * nx + d4 * ny + d7 * nz), 4);
    store<f32>(placedNormals + i, <f32>(d2 * nx + d5 * ny + d8 * nz), 8);
  }
  for (let k: usize = 0; k < 2; k++) {
    const corner = k ? high : low;
    const at = box + k * 12;
    store<f32>(at, f32x4.extract_lane(corner, 0));
    store<f32>(at, f32x4.extract_lane(corner, 1), 4);
    store<f32>(at, f32x4.extract_lane(corner, 2), 8);
  }
}

/** Reverses the orientation of `count` triangles, u32 abc each, in place. */
export function turnTriangles(indices: usize, count: u32): void {
  for (let i: usize = 0; i < <usize>count * 12; i += 12) {
    const b = load<u32>(indices + i, 4);
    store<u32>(indices + i, load<u32>(indices + i, 8), 4);
    store<u32>(indices + i, b, 8);
  }
}
