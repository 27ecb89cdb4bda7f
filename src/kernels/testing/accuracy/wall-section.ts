import type { Vector3 } from '../../grid/volume.ts';
import { type Body, box, hollowCylinder, sphere, steppedWedge, torus } from '../bodies.ts';
import { measureBody, thicknessErrors } from '../measure-body.ts';
import { accuracyVoxelsMm, bodyFrame, makeScan, type Scan, scanNames, scansWith } from './scans.ts';
import type { AccuracySection } from './section.ts';

interface Wall {
  name: string;
  /** thickness of a flat wall across the z axis of its own frame */
  plateMm?: number;
  body: Body;
  /** true wall in mm, where known: further from an edge than the wall is thick, or everywhere on round bodies */
  wallMm: (point: Vector3, normal: Vector3) => number | null;
  /** on absolute errors, in voxels of the smallest edge */
  bounds: Record<'sphere' | 'ray', WallBounds>;
}
interface WallBounds {
  mean: number;
  sd: number;
  largest: number;
}

const wedgeSteps = [0.55, 0.95, 1.45];
const wall: WallBounds = { mean: 0.06, sd: 0.1, largest: 0.5 };
/**
 * A body that is round everywhere has no wall: every sphere touches almost everywhere, and its diameter depends on the
 * normal.
 */
const round: WallBounds = { mean: 0.25, sd: 0.2, largest: 1.5 };
const walls: Wall[] = [
  ...[0.45, 0.8, 1.2, 2.4].flatMap((wallMm) => [makePlate(wallMm), makeTube(wallMm)]),
  {
    name: `stepped wedge, ${wedgeSteps.join(', ')} mm`,
    body: steppedWedge(wedgeSteps, 2, 3),
    wallMm: ([x, y], [, , nz]) => {
      const step = Math.floor((x + 3) / 2);
      const thickness = wedgeSteps[step];
      const toEdge = Math.min(1.5 - Math.abs(y), x + 3 - 2 * step, 2 * step - 1 - x);
      return thickness !== undefined && Math.abs(nz) > 0.9 && toEdge > thickness * 0.62 ? thickness : null;
    },
    bounds: { sphere: wall, ray: wall },
  },
  {
    name: 'torus, 1.6 mm',
    body: torus(1.9, 0.8),
    wallMm: () => 1.6,
    bounds: { sphere: { ...wall, largest: 1.5 }, ray: round },
  },
  { name: 'ball, 3.8 mm', body: sphere(1.9), wallMm: () => 3.8, bounds: { sphere: round, ray: round } },
];
function makePlate(thickness: number): Wall {
  const half = thickness + 0.8;
  return {
    name: `plate, ${thickness} mm`,
    body: box([2 * half, 2 * half, thickness]),
    plateMm: thickness,
    wallMm: ([x, y], [, , nz]) =>
      Math.max(Math.abs(x), Math.abs(y)) < half - thickness - 0.1 && Math.abs(nz) > 0.9 ? thickness : null,
    bounds: { sphere: wall, ray: wall },
  };
}

/** The bore is at least as wide as the wall is thick, and never narrower than 2 mm. */
function makeTube(thickness: number): Wall {
  const inner = Math.max(1, 0.6 * thickness);
  const half = thickness + 0.6;
  return {
    name: `tube, wall ${thickness} mm, outer radius ${inner + thickness} mm`,
    body: hollowCylinder(inner + thickness, inner, 2 * half),
    wallMm: ([, , z], [, , nz]) =>
      Math.abs(z) < half - thickness - 0.1 && Math.abs(nz) < 0.5 ? thickness : null,
    bounds: { sphere: wall, ray: wall },
  };
}

/** Bounds apply to walls of at least 4.5 voxels. Along the axes, a plate's thickness counts the voxels across it. */
const minCells = 4.5;
const isTooThin = ({ plateMm = Number.POSITIVE_INFINITY }: Wall, { pose, voxels }: Scan) =>
  pose === 'along the axes' && plateMm / accuracyVoxelsMm[voxels][2] < minCells - 1e-9;

/** Voxels of air around each body. */
const aroundCells = 4;

export const wallSection: AccuracySection = {
  title: 'Wall thickness',
  text: `At every vertex whose true wall is known (on flat walls and tubes: further from an edge than the wall is thick), as
measured by runWallThickness by default. Errors in voxels of the smallest edge: mean, standard deviation, largest absolute value; a bound
applies to the absolute value of the figure before it, for walls of ${minCells} to 24 voxels; thinner plates have no bound. *sphere*: diameter of the largest sphere in the material that touches the vertex. *ray*:
distance along the inward normal to the opposite surface.`,
  places: ['Body', 'Pose', 'Voxels', 'Grey values', 'Method'],
  figures: [
    { name: 'Vertices', digits: 0, bound: 'none' },
    { name: 'Mean', digits: 3, signed: true },
    { name: 'Sd', digits: 3 },
    { name: 'Largest', digits: 3 },
  ],
  cases: walls.flatMap((each) => {
    const { name, body, wallMm, bounds } = each;
    return scansWith(['clean', 'noise', 'blur', 'blur and noise']).flatMap((scan) =>
      (['sphere', 'ray'] as const).map((method) => ({
        place: [name, ...scanNames(scan), method],
        bounds: isTooThin(each, scan)
          ? ({} as Record<string, number>)
          : { Mean: bounds[method].mean, Sd: bounds[method].sd, Largest: bounds[method].largest },
        measure: async (pool) => {
          const volume = makeScan(body, scan, aroundCells);
          const frame = bodyFrame(scan.pose);
          const errors = thicknessErrors(
            await measureBody(volume, pool, { method }),
            volume,
            (point, normal) => wallMm(frame.point(point), frame.direction(normal)),
          );
          return { Vertices: errors.count, Mean: errors.mean, Sd: errors.sd, Largest: errors.largest };
        },
      })),
    );
  }),
};
