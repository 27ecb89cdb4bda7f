/** A cone-beam scan whose source and detector drift, and a ball that shows the effect. */

import type { KernelPool } from '../arena.ts';
import { rotate } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { plainDetector, type ScanGeometry, type View } from '../reconstruction/geometry.ts';
import { anglesOver, type RayBody, simulateRadiographs } from './radiographs.ts';
import { reconstructed } from './reconstructed.ts';

export interface Drift {
  name: string;
  /** displacement of the source and of the detector's centre over the scan (−½ … ½), in the rotating frame, mm */
  sourceMm: (progress: number) => Vector3;
  detectorMm: (progress: number) => Vector3;
  /** rotation of the detector about the beam and about its row direction, degrees */
  rollDeg: (progress: number) => number;
  slantDeg: (progress: number) => number;
}

const still = (): Vector3 => [0, 0, 0];
const none = () => 0;
const wave = (progress: number, turns: number) => Math.sin(2 * Math.PI * turns * progress);

export const drifts: Drift[] = [
  {
    name: 'focal spot wanders by 1.5 mm across and up',
    sourceMm: (p) => [0, 1.5 * wave(p, 1.3), 1.5 * p],
    detectorMm: still,
    rollDeg: none,
    slantDeg: none,
  },
  {
    name: 'detector sinks by 3 mm and shifts by 4 mm',
    sourceMm: still,
    detectorMm: (p) => [0, 4 * p, -3 * p],
    rollDeg: none,
    slantDeg: none,
  },
  {
    name: 'source nears by 6 mm, detector rolls by 2° and slants by 3°',
    sourceMm: (p) => [6 * p, 0, 0],
    detectorMm: still,
    rollDeg: (p) => 2 * wave(p, 0.8),
    slantDeg: (p) => 3 * p,
  },
  {
    name: 'all of it at once',
    sourceMm: (p) => [4 * p, wave(p, 1.3), p],
    detectorMm: (p) => [3 * p, 2 * wave(p, 2.2), -2 * p],
    rollDeg: (p) => 1.5 * wave(p, 0.8),
    slantDeg: (p) => 2 * p,
  },
];

const circle: ScanGeometry = {
  beam: 'cone',
  sourceToAxisMm: 150,
  sourceToDetectorMm: 450,
  columns: 96,
  rows: 72,
  pixelSizeMm: [1.2, 1.2],
  anglesDeg: anglesOver(360, 180),
  detector: plainDetector(150, 450),
  isPoseGiven: true,
};

const ball = { center: [6, -4, 3] as Vector3, radiusMm: 5, attenuation: 0.1 };
const bodies: RayBody[] = [
  { kind: 'ellipsoid', attenuation: ball.attenuation, center: ball.center, radiiMm: [5, 5, 5] },
];

/** Poses of a scan that drifts around the circle, in the fixed frame. */
export const moveViews = ({ sourceMm, detectorMm, rollDeg, slantDeg }: Drift): View[] =>
  circle.anglesDeg.map((angle, i) => {
    const progress = i / (circle.anglesDeg.length - 1) - 0.5;
    const turn = (a: Vector3) => rotate(a, [0, 0, 1], (angle * Math.PI) / 180);
    const [sx, sy, sz] = sourceMm(progress);
    const [dx, dy, dz] = detectorMm(progress);
    const { centerMm, alongColumns, alongRows } = circle.detector;
    const toWorld = (a: Vector3) =>
      turn(
        rotate(
          rotate(a, [1, 0, 0], (rollDeg(progress) * Math.PI) / 180),
          [0, 0, 1],
          (slantDeg(progress) * Math.PI) / 180,
        ),
      );
    return {
      sourceMm: turn([circle.sourceToAxisMm + sx, sy, sz]),
      detector: {
        centerMm: turn([centerMm[0] + dx, centerMm[1] + dy, centerMm[2] + dz]),
        alongColumns: toWorld(alongColumns),
        alongRows: toWorld(alongRows),
      },
    };
  });

/** Errors of the ball, reconstructed with the true poses or with those of the ideal circle. */
export async function measureDrift(drift: Drift | undefined, arePosesKnown: boolean, pool: KernelPool) {
  const geometry = drift ? { ...circle, views: moveViews(drift) } : circle;
  const scan = simulateRadiographs({ bodies, geometry, oversampling: 2 });
  const known = arePosesKnown ? scan : { ...scan, geometry: circle };
  const { facts, values } = await reconstructed(known, pool);
  const { dimensions, originMm, voxelSizeMm } = facts.grid;
  let [count, sum] = [0, 0];
  const sums = [0, 0, 0];
  const reachMm = 1.6 * ball.radiusMm;
  for (let n = 0; n < values.length; n++) {
    const cell = [
      n % dimensions[0],
      Math.floor(n / dimensions[0]) % dimensions[1],
      Math.floor(n / (dimensions[0] * dimensions[1])),
    ];
    const place = cell.map((at, k) => originMm[k] + at * voxelSizeMm);
    if (Math.hypot(...place.map((at, k) => at - ball.center[k])) > reachMm) continue;
    sum += values[n];
    if (values[n] < ball.attenuation / 2) continue;
    count++;
    for (const [k, at] of place.entries()) sums[k] += at;
  }
  const truthMm3 = (4 / 3) * Math.PI * ball.radiusMm ** 3;
  return {
    /** relative errors of the volume above half of the ball's grey value, and of the total attenuation */
    volume: (count * voxelSizeMm ** 3) / truthMm3 - 1,
    mass: (sum * voxelSizeMm ** 3) / ball.attenuation / truthMm3 - 1,
    /** displacement of the centroid of the volume above half */
    offMm: Math.hypot(...sums.map((each, k) => each / count - ball.center[k])),
    voxelSizeMm,
  };
}
