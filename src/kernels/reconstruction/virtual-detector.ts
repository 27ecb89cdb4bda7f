/** The ideal detector that the back-projection uses instead of the real one. */
import { cross, dot } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { DetectorPose, ScanGeometry } from './geometry.ts';

/**
 * Homography from virtual to real pixels, row by row: its product with (column, row, 1) is the real column and row,
 * both times the third component.
 */
export type PixelMap = readonly number[];

/** A detector perpendicular to the beam with rows upward: the real one, or a replacement. */
export interface VirtualDetector {
  /** +1: column indices increase along y */
  across: 1 | -1;
  /** the real rows run down and are reversed on reading */
  rowsReversed: boolean;
  sourceToDetectorMm: number;
  /** column and (upward) row of the ray from the source perpendicularly through the axis */
  middleColumn: number;
  middleRow: number;
  /** range of columns with data in all projections */
  seenColumns: [number, number];
  /** null if virtual and real pixels are the same except for the row order */
  map: PixelMap | null;
  /** one per projection, if source and detector deviate from a plain rotation; null otherwise */
  views: VirtualView[] | null;
}

export interface VirtualView {
  map: PixelMap;
  /** of the source: distance from the axis and height above the frame's origin */
  sourceToAxisMm: number;
  sourceHeightMm: number;
}

/** Sine of the angle below which a tilt of the detector is ignored. */
const straight = 1e-6;

/**
 * The detector onto which rows and columns are resampled. A tilted one is replaced by one perpendicular to the beam
 * with the same number and size of pixels and the same rays: exact except for the interpolation. If source and detector
 * move independently, each projection gets such a detector, opposite to its source: a circular scan except for the
 * source's distance and height, which the back-projection takes from each projection.
 */
export function virtualDetector(geometry: ScanGeometry): VirtualDetector {
  const { columns, rows, pixelSizeMm, detector, views } = geometry;
  const { centerMm, alongColumns, alongRows } = detector;
  const across = alongColumns[1] >= 0 ? 1 : -1;
  const isParallel = geometry.beam === 'parallel';
  const toAxis = isParallel ? 0 : geometry.sourceToAxisMm;
  const [middleU, middleV] = [(columns - 1) / 2, (rows - 1) / 2];
  const plain: Plain = {
    across,
    rowsReversed: alongRows[2] < 0,
    sourceToDetectorMm: isParallel ? 1 : toAxis - centerMm[0],
    middleColumn: middleU - (across * centerMm[1]) / pixelSizeMm[0],
    middleRow: middleV - centerMm[2] / pixelSizeMm[1],
    seenColumns: [-0.5, columns - 0.5],
  };
  if (views) return { ...plain, ...viewEach(geometry, plain), map: null };
  const isStraight =
    Math.hypot(alongColumns[0], alongColumns[2]) < straight &&
    Math.hypot(alongRows[0], alongRows[1]) < straight;
  const map = isStraight ? null : mapPixels(geometry, plain, [toAxis, 0, 0], detector);
  return { ...plain, map, views: null };
}

type Plain = Omit<VirtualDetector, 'map' | 'views'>;

function viewEach(geometry: ScanGeometry, plain: Plain): Pick<VirtualDetector, 'views' | 'seenColumns'> {
  const { columns, pixelSizeMm } = geometry;
  const { across, middleColumn, sourceToDetectorMm } = plain;
  let [left, right] = plain.seenColumns;
  const views = (geometry.views ?? []).map(({ sourceMm, detector }): VirtualView => {
    const radius = Math.hypot(sourceMm[0], sourceMm[1]);
    const [cosine, sine] = [sourceMm[0] / radius, sourceMm[1] / radius];
    const turn = ([x, y, z]: Vector3): Vector3 => [x * cosine + y * sine, y * cosine - x * sine, z];
    const pose: DetectorPose = {
      centerMm: turn(detector.centerMm),
      alongColumns: turn(detector.alongColumns),
      alongRows: turn(detector.alongRows),
    };
    const source: Vector3 = [radius, 0, sourceMm[2]];
    const edges = [-0.5, 0.5].map((side) => {
      const along = side * columns * pixelSizeMm[0];
      const [x, y] = [0, 1].map((k) => pose.centerMm[k] + along * pose.alongColumns[k]);
      return middleColumn + (across * y * sourceToDetectorMm) / (radius - x) / pixelSizeMm[0];
    });
    left = Math.max(left, Math.min(...edges));
    right = Math.min(right, Math.max(...edges));
    return {
      map: mapPixels(geometry, plain, source, pose),
      sourceToAxisMm: radius,
      sourceHeightMm: sourceMm[2],
    };
  });
  return { views, seenColumns: [left, right] };
}

/** @param pose in the frame that rotates with the source, like the source itself */
function mapPixels(
  { beam, columns, rows, pixelSizeMm }: ScanGeometry,
  { across, middleColumn, middleRow, sourceToDetectorMm }: Plain,
  source: Vector3,
  { centerMm, alongColumns, alongRows }: DetectorPose,
): PixelMap {
  const [pixelU, pixelV] = pixelSizeMm;
  const normal = cross(alongColumns, alongRows);
  const sides = [
    { along: alongColumns, pixel: pixelU, middle: (columns - 1) / 2 },
    { along: alongRows, pixel: pixelV, middle: (rows - 1) / 2 },
  ];
  // Contributions of a column, of a row, and the constant part to the direction of a ray or, for parallel rays, to its
  // start.
  const parts: [Vector3, Vector3, Vector3] = [
    [0, across * pixelU, 0],
    [0, 0, pixelV],
    [0, -across * middleColumn * pixelU, -middleRow * pixelV],
  ];
  if (beam === 'parallel') {
    const slide = (vector: Vector3): Vector3 => [
      vector[0] - dot(vector, normal) / normal[0],
      vector[1],
      vector[2],
    ];
    const fromCenter: Vector3 = [0, parts[2][1] - centerMm[1], parts[2][2] - centerMm[2]];
    return [
      ...sides.flatMap(({ along, pixel, middle }) => [
        dot(slide(parts[0]), along) / pixel,
        dot(slide(parts[1]), along) / pixel,
        middle + dot(slide(fromCenter), along) / pixel,
      ]),
      ...[0, 0, 1],
    ];
  }
  parts[2][0] = -sourceToDetectorMm;
  const toCenter: Vector3 = [centerMm[0] - source[0], centerMm[1] - source[1], centerMm[2] - source[2]];
  const reach = dot(toCenter, normal);
  const depths = parts.map((part) => dot(part, normal));
  return [
    ...sides.flatMap(({ along, pixel, middle }) =>
      parts.map(
        (part, k) => (middle - dot(toCenter, along) / pixel) * depths[k] + (reach * dot(part, along)) / pixel,
      ),
    ),
    ...depths,
  ];
}

/** Writes the real column and row of a virtual pixel to `out`. */
export function placePixel(map: PixelMap, column: number, row: number, out: [number, number]): void {
  const scale = 1 / (map[6] * column + map[7] * row + map[8]);
  out[0] = scale * (map[0] * column + map[1] * row + map[2]);
  out[1] = scale * (map[3] * column + map[4] * row + map[5]);
}
