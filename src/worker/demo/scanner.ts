/**
 * The simulated scanner: a point source, a flat detector and a turntable. Radiographs are exact line integrals through
 * painted solids at a single energy, without scatter, with photon noise.
 */

import { seededNormal } from '#kernels/random.ts';
import { type Layer, PaintedSolid } from '#kernels/reconstruction/painted-solid.ts';

export interface ScanGeometry {
  /** from the source to the axis of rotation (z) */
  sourceToAxisMm: number;
  sourceToDetectorMm: number;
  /** of the detector, in pixels */
  columns: number;
  rows: number;
  pixelSizeMm: number;
  /** evenly spaced over 360°, starting at 0°, where the source is at +x and moves towards +y */
  projections: number;
}

export interface Radiographs {
  geometry: ScanGeometry;
  /** counts of the free beam */
  flatLevel: number;
  /** counts; columns · rows · projections, columns fastest, rows from −z to +z */
  counts: Uint16Array;
}

export interface NoiseModel {
  /** counts of the free beam, at most 60,000 */
  flatLevel: number;
  /** photons per count: more means less noise */
  photonsPerCount: number;
  seed: number;
}

/** Its multiples are spread evenly over 0 to 1, also consecutive ones. */
const golden = 0.6180339887;

/**
 * Scans a part. Takes a second or two, so it should run on a thread. Rays end at another height of their pixel in each
 * projection, as a pixel sees the mean over its height: through the centres alone, faces along the rows would be shifted
 * by up to half a voxel. Faces along the columns are, by up to a tenth of one.
 */
export function scan(layers: Layer[], geometry: ScanGeometry, noise: NoiseModel): Radiographs {
  const { sourceToAxisMm, sourceToDetectorMm, columns, rows, pixelSizeMm, projections } = geometry;
  const solid = new PaintedSolid(layers);
  const normal = seededNormal(noise.seed);
  const counts = new Uint16Array(columns * rows * projections);
  let at = 0;
  for (let projection = 0; projection < projections; projection++) {
    const angle = (2 * Math.PI * projection) / projections;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [sx, sy] = [sourceToAxisMm * cos, sourceToAxisMm * sin];
    const rise = ((projection * golden) % 1) - 0.5;
    for (let row = 0; row < rows; row++) {
      const v = (row + rise - (rows - 1) / 2) * pixelSizeMm;
      solid.expectRise(sourceToAxisMm, (v * sourceToAxisMm) / sourceToDetectorMm);
      for (let column = 0; column < columns; column++) {
        const u = (column - (columns - 1) / 2) * pixelSizeMm;
        // From the source straight to the detector, then along its columns.
        const dx = -sourceToDetectorMm * cos - u * sin;
        const dy = -sourceToDetectorMm * sin + u * cos;
        const length = Math.sqrt(dx * dx + dy * dy + v * v);
        const expected =
          noise.flatLevel * Math.exp(-solid.integral(sx, sy, 0, dx / length, dy / length, v / length));
        const counted = expected + Math.sqrt(expected / noise.photonsPerCount) * normal();
        counts[at++] = Math.min(65_535, Math.max(1, Math.round(counted)));
      }
    }
  }
  return { geometry, flatLevel: noise.flatLevel, counts };
}
