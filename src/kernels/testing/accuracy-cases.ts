/**
 * What docs/accuracy.md is made of: bodies of known truth, scanned in silico, measured as the analyses measure, and the
 * bound that each figure has to meet. The table is written by bench/accuracy.ts; a test holds it.
 */
import type { Vector3, Volume } from '../grid/volume.ts';
import {
  type Body,
  box,
  hollowCylinder,
  movedBody,
  sphere,
  steppedWedge,
  torus,
  turnedBody,
} from '../phantoms/bodies.ts';
import { renderBody } from '../phantoms/render.ts';
import type { KernelPool } from '../pool.ts';
import { measureBody, thicknessErrors } from './measure-body.ts';

/** How it lies in the grid, and what the grid and its grey values are like. */
interface Scan {
  pose: 'along the axes' | 'tilted';
  voxels: 'cubic' | 'anisotropic';
  noise: boolean;
}
export interface MeshCase extends Scan {
  name: string;
  body: Body;
  /** on the amounts of the errors, in % */
  bounds: { volume: number; area: number };
}
export interface MeshErrors {
  volume: number;
  area: number;
}
export interface WallCase extends Scan {
  name: string;
  body: Body;
  /** mm, where the true wall is known: further from an edge than the wall is thick, or everywhere on round bodies */
  wallMm: (point: Vector3, normal: Vector3) => number | null;
  /** on the amounts, in voxels of the smallest edge */
  bounds: Record<'sphere' | 'ray', WallBounds>;
}
export interface WallBounds {
  mean: number;
  sd: number;
  largest: number;
}
export interface WallErrors extends WallBounds {
  count: number;
}

export const accuracyVoxelsMm = { cubic: [0.1, 0.1, 0.1], anisotropic: [0.1, 0.1, 0.15] } as const;
/** Standard deviation, in grey values; material lies 32 000 above air. */
export const accuracyNoise = 1600;
const tilt: Vector3 = [21, 14, 33];
/** Keeps faces off the planes of the grid, where errors would cancel. */
const shift: Vector3 = [0.013, 0.027, 0.041];

const scans: Scan[] = (['along the axes', 'tilted'] as const).flatMap((pose) =>
  (['cubic', 'anisotropic'] as const).flatMap((voxels) =>
    [false, true].map((noise) => ({ pose, voxels, noise })),
  ),
);

/** Forty voxels and more across: the grid rounds edges by half a voxel, and small bodies are mostly edge. */
const solids: { name: string; body: Body; isRound: boolean }[] = [
  { name: 'box 6.03 × 5.47 × 4.91 mm', body: box([6.03, 5.47, 4.91]), isRound: false },
  { name: 'ball, radius 2.63 mm', body: sphere(2.63), isRound: true },
  {
    name: 'hollow cylinder, radii 3.9 and 1.37 mm, 6.9 mm long',
    body: hollowCylinder(3.9, 1.37, 6.9),
    isRound: false,
  },
  { name: 'torus, radii 3.1 and 2.03 mm', body: torus(3.1, 2.03), isRound: true },
  {
    name: 'stepped wedge, 3.1, 4.3, 5.7 mm',
    body: steppedWedge([3.1, 4.3, 5.7], 2.3, 5.3),
    isRound: false,
  },
];
/** The wedge has half as many edges again as a box. */
export const meshCases: MeshCase[] = solids.flatMap(({ isRound, ...body }) =>
  scans.map((scan) => ({
    ...body,
    ...scan,
    bounds: { volume: 0.2, area: isRound ? 0.5 : body.name.startsWith('stepped wedge') ? 2.5 : 2 },
  })),
);

const wedgeSteps = [0.55, 0.95, 1.45];
const wall: WallBounds = { mean: 0.06, sd: 0.1, largest: 0.5 };
/** A body that is round throughout has no wall: every ball touches almost everywhere, and its diameter follows the normal. */
const round: WallBounds = { mean: 0.25, sd: 0.2, largest: 1.5 };
const walls: Omit<WallCase, keyof Scan>[] = [
  ...[0.45, 0.8, 1.2, 2.4].flatMap((wallMm) => [plateOf(wallMm), tubeOf(wallMm)]),
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
export const wallCases: WallCase[] = walls.flatMap((each) => scans.map((scan) => ({ ...each, ...scan })));

function plateOf(thickness: number): Omit<WallCase, keyof Scan> {
  const half = thickness + 0.8;
  return {
    name: `plate, ${thickness} mm`,
    body: box([2 * half, 2 * half, thickness]),
    wallMm: ([x, y], [, , nz]) =>
      Math.max(Math.abs(x), Math.abs(y)) < half - thickness - 0.1 && Math.abs(nz) > 0.9 ? thickness : null,
    bounds: { sphere: wall, ray: wall },
  };
}

/** The bore is as wide as the wall is thick at least, and never below 2 mm. */
function tubeOf(thickness: number): Omit<WallCase, keyof Scan> {
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

/** Noise is seeded: the same grey values on every machine. */
function rendered(body: Body, { pose, voxels, noise }: Scan): Volume {
  const placed = movedBody(pose === 'tilted' ? turnedBody(body, tilt) : body, shift);
  const voxelSizeMm: Vector3 = [...accuracyVoxelsMm[voxels]];
  const dimensions = voxelSizeMm.map((edge, k) =>
    Math.ceil((placed.boundsMm.max[k] - placed.boundsMm.min[k]) / edge + 8),
  ) as Vector3;
  return renderBody(placed, { dimensions, voxelSizeMm, noise: noise ? accuracyNoise : 0 });
}

/** Errors of the mesh's volume and area, in %. */
export async function meshErrors(each: MeshCase, pool: KernelPool): Promise<MeshErrors> {
  const { facts } = await measureBody(rendered(each.body, each), pool);
  return {
    volume: 100 * (facts.volumeMm3 / each.body.volumeMm3 - 1),
    area: 100 * (facts.areaMm2 / each.body.areaMm2 - 1),
  };
}

/** Errors of the wall thickness by one method, in voxels of the smallest edge. */
export async function wallErrors(
  each: WallCase,
  method: 'sphere' | 'ray',
  pool: KernelPool,
): Promise<WallErrors> {
  const volume = rendered(each.body, each);
  const columns = columnsOf(each.pose === 'tilted' ? tilt : [0, 0, 0]);
  const truth = (point: Vector3, normal: Vector3) =>
    each.wallMm(
      turnedBack(columns, point.map((n, k) => n - shift[k]) as Vector3),
      turnedBack(columns, normal),
    );
  return thicknessErrors(await measureBody(volume, pool, { method }), volume, truth);
}

/** Which figures are beyond their bound, in words; empty when all hold. A figure that is no number never holds. */
export function beyondBounds<Bounds extends { [name in keyof Bounds]: number }>(
  figures: Bounds,
  bounds: Bounds,
): string[] {
  return (Object.keys(bounds) as (keyof Bounds & string)[])
    .filter((name) => !(Math.abs(figures[name]) <= bounds[name]))
    .map((name) => `${name} ${figures[name]}, bound ${bounds[name]}`);
}

/** Columns of the turn about x, then y, then z (degrees), as `turnedBody` turns. */
function columnsOf(degrees: Vector3): Vector3[] {
  const [sx, cx, sy, cy, sz, cz] = degrees.flatMap((angle) => {
    const radians = (angle * Math.PI) / 180;
    return [Math.sin(radians), Math.cos(radians)];
  });
  return [
    [cz * cy, sz * cy, -sy],
    [cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx],
    [cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, cy * cx],
  ];
}

const turnedBack = (columns: Vector3[], [x, y, z]: Vector3): Vector3 =>
  columns.map((column) => column[0] * x + column[1] * y + column[2] * z) as Vector3;
