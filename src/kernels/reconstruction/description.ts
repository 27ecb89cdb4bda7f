import { type Beam, type DetectorPose, plainDetector, type ScanGeometry } from './geometry.ts';

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

/** What the reconstruction works with. The source moves against the turntable. */
export function scanGeometryOf(
  description: GeometryDescription,
  { columns, rows, projections, pixelSizeMm }: DetectorDescription,
): ScanGeometry & { sourceHeightMm: number } {
  const { beam, sourceToAxisMm = 0, sourceToDetectorMm = 1, sourceAngleDeg = 0 } = description;
  const sign = description.turntable === 'clockwise' ? 1 : -1;
  const rowsUp = description.firstRow === 'bottom';
  const [right, down] = description.detectorOffsetMm ?? [0, 0];
  return {
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
    sourceHeightMm: description.sourceHeightMm ?? 0,
  };
}
