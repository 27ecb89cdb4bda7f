import { dot, minus } from '../grid/vectors.ts';
import { type Grid, identityDirections, type Vector3 } from '../grid/volume.ts';
import { type Beam, type DetectorPose, plainDetector, type ScanGeometry, type View } from './geometry.ts';

/** The geometry of a scan as it is told and kept: what a person knows of a scanner, or a whole pose of the detector. */
export interface GeometryDescription {
  beam: Beam;
  /** cone and fan */
  sourceToAxisMm?: number | undefined;
  sourceToDetectorMm?: number | undefined;
  /** of the turntable, evenly from firstAngleDeg; the last step ends one before the total unless it is included */
  totalAngleDeg: number;
  firstAngleDeg?: number | undefined;
  finalAngleIncluded?: boolean | undefined;
  /** each projection's own angle of the turntable instead */
  anglesDeg?: number[] | undefined;
  /** which way the part turns, seen from above (against the axis); counterclockwise without it */
  turntable?: 'counterclockwise' | 'clockwise' | undefined;
  /** the row that is first in the pictures; top without it */
  firstRow?: 'top' | 'bottom' | undefined;
  /** pictures as seen from behind the detector */
  mirrored?: boolean | undefined;
  /** of the detector's middle to the right and downward in the pictures, from the central ray */
  detectorOffsetMm?: [number, number] | undefined;
  /** where the source stands at the angle 0, about the axis, from x */
  sourceAngleDeg?: number | undefined;
  /** instead of the plain detector across the beam; in the frame that turns with the scan */
  detectorPose?: DetectorPose | undefined;
  /** height of the source above the part's own zero */
  sourceHeightMm?: number | undefined;
  /** instead, where the axis does not go through the part's zero along its z: how the volume lies in the part's frame */
  axisFrame?: AxisFrame | undefined;
}

export interface AxisFrame {
  /** the point of the axis at the height of the source */
  originMm: Vector3;
  /** x, y and z of the volume, one after another; z is the axis */
  directions: Grid['directions'];
}

export interface DetectorDescription {
  columns: number;
  rows: number;
  projections: number;
  pixelSizeMm: [number, number];
}

/** The turntable's angle at each projection. */
export function turntableAngles(description: GeometryDescription, projections: number): number[] {
  const { anglesDeg, firstAngleDeg = 0, totalAngleDeg, finalAngleIncluded } = description;
  if (anglesDeg) return anglesDeg;
  const step = totalAngleDeg / Math.max(1, projections - (finalAngleIncluded ? 1 : 0));
  return Array.from({ length: projections }, (_, k) => firstAngleDeg + k * step);
}

/**
 * What the reconstruction works with. The source moves against the turntable.
 * @param views where source and detector were at each projection, in the part's frame, where they did not simply turn
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

/** The scan with source and detector where they were at each projection. */
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

/** A point of the frame that turns with the scan, at its first angle, in the part's. */
export const placeInPart = ([x, y, z]: Vector3, { originMm, directions: d }: AxisFrame): Vector3 => [
  originMm[0] + x * d[0] + y * d[3] + z * d[6],
  originMm[1] + x * d[1] + y * d[4] + z * d[7],
  originMm[2] + x * d[2] + y * d[5] + z * d[8],
];
