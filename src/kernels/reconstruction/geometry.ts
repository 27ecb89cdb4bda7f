/**
 * Acquisition geometry of radiographs, and derived quantities.
 *
 * The frame rotates with the scan: its origin is on the axis of rotation at the height of the source, x points to the
 * source, z runs along the axis. At an angle φ it is rotated by φ about z relative to the part: the source is at (R cos
 * φ, R sin φ, 0).
 */

import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';

export type Beam = 'cone' | 'fan' | 'parallel';

export interface ScanGeometry {
  /** fan: each row is an independent slice; parallel: rays along −x */
  beam: Beam;
  /** cone and fan; ignored for a parallel beam */
  sourceToAxisMm: number;
  sourceToDetectorMm: number;
  columns: number;
  rows: number;
  /** along columns and along rows */
  pixelSizeMm: [number, number];
  /** one per projection, in their order */
  anglesDeg: readonly number[];
  /** position and orientation of the detector, in the rotating frame */
  detector: DetectorPose;
  /** the pose was entered, and is not the default with the axis at the detector's centre */
  isPoseGiven?: boolean;
  /**
   * cone: actual poses of source and detector at each projection, in the fixed frame; they replace the single pose and
   * distances, which then are approximate
   */
  views?: readonly View[] | undefined;
}

/** Source and detector at one projection. */
export interface View {
  sourceMm: Vector3;
  detector: DetectorPose;
}

export interface DetectorPose {
  centerMm: Vector3;
  /** unit vectors of increasing column and row indices */
  alongColumns: Vector3;
  alongRows: Vector3;
}

/** A detector perpendicular to the beam; rows run down (as in images) unless `rowsUp`. */
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

/** @throws KernelError BAD_INPUT that names the invalid value */
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
  if (geometry.views && (beam !== 'cone' || geometry.views.length !== anglesDeg.length))
    refuse(
      `There are ${geometry.views.length} poses of source and detector for ${anglesDeg.length} projections of a ${beam} beam; a cone beam has one for each.`,
    );
  if (beam === 'parallel') return;
  if (!isLength(sourceToAxisMm))
    refuse(`The distance from source to axis is ${sourceToAxisMm} mm; it must be above 0.`);
  if (!(sourceToDetectorMm > sourceToAxisMm))
    refuse(
      `The detector is ${sourceToDetectorMm} mm from the source and the axis ${sourceToAxisMm} mm: the detector must lie beyond the axis.`,
    );
}

export interface AngleCover {
  /** the scan is a full turn: every ray is measured from both sides */
  fullTurn: boolean;
  /** from half a step before the first angle to half a step after the last; 360 for a full turn */
  rangeDeg: number;
  firstDeg: number;
  /** weight of each projection in the sum over angles, in radians */
  weights: Float64Array;
}

/**
 * Weight of each projection: half the distance to its neighbours on either side. Correct for uneven steps, repeated
 * angles, and a last angle that equals the first.
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
  // Parallel rays repeat after half a turn.
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
