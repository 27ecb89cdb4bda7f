/** Cost of a slice reconstructed with the axis at a given column; a short scan minimizes it to find the axis. */
import { angleCover, type ScanGeometry } from './geometry.ts';
import { RampFilter } from './ramp-filter.ts';
import { rayWeight } from './redundancy.ts';

export interface SliceScan
  extends Pick<ScanGeometry, 'beam' | 'sourceToAxisMm' | 'sourceToDetectorMm' | 'columns' | 'anglesDeg'> {
  pixelSizeMm: number;
  /** +1: column indices increase along y */
  across: 1 | -1;
}

/**
 * Reconstructs the slice in the plane of the source on `cells`² points and returns the mean of its absolute values. A
 * wrong axis smears the part into negative values while the sum stays constant, so the minimum is at the correct one.
 * O(projections · (columns log columns + cells²)).
 * @param sinogram line integrals, columns fastest, one row per projection
 * @see Donath, Beckmann, Schreyer 2006, doi:10.1364/JOSAA.23.001048
 */
export function sliceCost(
  scan: SliceScan,
  sinogram: Float32Array,
  centerColumn: number,
  cells: number,
): number {
  const { beam, columns, pixelSizeMm, anglesDeg, across, sourceToAxisMm, sourceToDetectorMm } = scan;
  const parallel = beam === 'parallel';
  const cover = angleCover(beam, anglesDeg);
  const scale = parallel ? 1 : sourceToAxisMm / sourceToDetectorMm;
  const filter = new RampFilter('hann', columns, pixelSizeMm * scale);
  const image = new Float64Array(cells * cells);
  const halfMm = ((columns - 1) / 2) * pixelSizeMm * scale;
  const radiusMm = 0.95 * (parallel ? halfMm : sourceToAxisMm * Math.sin(Math.atan(halfMm / sourceToAxisMm)));
  const cell = (2 * radiusMm) / cells;
  const row = new Float32Array(columns);
  const none = new Float32Array(columns);
  // Only the cells in the disc count: index of the first one in each row.
  const reaches = Array.from({ length: cells }, (_, j) => {
    let i = 0;
    while ((i + 0.5 - cells / 2) ** 2 + (j + 0.5 - cells / 2) ** 2 > (cells / 2) ** 2) i++;
    return i;
  });
  for (let p = 0; p < anglesDeg.length; p++) {
    for (let c = 0; c < columns; c++) {
      const u = across * (c - centerColumn) * pixelSizeMm;
      const cosine = parallel ? 1 : sourceToDetectorMm / Math.hypot(sourceToDetectorMm, u);
      const weight = rayWeight(beam, cover, anglesDeg[p], Math.atan(u / sourceToDetectorMm));
      row[c] = sinogram[p * columns + c] * cosine * weight;
    }
    none.fill(0);
    filter.apply(row, none);
    const angle = (anglesDeg[p] * Math.PI) / 180;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const coverWeight = cover.weights[p];
    for (let j = 0; j < cells; j++) {
      const y = (j + 0.5 - cells / 2) * cell;
      const reach = reaches[j];
      for (let i = reach; i < cells - reach; i++) {
        const x = (i + 0.5 - cells / 2) * cell;
        let magnification = 1;
        let weight = coverWeight;
        if (!parallel) {
          const depth = sourceToAxisMm - (x * cos + y * sin);
          magnification = sourceToDetectorMm / depth;
          const nearer = sourceToAxisMm / depth;
          weight *= nearer * nearer;
        }
        const u = centerColumn + (across * (y * cos - x * sin) * magnification) / pixelSizeMm;
        if (!(u >= 0 && u < columns - 1)) continue;
        const left = u | 0;
        const share = u - left;
        image[j * cells + i] += weight * (row[left] * (1 - share) + row[left + 1] * share);
      }
    }
  }
  let sum = 0;
  let count = 0;
  for (let j = 0; j < cells; j++) {
    for (let i = reaches[j]; i < cells - reaches[j]; i++) {
      sum += Math.abs(image[j * cells + i]);
      count++;
    }
  }
  return sum / count;
}
