/**
 * How radiographs were taken, and what follows from it.
 *
 * The frame turns with the scan: origin on the axis of rotation at the height of the source, x towards the source,
 * z along the axis. At an angle φ it is turned by φ about z against the part: the source stands at (R cos φ, R sin φ, 0).
 */
import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { cross, dot } from './vectors.ts';

export type Beam = 'cone' | 'fan' | 'parallel';

export interface ScanGeometry {
  /** fan: each row is a slice of its own; parallel: rays along −x */
  beam: Beam;
  /** cone and fan; without meaning for a parallel beam */
  sourceToAxisMm: number;
  sourceToDetectorMm: number;
  columns: number;
  rows: number;
  /** along the columns' and the rows' numbers */
  pixelSizeMm: [number, number];
  /** one a projection, in their order */
  anglesDeg: readonly number[];
  /** where the detector is and how it lies, in the turning frame */
  detector: DetectorPose;
  /** that was told, and is no guess that the axis falls on the detector's middle */
  isPoseGiven?: boolean;
}

export interface DetectorPose {
  centerMm: Vector3;
  /** unit vectors of growing column and row numbers */
  alongColumns: Vector3;
  alongRows: Vector3;
}

/** A detector across the beam; rows run down (as pictures have them) unless `rowsUp`. */
export function plainDetector(
  sourceToAxisMm: number,
  sourceToDetectorMm: number,
  options: { rowsUp?: boolean; mirrored?: boolean; offsetMm?: [number, number] } = {},
): DetectorPose {
  const [across, up] = [options.mirrored ? -1 : 1, options.rowsUp ? 1 : -1];
  const [u, v] = options.offsetMm ?? [0, 0];
  return {
    centerMm: [sourceToAxisMm - sourceToDetectorMm, across * u, up * v],
    alongColumns: [0, across, 0],
    alongRows: [0, 0, up],
  };
}

/** What the back-projection works with: a detector across the beam with rows upward, as the real one or in its stead. */
export interface VirtualDetector {
  /** +1: column numbers grow along y */
  across: 1 | -1;
  /** the real rows run down: they are reversed on the way */
  rowsReversed: boolean;
  sourceToDetectorMm: number;
  /** column and (upward) row that the ray from the source through the origin meets */
  middleColumn: number;
  middleRow: number;
  /** from a virtual pixel (column, upward row) to a real one; null where they are the same */
  resample: ((column: number, row: number) => [number, number]) | null;
}

/** Rays differ from those of a detector across the beam by less than this (sine of the angle): none. */
const straight = 1e-6;

/**
 * The detector that the rows and columns are read on. A tilted one is replaced by one across the beam with as many
 * pixels of the same size, on which the same rays fall: exact but for the interpolation.
 */
export function virtualDetector(geometry: ScanGeometry): VirtualDetector {
  const { beam, columns, rows, pixelSizeMm, detector } = geometry;
  const { centerMm, alongColumns, alongRows } = detector;
  const across = alongColumns[1] >= 0 ? 1 : -1;
  const up = alongRows[2] >= 0 ? 1 : -1;
  const parallel = beam === 'parallel';
  const toAxis = parallel ? 0 : geometry.sourceToAxisMm;
  const distance = toAxis - centerMm[0];
  const [middleU, middleV] = [(columns - 1) / 2, (rows - 1) / 2];
  const middleColumn = middleU - (across * centerMm[1]) / pixelSizeMm[0];
  const middleRow = middleV - centerMm[2] / pixelSizeMm[1];
  const isStraight =
    Math.hypot(alongColumns[0], alongColumns[2]) < straight &&
    Math.hypot(alongRows[0], alongRows[1]) < straight;
  const base = {
    across: across as 1 | -1,
    rowsReversed: up < 0,
    sourceToDetectorMm: parallel ? 1 : distance,
    middleColumn,
    middleRow,
  };
  if (isStraight) return { ...base, resample: null };
  const normal = cross(alongColumns, alongRows);
  const source: Vector3 = [toAxis, 0, 0];
  const resample = (column: number, row: number): [number, number] => {
    const point: Vector3 = [
      centerMm[0],
      across * (column - middleColumn) * pixelSizeMm[0],
      (row - middleRow) * pixelSizeMm[1],
    ];
    const from: Vector3 = parallel ? point : source;
    const ray: Vector3 = parallel ? [-1, 0, 0] : [point[0] - toAxis, point[1], point[2]];
    const toCenter: Vector3 = [centerMm[0] - from[0], centerMm[1] - from[1], centerMm[2] - from[2]];
    const reach = dot(toCenter, normal) / dot(ray, normal);
    const hit: Vector3 = [0, 1, 2].map((k) => from[k] + reach * ray[k] - centerMm[k]) as Vector3;
    return [
      middleU + dot(hit, alongColumns) / pixelSizeMm[0],
      middleV + dot(hit, alongRows) / pixelSizeMm[1],
    ];
  };
  return { ...base, resample };
}

/** @throws KernelError BAD_INPUT that names what can't be */
export function checkGeometry(geometry: ScanGeometry): void {
  const { beam, columns, rows, pixelSizeMm, anglesDeg, sourceToAxisMm, sourceToDetectorMm } = geometry;
  const refuse = (message: string) => {
    throw new KernelError('BAD_INPUT', message);
  };
  const isLength = (value: number) => Number.isFinite(value) && value > 0;
  if (!(columns >= 2 && rows >= 1))
    refuse(`A detector of ${columns} × ${rows} pixels shows nothing: 2 × 1 is the least.`);
  if (!pixelSizeMm.every(isLength))
    refuse(`The pixel size is ${pixelSizeMm.join(' × ')} mm; it must be above 0.`);
  if (anglesDeg.length < 2)
    refuse(`${anglesDeg.length} projection is too few: a volume needs several angles.`);
  if (!anglesDeg.every(Number.isFinite)) refuse('An angle of the projections is not a number.');
  if (beam === 'parallel') return;
  if (!isLength(sourceToAxisMm))
    refuse(`The distance from source to axis is ${sourceToAxisMm} mm; it must be above 0.`);
  if (!(sourceToDetectorMm > sourceToAxisMm))
    refuse(
      `The detector is ${sourceToDetectorMm} mm from the source and the axis ${sourceToAxisMm} mm: the detector must lie beyond the axis.`,
    );
}

export interface AngleCover {
  /** the scan goes all around: every ray is measured from both sides */
  fullTurn: boolean;
  /** from half a step before the first angle to half a step behind the last; 360 for a full turn */
  rangeDeg: number;
  firstDeg: number;
  /** weight of each projection in the sum over angles, radian */
  weights: Float64Array;
}

/**
 * How much each projection counts: half the way to its neighbours on either side, so that uneven steps, angles that were
 * taken twice, and a last angle that equals the first weigh what they should.
 */
export function angleCover(beam: Beam, anglesDeg: readonly number[]): AngleCover {
  const count = anglesDeg.length;
  let [low, high] = [Infinity, -Infinity];
  for (const angle of anglesDeg) {
    low = Math.min(low, angle);
    high = Math.max(high, angle);
  }
  const steps = [...anglesDeg]
    .sort((a, b) => a - b)
    .map((angle, i, all) => (i === 0 ? 0 : angle - all[i - 1]));
  const positive = steps.filter((step) => step > 1e-9).sort((a, b) => a - b);
  const step = positive[Math.floor(positive.length / 2)] ?? 0;
  const rangeDeg = high - low + step;
  const fullTurn = rangeDeg >= 360 - 0.01 * step - 1e-6;
  // Parallel rays come back after half a turn.
  const period = beam === 'parallel' && rangeDeg >= 180 - 1e-6 ? 180 : fullTurn ? 360 : 0;
  const weights = new Float64Array(count);
  const key = (angle: number) => (period ? (((angle - low) % period) + period) % period : angle);
  const order = Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => key(anglesDeg[a]) - key(anglesDeg[b]) || a - b,
  );
  for (let n = 0; n < count; n++) {
    const here = key(anglesDeg[order[n]]);
    const before =
      n > 0
        ? here - key(anglesDeg[order[n - 1]])
        : period
          ? here + period - key(anglesDeg[order[count - 1]])
          : step;
    const after =
      n < count - 1
        ? key(anglesDeg[order[n + 1]]) - here
        : period
          ? key(anglesDeg[order[0]]) + period - here
          : step;
    weights[order[n]] = (((before + after) / 2) * Math.PI) / 180;
  }
  return {
    fullTurn,
    rangeDeg: fullTurn ? 360 : rangeDeg,
    firstDeg: fullTurn ? low : low - step / 2,
    weights,
  };
}

export interface PreviewGrid {
  dimensions: Vector3;
  voxelSizeMm: number;
  /** centre of the first cell */
  originMm: Vector3;
  /** cells farther than this from the axis were not seen from all sides */
  radiusMm: number;
}

/**
 * The cells that the detector sees from all sides, none finer than a pixel seen at the axis.
 * @param centerColumn column that the axis falls on
 */
export function previewGrid(
  geometry: ScanGeometry,
  detector: VirtualDetector,
  centerColumn: number,
  maxDimension: number,
): PreviewGrid {
  const { beam, columns, rows, pixelSizeMm, sourceToAxisMm } = geometry;
  const scale = beam === 'parallel' ? 1 : sourceToAxisMm / detector.sourceToDetectorMm;
  const halfWidthMm = Math.min(centerColumn + 0.5, columns - 0.5 - centerColumn) * pixelSizeMm[0];
  if (!(halfWidthMm > 0)) {
    throw new KernelError(
      'BAD_INPUT',
      `The axis of rotation falls beside the detector (column ${centerColumn.toFixed(1)} of ${columns}): check the centre of rotation.`,
    );
  }
  const radiusMm =
    beam === 'parallel'
      ? halfWidthMm
      : sourceToAxisMm * Math.sin(Math.atan(halfWidthMm / detector.sourceToDetectorMm));
  const heightScale = beam === 'cone' ? scale : 1;
  const heightMm = rows * pixelSizeMm[1] * heightScale;
  const voxelSizeMm = Math.max(
    pixelSizeMm[0] * scale,
    (2 * radiusMm) / maxDimension,
    rows > 1 ? heightMm / maxDimension : 0,
  );
  const across = Math.max(1, Math.min(maxDimension, Math.round((2 * radiusMm) / voxelSizeMm)));
  const up = rows > 1 ? Math.max(1, Math.min(maxDimension, Math.round(heightMm / voxelSizeMm))) : 1;
  const middleZ = ((rows - 1) / 2 - detector.middleRow) * pixelSizeMm[1] * heightScale;
  const start = -((across - 1) / 2) * voxelSizeMm;
  return {
    dimensions: [across, across, up],
    voxelSizeMm,
    originMm: [start, start, middleZ - ((up - 1) / 2) * voxelSizeMm],
    radiusMm,
  };
}
