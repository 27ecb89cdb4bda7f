import { dot, minus } from '../grid/vectors.ts';
import { type Grid, identityDirections, type Vector3 } from '../grid/volume.ts';
import { type Beam, type DetectorPose, plainDetector, type ScanGeometry, type View } from './geometry.ts';

/** Scan geometry as entered and stored: what a user knows about the scanner, or a complete detector pose. */
export interface GeometryDescription {
  beam: Beam;
  /** cone and fan */
  sourceToAxisMm?: number | undefined;
  sourceToDetectorMm?: number | undefined;
  /**
   * of the turntable, in equal steps from firstAngleDeg; the last projection is one step before the total unless
   * included
   */
  totalAngleDeg: number;
  firstAngleDeg?: number | undefined;
  finalAngleIncluded?: boolean | undefined;
  /** instead: turntable angle of each projection */
  anglesDeg?: number[] | undefined;
  /** direction of rotation, seen from above (against the axis); counterclockwise by default */
  turntable?: 'counterclockwise' | 'clockwise' | undefined;
  /** the first row in the images; top by default */
  firstRow?: 'top' | 'bottom' | undefined;
  /** images are as seen from behind the detector */
  mirrored?: boolean | undefined;
  /** offset of the detector's centre from the central ray, to the right and downward in the images */
  detectorOffsetMm?: [number, number] | undefined;
  /** direction of the source about the axis at angle 0, measured from x */
  sourceAngleDeg?: number | undefined;
  /** instead of a plain detector perpendicular to the beam; in the frame that rotates with the scan */
  detectorPose?: DetectorPose | undefined;
  /** height of the source above the origin of the part */
  sourceHeightMm?: number | undefined;
  /** instead, if the axis is not the part's z axis: the frame of the volume in that of the part */
  axisFrame?: AxisFrame | undefined;
}

export interface AxisFrame {
  /** the point of the axis at the height of the source */
  originMm: Vector3;
  /** x, y and z of the volume in sequence; z is the axis */
  directions: Grid['directions'];
}

export interface DetectorDescription {
  columns: number;
  rows: number;
  projections: number;
  pixelSizeMm: [number, number];
}

export function turntableAngles(description: GeometryDescription, projections: number): number[] {
  const { anglesDeg, firstAngleDeg = 0, totalAngleDeg, finalAngleIncluded } = description;
  if (anglesDeg) return anglesDeg;
  const step = totalAngleDeg / Math.max(1, projections - (finalAngleIncluded ? 1 : 0));
  return Array.from({ length: projections }, (_, k) => firstAngleDeg + k * step);
}

/**
 * Converts a description to the geometry used by the reconstruction. The source moves opposite to the turntable.
 * @param views poses of source and detector at each projection, in the part's frame, if they deviate from a plain
 * rotation
 */
export function readScanGeometry(
  description: GeometryDescription,
  { columns, rows, projections, pixelSizeMm }: DetectorDescription,
  views?: readonly View[],
): { geometry: ScanGeometry; axisFrame: AxisFrame } {
  const { beam, sourceToAxisMm = 0, sourceToDetectorMm = 1, sourceAngleDeg = 0 } = description;
  const sign = description.turntable === 'clockwise' ? 1 : -1;
  const rowsUp = description.firstRow === 'bottom';
  const [right, down] = description.detectorOffsetMm ?? [0, 0];
  const geometry: ScanGeometry = {
    beam,
    sourceToAxisMm,
    sourceToDetectorMm,
    columns,
    rows,
    pixelSizeMm,
    anglesDeg: turntableAngles(description, projections).map((angle) => sourceAngleDeg + sign * angle),
    detector:
      description.detectorPose ??
      plainDetector(sourceToAxisMm, sourceToDetectorMm, {
        rowsUp,
        mirrored: description.mirrored ?? false,
        offsetMm: [right, rowsUp ? -down : down],
      }),
    isPoseGiven: description.detectorPose !== undefined || description.detectorOffsetMm !== undefined,
  };
  const upright = {
    originMm: [0, 0, description.sourceHeightMm ?? 0] satisfies Vector3,
    directions: identityDirections(),
  };
  const axisFrame = description.axisFrame ?? upright;
  return { geometry: views ? moveEach(geometry, axisFrame, views) : geometry, axisFrame };
}

/** The scan with individual poses of source and detector per projection. */
function moveEach(geometry: ScanGeometry, frame: AxisFrame, partViews: readonly View[]): ScanGeometry {
  const turn = (a: Vector3): Vector3 =>
    [0, 3, 6].map((i) => dot(a, frame.directions.slice(i, i + 3) as Vector3)) as Vector3;
  const views = partViews.map(
    ({ sourceMm, detector }): View => ({
      sourceMm: turn(minus(sourceMm, frame.originMm)),
      detector: {
        centerMm: turn(minus(detector.centerMm, frame.originMm)),
        alongColumns: turn(detector.alongColumns),
        alongRows: turn(detector.alongRows),
      },
    }),
  );
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const sourceToAxisMm = mean(views.map(({ sourceMm: [x, y] }) => Math.hypot(x, y)));
  const [, across, up] = geometry.detector.centerMm;
  let before = geometry.anglesDeg[0];
  const anglesDeg = views.map(({ sourceMm: [x, y] }) => {
    const angle = (Math.atan2(y, x) * 180) / Math.PI;
    before = angle + 360 * Math.round((before - angle) / 360);
    return before;
  });
  return {
    ...geometry,
    sourceToAxisMm,
    anglesDeg,
    detector: {
      ...geometry.detector,
      centerMm: [sourceToAxisMm - geometry.sourceToDetectorMm, across, up],
    },
    isPoseGiven: true,
    views,
  };
}

/** Transforms a point from the rotating frame, at its first angle, to that of the part. */
export const placeInPart = ([x, y, z]: Vector3, { originMm, directions: d }: AxisFrame): Vector3 => [
  originMm[0] + x * d[0] + y * d[3] + z * d[6],
  originMm[1] + x * d[1] + y * d[4] + z * d[7],
  originMm[2] + x * d[2] + y * d[5] + z * d[8],
];
