import type { Vector3 } from '#kernels/grid/volume.ts';
import type { Radiographs, ScanGeometry } from './scanner.ts';

export interface Reconstruction {
  dimensions: Vector3;
  voxelSizeMm: number;
  /** attenuation in 1/mm, x fastest; the grid is centred on the axis and the plane of the source */
  attenuation: Float32Array;
}

/**
 * Filtered back-projection for a cone beam and a full turn. The radiographs become line integrals, are weighted
 * by the cosine to the central ray, filtered along the rows by the ramp (Ram and Lak) and smeared back.
 * O(n³ · projections).
 *
 * @param cells number of cells along each axis
 * @see https://doi.org/10.1364/JOSAA.1.000612 (Feldkamp, Davis and Kress 1984)
 */
export function reconstruct(radiographs: Radiographs, cells: number, voxelSizeMm: number): Reconstruction {
  const { geometry, counts, flatLevel } = radiographs;
  const { columns, rows, projections } = geometry;
  // z fastest while it is summed up, so that the innermost loop walks through memory step by step.
  const columnsOfZ = new Float32Array(cells ** 3);
  const filter = rampFilter(columns, pixelAtAxis(geometry));
  const filtered = new Float32Array(columns * rows);
  const logs = new Float32Array(columns * rows);
  for (let projection = 0; projection < projections; projection++) {
    const from = projection * columns * rows;
    for (let i = 0; i < logs.length; i++) logs[i] = Math.log(flatLevel / counts[from + i]);
    filterRows(logs, filtered, filter, geometry);
    backProject(filtered, geometry, projection, { cells, voxelSizeMm, columnsOfZ });
  }
  const attenuation = new Float32Array(cells ** 3);
  const scale = Math.PI / projections;
  const plane = cells * cells;
  for (let i = 0; i < attenuation.length; i++) {
    attenuation[(i % cells) * plane + Math.floor(i / cells)] = columnsOfZ[i] * scale;
  }
  return { dimensions: [cells, cells, cells], voxelSizeMm, attenuation };
}

const pixelAtAxis = ({ pixelSizeMm, sourceToAxisMm, sourceToDetectorMm }: ScanGeometry) =>
  (pixelSizeMm * sourceToAxisMm) / sourceToDetectorMm;

/** The ramp in space at distances 0 … columns−1, times the distance of two samples (Kak and Slaney, eq. 61). */
function rampFilter(columns: number, spacing: number): Float32Array {
  return Float32Array.from({ length: columns }, (_, n) => {
    if (n === 0) return 1 / (4 * spacing);
    return n % 2 === 0 ? 0 : -1 / (n * n * Math.PI * Math.PI * spacing);
  });
}

/** Cosine weights, the ramp along columns, and the result with rows fastest: one column lies together. */
function filterRows(
  logs: Float32Array,
  filtered: Float32Array,
  filter: Float32Array,
  { columns, rows, pixelSizeMm, sourceToDetectorMm }: ScanGeometry,
): void {
  const line = new Float32Array(columns);
  for (let row = 0; row < rows; row++) {
    const v = (row - (rows - 1) / 2) * pixelSizeMm;
    for (let column = 0; column < columns; column++) {
      const u = (column - (columns - 1) / 2) * pixelSizeMm;
      const cosine = sourceToDetectorMm / Math.sqrt(sourceToDetectorMm ** 2 + u * u + v * v);
      line[column] = logs[row * columns + column] * cosine;
    }
    for (let column = 0; column < columns; column++) {
      let sum = filter[0] * line[column];
      // Only odd distances have a weight.
      for (let n = 1; n <= column; n += 2) sum += filter[n] * line[column - n];
      for (let n = 1; n < columns - column; n += 2) sum += filter[n] * line[column + n];
      filtered[column * rows + row] = sum;
    }
  }
}

function backProject(
  filtered: Float32Array,
  { columns, rows, pixelSizeMm, sourceToAxisMm, sourceToDetectorMm, projections }: ScanGeometry,
  projection: number,
  volume: { cells: number; voxelSizeMm: number; columnsOfZ: Float32Array },
): void {
  const { cells, voxelSizeMm, columnsOfZ } = volume;
  const angle = (2 * Math.PI * projection) / projections;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const middle = (cells - 1) / 2;
  const blended = new Float32Array(rows);
  for (let j = 0; j < cells; j++) {
    const y = (j - middle) * voxelSizeMm;
    for (let i = 0; i < cells; i++) {
      const x = (i - middle) * voxelSizeMm;
      const depth = sourceToAxisMm - (x * cos + y * sin);
      const magnification = sourceToDetectorMm / depth;
      const u = ((y * cos - x * sin) * magnification) / pixelSizeMm + (columns - 1) / 2;
      const column = Math.floor(u);
      if (column < 0 || column + 1 >= columns) continue;
      const share = u - column;
      const weight = (sourceToAxisMm / depth) ** 2;
      const step = (voxelSizeMm * magnification) / pixelSizeMm;
      const lowest = (rows - 1) / 2 - middle * step;
      // The cells whose shadow lies on the detector, and the rows that it touches.
      const first = Math.max(0, Math.ceil(-lowest / step));
      const end = Math.min(cells, Math.ceil((rows - 1 - lowest) / step));
      const lastRow = Math.min(rows - 1, Math.floor(lowest + (end - 1) * step) + 1);
      const [near, far] = [column * rows, (column + 1) * rows];
      for (let row = Math.max(0, Math.floor(lowest + first * step)); row <= lastRow; row++) {
        blended[row] = weight * (filtered[near + row] * (1 - share) + filtered[far + row] * share);
      }
      const start = (j * cells + i) * cells;
      for (let k = first; k < end; k++) {
        const v = lowest + k * step;
        const row = v | 0;
        columnsOfZ[start + k] += blended[row] + (v - row) * (blended[row + 1] - blended[row]);
      }
    }
  }
}
