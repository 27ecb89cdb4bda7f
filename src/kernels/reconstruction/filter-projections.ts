/** Corrects, weights and filters projections on a thread, and arranges their columns for the back-projection. */
import { type DataType, voxelArray } from '../grid/volume.ts';
import type { AngleCover, ScanGeometry } from './geometry.ts';
import { lineIntegrals } from './line-integrals.ts';
import { RampFilter, type RampName } from './ramp-filter.ts';
import { rayWeight } from './redundancy.ts';
import { type PixelMap, placePixel } from './virtual-detector.ts';

/** Addresses are in the arena; detector images are in the detector's own order, f32 unless noted. */
export interface ProjectionLayout {
  dataType: DataType;
  values: 'counts' | 'lineIntegrals';
  columns: number;
  rows: number;
  dark: number;
  gain: number;
  /** scatter in each pixel, as a share of the free beam */
  scatterShare: number;
  /** address of the pixel errors that cause rings; 0 = none */
  stripes: number;
  rowsReversed: boolean;
}

export interface FilterSetup extends ProjectionLayout {
  beam: ScanGeometry['beam'];
  across: 1 | -1;
  sourceToAxisMm: number;
  sourceToDetectorMm: number;
  pixelSizeMm: [number, number];
  /** real pixels merged along a row and along a column */
  binning: number;
  rowBinning: number;
  /** column of the axis and row of the central plane, both binned */
  centerColumn: number;
  middleRow: number;
  filter: RampName;
  /** coefficient b of the correction p + b p² */
  beamHardening: number;
  /** range of binned rows required: heldFrom … heldTo−1, with `pitch` f32 per column */
  heldFrom: number;
  heldTo: number;
  pitch: number;
}

/** Converts a raw projection to line integrals in virtual order (columns fastest, rows upward), unbinned. */
export function virtualIntegrals(
  buffer: SharedArrayBuffer,
  layout: ProjectionLayout,
  address: number,
  map: PixelMap | null,
  [rowFrom, rowTo]: readonly [number, number],
  { scratch, out }: { scratch: Float32Array; out: Float32Array },
): void {
  const { columns, rows, dataType, values, stripes, rowsReversed } = layout;
  const pixels = columns * rows;
  const raw = voxelArray(dataType, buffer as unknown as ArrayBuffer, address, pixels);
  const correction = {
    values,
    dark: new Float32Array(buffer, layout.dark, pixels),
    gain: new Float32Array(buffer, layout.gain, pixels),
    scatterShare: layout.scatterShare,
  };
  // A tilted detector may need any row.
  const [from, to] = map ? [0, rows] : rowsReversed ? [rows - rowTo, rows - rowFrom] : [rowFrom, rowTo];
  lineIntegrals(raw, from * columns, (to - from) * columns, columns, correction, scratch);
  if (stripes) {
    const stripe = new Float32Array(buffer, stripes + 4 * from * columns, (to - from) * columns);
    for (let i = 0; i < stripe.length; i++) scratch[i] -= stripe[i];
  }
  if (map) {
    const place: [number, number] = [0, 0];
    let at = 0;
    for (let row = rowFrom; row < rowTo; row++) {
      for (let column = 0; column < columns; column++) {
        placePixel(map, column, row, place);
        out[at++] = sampled(scratch, columns, rows, place[0], place[1]);
      }
    }
    return;
  }
  for (let row = rowFrom; row < rowTo; row++) {
    const at = (rowsReversed ? to - 1 - (row - rowFrom) - from : row - rowFrom) * columns;
    out.set(scratch.subarray(at, at + columns), (row - rowFrom) * columns);
  }
}

/** Bilinear interpolation between four pixels; clamped at the border of the detector. */
export function sampled(
  image: ArrayLike<number>,
  columns: number,
  rows: number,
  column: number,
  row: number,
): number {
  const x = Math.min(columns - 1, Math.max(0, column));
  const y = Math.min(rows - 1, Math.max(0, row));
  const [i, j] = [Math.min(Math.floor(x), columns - 2), Math.max(0, Math.min(Math.floor(y), rows - 2))];
  const [fx, fy] = [x - i, y - j];
  const at = j * columns + i;
  const below = rows > 1 ? columns : 0;
  return (
    (image[at] * (1 - fx) + image[at + 1] * fx) * (1 - fy) +
    (image[at + below] * (1 - fx) + image[at + below + 1] * fx) * fy
  );
}

export interface FilterInput {
  raw: number;
  projectionBytes: number;
  anglesDeg: number[];
  weights: number[];
  /** one per projection */
  maps: (PixelMap | null)[];
  target: number;
}

/**
 * Filters projections from `raw` on (as many as angles) into `target`: the columns of each projection, each with rows
 * heldFrom … heldTo−1, padded with zeros to the pitch.
 */
export function filterProjections(
  buffer: SharedArrayBuffer,
  setup: FilterSetup,
  cover: AngleCover,
  input: FilterInput,
): void {
  const { binning, rowBinning, beam, heldFrom, heldTo, pitch, pixelSizeMm, beamHardening } = setup;
  const columns = Math.floor(setup.columns / binning);
  const held = heldTo - heldFrom;
  const [pixelU, pixelV] = [pixelSizeMm[0] * binning, pixelSizeMm[1] * rowBinning];
  const parallel = beam === 'parallel';
  const distance = setup.sourceToDetectorMm;
  const scale = parallel ? 1 : setup.sourceToAxisMm / distance;
  const filter = new RampFilter(setup.filter, columns, pixelU * scale);
  const realRows = held * rowBinning;
  const scratch = new Float32Array(setup.columns * (input.maps.some(Boolean) ? setup.rows : realRows));
  const integrals = new Float32Array(setup.columns * realRows);
  const lines = [new Float32Array(columns), new Float32Array(columns)];
  const u = Float64Array.from(
    { length: columns },
    (_, c) => setup.across * (c - setup.centerColumn) * pixelU,
  );
  for (let p = 0; p < input.anglesDeg.length; p++) {
    const address = input.raw + p * input.projectionBytes;
    const needed = [heldFrom * rowBinning, heldTo * rowBinning] as const;
    virtualIntegrals(buffer, setup, address, input.maps[p], needed, { scratch, out: integrals });
    const weights = u.map(
      (at) => input.weights[p] * rayWeight(beam, cover, input.anglesDeg[p], Math.atan(at / distance)),
    );
    const target = new Float32Array(buffer, input.target + 4 * p * columns * pitch, columns * pitch);
    target.fill(0);
    for (let row = 0; row < held; row += 2) {
      for (let k = 0; k < 2; k++) {
        const line = lines[k];
        if (row + k >= held) {
          line.fill(0);
          continue;
        }
        const v = beam === 'cone' ? (row + k + heldFrom - setup.middleRow) * pixelV : 0;
        for (let c = 0; c < columns; c++) {
          let integral = 0;
          for (let y = 0; y < rowBinning; y++) {
            const at = ((row + k) * rowBinning + y) * setup.columns + c * binning;
            for (let x = 0; x < binning; x++) integral += integrals[at + x];
          }
          integral /= binning * rowBinning;
          if (beamHardening > 0) integral += beamHardening * integral * integral;
          const cosine = parallel ? 1 : distance / Math.sqrt(distance * distance + u[c] * u[c] + v * v);
          line[c] = integral * cosine * weights[c];
        }
      }
      filter.apply(lines[0], lines[1]);
      const both = row + 1 < held;
      for (let c = 0; c < columns; c++) {
        const at = c * pitch + row;
        target[at] = lines[0][c];
        if (both) target[at + 1] = lines[1][c];
      }
    }
  }
}
