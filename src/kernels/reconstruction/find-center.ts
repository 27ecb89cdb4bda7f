import type { Arena } from '../arena.ts';
import { crossing, symmetryCenter } from './center-of-rotation.ts';
import { sampled } from './filter-projections.ts';
import type { AngleCover, ScanGeometry } from './geometry.ts';
import type { SliceScan } from './slice-cost.ts';
import { estimateSliceCost } from './tasks.ts';
import { placePixel, type VirtualDetector } from './virtual-detector.ts';

/** symmetry: full turn; slice: short scan; given: by a user; geometry: the data does not determine it */
export type HowFound = 'symmetry' | 'slice' | 'given' | 'geometry';

export interface CenterInput {
  geometry: ScanGeometry;
  detector: VirtualDetector;
  cover: AngleCover;
  /** over the angles, in the detector's own order */
  mean: Float64Array;
  /** the row in the plane of the source, one line per projection */
  sinogram: Float32Array;
}

/** Column of the axis as measured in the radiographs. */
export interface MeasuredCenter {
  column: number;
  howFound: 'symmetry' | 'slice';
  mismatch: number | null;
  /** expanded (k = 2), columns */
  uncertainty: number;
  /** reason why it is unreliable */
  doubt: string | null;
}

/** If the two sides of a full turn's mean differ by more than this, they have no common centre. */
const maxMismatch = 0.2;
/** A centre with a larger uncertainty, in columns or as a share of them, is rejected. */
const worstUncertainty = { columns: 1, share: 0.005 };
/** In less than half a turn no ray is seen from both sides: the sharpest slice would be the one truncated the most. */
const minRangeDeg = 179.5;

/** Number of projections used to test a slice; more of them only take longer. */
const triedProjections = 400;

/**
 * Column of the axis of rotation, from the radiographs alone.
 * @returns undefined if they do not determine it
 */
export async function findCenter(
  { geometry, detector, cover, mean, sinogram }: CenterInput,
  arena: Arena,
): Promise<MeasuredCenter | undefined> {
  const { columns, rows } = geometry;
  let [low, high] = [Infinity, -Infinity];
  for (const value of mean) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(high - low > 1e-6 * Math.max(1e-6, Math.abs(high)))) return undefined;
  if (cover.fullTurn) {
    const found = symmetryCenter(virtualImage(mean, columns, rows, detector), columns, rows);
    const doubt =
      found.mismatch > maxMismatch
        ? `their two sides differ by ${Math.round(100 * found.mismatch)} % about any centre`
        : null;
    return { ...found, howFound: 'symmetry', doubt: doubt ?? describeDoubt(found.uncertainty, columns) };
  }
  if (cover.rangeDeg < minRangeDeg) {
    const doubt = `they cover ${cover.rangeDeg.toFixed(0)}° only`;
    return { column: detector.middleColumn, howFound: 'slice', mismatch: null, uncertainty: Infinity, doubt };
  }
  const every = Math.max(1, Math.round(geometry.anglesDeg.length / triedProjections));
  const numbers = geometry.anglesDeg.map((_, i) => i).filter((i) => i % every === 0);
  const scan: SliceScan = {
    beam: geometry.beam,
    sourceToAxisMm: geometry.sourceToAxisMm,
    sourceToDetectorMm: detector.sourceToDetectorMm,
    columns,
    pixelSizeMm: geometry.pixelSizeMm[0],
    across: detector.across,
    anglesDeg: numbers.map((i) => geometry.anglesDeg[i]),
  };
  const mark = arena.mark();
  const address = arena.allocate(numbers.length * columns * 4, 'The centre of rotation');
  for (const [line, i] of numbers.entries()) {
    arena
      .floats(address + 4 * line * columns, columns)
      .set(sinogram.subarray(i * columns, (i + 1) * columns));
  }
  const cost = (column: number, cells: number) =>
    arena.run(estimateSliceCost, { scan, sinogram: address, column, cells });
  const around = async (middle: number, step: number, count: number, cells: number) => {
    const tried = Array.from({ length: 2 * count + 1 }, (_, k) => middle + (k - count) * step);
    const costs = await Promise.all(tried.map((column) => cost(column, cells)));
    return { tried, costs, best: costs.indexOf(Math.min(...costs)) };
  };
  const reach = 0.15 * columns;
  let step = Math.max(1, columns / 100);
  let found = await around(detector.middleColumn, step, Math.ceil(reach / step), 96);
  while (step > 0.5) {
    step = Math.max(0.5, step / 4);
    found = await around(found.tried[found.best], step, 4, Math.min(192, columns));
  }
  let column = found.tried[found.best];
  let uncertainty = Infinity;
  for (let again = 0; again < 2; again++) {
    const { costs } = await around(column, 0.5, 4, Math.min(192, columns));
    const points = costs.map((value, k): [number, number] => [0.5 * (k - 4), value]);
    const crossed = crossing(points.slice(0, 4), points.slice(5));
    column += Math.max(-1, Math.min(1, crossed?.offset ?? 0));
    uncertainty = crossed?.uncertainty ?? Infinity;
  }
  arena.release(mark);
  const isAtEnd = Math.abs(column - detector.middleColumn) > reach - 2;
  const doubt = isAtEnd ? 'the search for it came to its end' : null;
  return {
    column,
    howFound: 'slice',
    mismatch: null,
    uncertainty,
    doubt: doubt ?? describeDoubt(uncertainty, columns),
  };
}

const describeDoubt = (uncertainty: number, columns: number): string | null => {
  const { columns: fewest, share } = worstUncertainty;
  if (uncertainty <= Math.max(fewest, share * columns)) return null;
  return uncertainty < columns
    ? `they would put it to ${uncertainty.toFixed(1)} pixels only`
    : 'any centre suits them as well';
};

/** An image in the virtual detector's order. */
function virtualImage(
  image: Float64Array,
  columns: number,
  rows: number,
  detector: VirtualDetector,
): Float64Array {
  const turned = new Float64Array(image.length);
  const place: [number, number] = [0, 0];
  for (let row = 0; row < rows; row++) {
    const real = detector.rowsReversed ? rows - 1 - row : row;
    for (let column = 0; column < columns; column++) {
      if (detector.map) placePixel(detector.map, column, row, place);
      turned[row * columns + column] = detector.map
        ? sampled(image, columns, rows, place[0], place[1])
        : image[real * columns + column];
    }
  }
  return turned;
}
