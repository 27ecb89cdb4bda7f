/**
 * Parts that deviate by a known amount, each with the exact meshes of the part as made and as designed. Comparing these
 * two meshes gives the expected result of a comparison with the scan. Lengths in mm, about 40 across; in the scan's
 * frame.
 */
import { invertPose, type Matrix16, makePose, movedPoints, multiplyPoses } from '../alignment/pose.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { seededRandom } from '../random.ts';
import { type Body, torus } from './bodies.ts';
import { cubesMesh, refined, torusMesh } from './meshes.ts';

export interface DeviatingPart {
  name: string;
  /** as placed in its scan */
  body: Body;
  made: TriangleMesh;
  meant: TriangleMesh;
  /** scan → reference */
  matrix: Matrix16;
}

/** Cuts along x, y, z; the cells between them are filled or empty. */
type Cuts = readonly [readonly number[], readonly number[], readonly number[]];

const reachMm = 100;

/** Exact signed distance to the union of the filled cells. */
function distanceToCells(cuts: Cuts, cells: readonly Vector3[]): Body['distanceMm'] {
  const filled = new Set(cells.map(String));
  const edges = cuts.map((along) => [-reachMm, ...along, reachMm]);
  const listBoxes = (isWanted: boolean) =>
    Float64Array.from(
      edges[0].slice(1).flatMap((_, i) =>
        edges[1].slice(1).flatMap((__, j) =>
          edges[2].slice(1).flatMap((___, k) => {
            const cell = [i, j, k];
            if (filled.has(String(cell.map((n) => n - 1))) !== isWanted) return [];
            return cell.flatMap((n, axis) => [edges[axis][n], edges[axis][n + 1]]);
          }),
        ),
      ),
    );
  const [own, empty] = [listBoxes(true), listBoxes(false)];
  return (x, y, z) => {
    const toFilled = squaredDistance(own, x, y, z);
    return toFilled > 0 ? Math.sqrt(toFilled) : -Math.sqrt(squaredDistance(empty, x, y, z));
  };
}

/** Squared distance to the nearest of several boxes, six numbers each. */
function squaredDistance(boxes: Float64Array, x: number, y: number, z: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let b = 0; b < boxes.length; b += 6) {
    const dx = x < boxes[b] ? boxes[b] - x : x > boxes[b + 1] ? x - boxes[b + 1] : 0;
    const dy = y < boxes[b + 2] ? boxes[b + 2] - y : y > boxes[b + 3] ? y - boxes[b + 3] : 0;
    const dz = z < boxes[b + 4] ? boxes[b + 4] - z : z > boxes[b + 5] ? z - boxes[b + 5] : 0;
    const squared = dx * dx + dy * dy + dz * dz;
    if (squared < least) least = squared;
  }
  return least;
}

const cellsMesh = (cuts: Cuts, cells: readonly Vector3[]): TriangleMesh => {
  const { positions, indices } = refined(cubesMesh(cells), 3);
  return {
    positions: positions.map((value, i) => {
      const along = cuts[i % 3];
      const cell = Math.min(along.length - 2, Math.floor(value));
      return along[cell] + (value - cell) * (along[cell + 1] - along[cell]);
    }),
    indices,
  };
};

/** Bent about y: z rises with the square of x. */
const bentBy = (mesh: TriangleMesh, bendPerMm: number): TriangleMesh => ({
  ...mesh,
  positions: mesh.positions.map((value, i, all) =>
    i % 3 === 2 ? value + (bendPerMm * (all[i - 2] ?? 0) ** 2) / 2 : value,
  ),
});

const makeBody = (name: string, distanceMm: Body['distanceMm']): Body => ({
  name,
  distanceMm,
  boundsMm: { min: [-32, -32, -32], max: [32, 32, 32] },
  volumeMm3: Number.NaN,
  areaMm2: Number.NaN,
});

const blockCells: Vector3[] = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
  [1, 1, 0],
  [0, 0, 1],
  [0, 1, 1],
];

/** Generators of deviating parts; `by` is an amount in mm. */
type Defect = (by: number, random: () => number) => Omit<DeviatingPart, 'matrix' | 'name'>;

function blockWith(change: (cuts: Cuts, by: number) => Cuts): Defect {
  return (by, random) => {
    const cuts: Cuts = [
      [-19 - 2 * random(), 2 * random(), 18 + 3 * random()],
      [-14 - 2 * random(), 1, 12 + 3 * random()],
      [-12, 3 * random(), 10 + 3 * random()],
    ];
    const made = change(cuts, by);
    return {
      body: makeBody('block', distanceToCells(made, blockCells)),
      made: cellsMesh(made, blockCells),
      meant: cellsMesh(cuts, blockCells),
    };
  };
}

const defects: Record<string, Defect> = {
  'as it should be': blockWith((cuts) => cuts),
  'one face too high': blockWith(([x, y, z], by) => [x, y, [z[0], z[1], z[2] + by]]),
  'two faces too low': blockWith(([x, y, z], by) => [[x[0], x[1], x[2] - by], [y[0] + by, ...y.slice(1)], z]),
  'too large': blockWith(
    (cuts, by) => cuts.map((along) => along.map((c) => c * (1 + by / 100))) as unknown as Cuts,
  ),
  'without its pin': (_, random) => {
    const side = 8 + 2 * random();
    const cuts: Cuts = [
      [-20, 4, 4 + side, 20],
      [-15, -6, -6 + side, 15],
      [-8, 2, 12],
    ];
    const plate = cuts[0].slice(1).flatMap((__, i) => cuts[1].slice(1).map((___, j): Vector3 => [i, j, 0]));
    return {
      body: makeBody('plate', distanceToCells(cuts, plate)),
      made: cellsMesh(cuts, plate),
      meant: cellsMesh(cuts, [...plate, [1, 1, 1]]),
    };
  },
  bent: (by, random) => {
    const [long, wide, thick] = [20 + random(), 13 + 2 * random(), 4 + random()];
    const cuts: Cuts = [
      [-long, 0, long],
      [-wide, wide],
      [-thick, thick],
    ];
    const cells: Vector3[] = [
      [0, 0, 0],
      [1, 0, 0],
    ];
    const bend = (2 * by) / long ** 2;
    const flat = distanceToCells(cuts, cells);
    const meant = cellsMesh(cuts, cells);
    const distance: Body['distanceMm'] = (x, y, z) =>
      flat(x, y, z - (bend * x * x) / 2) / Math.sqrt(1 + (bend * x) ** 2);
    return { body: makeBody('bent plate', distance), made: bentBy(refined(meant, 1), bend), meant };
  },
  uneven: (by, random) => {
    const [ring, tube, turn] = [14 + 2 * random(), 6 + random(), random()];
    const offset = (around: number, across: number) =>
      by * Math.sin(3 * around + turn) * Math.cos(2 * across);
    const even = torus(ring, tube);
    const meant = torusMesh(ring, tube, 300, 150);
    const at = ([x, y, z]: Vector3) => {
      const out = Math.hypot(x, y) - ring;
      return { around: Math.atan2(y, x), across: Math.atan2(z, out) };
    };
    const positions = meant.positions.slice();
    for (let i = 0; i < positions.length; i += 3) {
      const { around, across } = at([positions[i], positions[i + 1], positions[i + 2]]);
      const length = offset(around, across);
      positions[i] += length * Math.cos(across) * Math.cos(around);
      positions[i + 1] += length * Math.cos(across) * Math.sin(around);
      positions[i + 2] += length * Math.sin(across);
    }
    const distance: Body['distanceMm'] = (x, y, z) => {
      const { around, across } = at([x, y, z]);
      return even.distanceMm(x, y, z) - offset(around, across);
    };
    return { body: makeBody('uneven torus', distance), made: { ...meant, positions }, meant };
  },
  turned: (by, random) => {
    const part = defects['as it should be'](0, random);
    const turn = makePose([0, 0, by / 20], [by / 2, 0, 0]);
    return { ...part, ...placedBy(part, turn) };
  },
};

function placedBy({ body, made }: Pick<DeviatingPart, 'body' | 'made'>, toScan: Matrix16) {
  const back = invertPose(toScan);
  const { distanceMm } = body;
  return {
    made: { ...made, positions: Float32Array.from(movedPoints(toScan, made.positions)) },
    body: {
      ...body,
      distanceMm: (x: number, y: number, z: number) =>
        distanceMm(
          back[0] * x + back[1] * y + back[2] * z + back[3],
          back[4] * x + back[5] * y + back[6] * z + back[7],
          back[8] * x + back[9] * y + back[10] * z + back[11],
        ),
    },
  };
}

export const defectNames = Object.keys(defects);

/** @param by size of the deviation, in mm */
export function deviatingPart(name: string, by: number, seed: number): DeviatingPart {
  const random = seededRandom(seed);
  const part = defects[name](by, random);
  const angle = () => 0.6 * (random() - 0.5);
  const toScan = multiplyPoses(
    makePose([angle(), angle(), angle()], [random() - 0.5, random() - 0.5, random() - 0.5]),
    makePose([angle(), angle(), angle()], [0, 0, 0]),
  );
  return { ...part, ...placedBy(part, toScan), name, matrix: invertPose(toScan) };
}
