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

/** Multiples of an irrational number are spread evenly from −½ to ½, also those of consecutive numbers. */
const [golden, plastic] = [0.6180339887, 0.7548776662];
const spread = (number: number, irrational: number): number => ((number * irrational) % 1) - 0.5;

/**
 * Scans a part. Takes a second or two, so it should run on a thread. Each pixel has one ray, off its centre by up to half
 * a pixel sideways and, for the blur of focal spot and detector, a pixel up and down, differently in each projection:
 * rays through the centres alone would shift faces along the rows by up to half a voxel.
 */
export function scan(layers: Layer[], geometry: ScanGeometry, noise: NoiseModel): Radiographs {
  const { sourceToAxisMm, sourceToDetectorMm, columns, rows, pixelSizeMm, projections } = geometry;
  const solid = new PaintedSolid(layers);
  const normal = seededNormal(noise.seed);
  const counts = new Uint16Array(columns * rows * projections);
  let at = 0;
  let rowsBefore = 0;
  for (let projection = 0; projection < projections; projection++) {
    const angle = (2 * Math.PI * projection) / projections;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [sx, sy] = [sourceToAxisMm * cos, sourceToAxisMm * sin];
    const rise = 2 * spread(projection, golden);
    for (let row = 0; row < rows; row++) {
      const v = (row + rise - (rows - 1) / 2) * pixelSizeMm;
      const aside = spread(rowsBefore++, plastic);
      solid.expectRise(sourceToAxisMm, (v * sourceToAxisMm) / sourceToDetectorMm);
      for (let column = 0; column < columns; column++) {
        const u = (column + aside - (columns - 1) / 2) * pixelSizeMm;
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
