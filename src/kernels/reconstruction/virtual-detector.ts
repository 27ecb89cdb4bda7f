/** What the back-projection works with in the place of the real detector. */
import { cross, dot } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { DetectorPose, ScanGeometry } from './geometry.ts';

/**
 * Where a virtual pixel lies on the real detector, row by row: (column, row, 1) times it gives real column and row, both
 * times the third of what comes out.
 */
export type PixelMap = readonly number[];

/** A detector across the beam with rows upward, as the real one or in its stead. */
export interface VirtualDetector {
  /** +1: column numbers grow along y */
  across: 1 | -1;
  /** the real rows run down: they are reversed on the way */
  rowsReversed: boolean;
  sourceToDetectorMm: number;
  /** column and (upward) row that the ray from the source through the axis, and across it, meets */
  middleColumn: number;
  middleRow: number;
  /** columns between which all projections show something */
  seenColumns: [number, number];
  /** null where virtual and real pixels are the same but for the order of rows */
  map: PixelMap | null;
  /** each projection's own, where source and detector do not simply turn; null otherwise */
  views: VirtualView[] | null;
}

export interface VirtualView {
  map: PixelMap;
  /** of the source from the axis and above the frame's zero */
  sourceToAxisMm: number;
  sourceHeightMm: number;
}

/** Rays differ from those of a detector across the beam by less than this (sine of the angle): none. */
const straight = 1e-6;

/**
 * The detector that the rows and columns are read on. A tilted one is replaced by one across the beam with as many
 * pixels of the same size, on which the same rays fall: exact but for the interpolation. Where source and detector move on
 * their own, each projection gets such a detector, across from where its source was: a circular scan but for the
 * source's distance and height, which the back-projection takes one by one.
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

/** @param pose in the frame that turns with the source, as is the source itself */
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
  // What a column, a row and neither add to the direction of a ray or, where rays are parallel, to its start.
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

/** Real column and row of a virtual pixel, into `out`. */
export function placePixel(map: PixelMap, column: number, row: number, out: [number, number]): void {
  const scale = 1 / (map[6] * column + map[7] * row + map[8]);
  out[0] = scale * (map[0] * column + map[1] * row + map[2]);
  out[1] = scale * (map[3] * column + map[4] * row + map[5]);
}
