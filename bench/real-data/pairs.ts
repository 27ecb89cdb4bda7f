/** Parts whose pose is known: exactly moved copies, and two scans of a car that another program has registered. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openMesh } from '#formats/open-mesh.ts';
import { type Alignment, alignPoints } from '#kernels/alignment/align.ts';
import { icp } from '#kernels/alignment/icp.ts';
import { identityPose, type Matrix16, movedPoints } from '#kernels/alignment/pose.ts';
import { surfacePoints } from '#kernels/alignment/surface-points.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { findReference } from '#kernels/testing/moved-scans.ts';
import { openTreeHere } from '#kernels/testing/open-tree-here.ts';
import { number, type PublishedRow } from './published.ts';
import { openSources } from './sources.ts';

const rotation30 = [0.75, -0.21651, 0.625, 0.43301, 0.875, -0.21651, -0.5, 0.43301, 0.75];
const readRotation = (matrix: readonly number[]) => [0, 1, 2, 4, 5, 6, 8, 9, 10].map((k) => matrix[k]);
const listed = (values: readonly number[], digits = 5) =>
  values.map((value) => value.toFixed(digits)).join(' ');

/** Largest angle between two rotations, in degrees. */
function angleBetween(a: readonly number[], b: readonly number[]): number {
  const trace = a.reduce((sum, value, i) => sum + value * b[i], 0);
  return (Math.acos(Math.min(1, (trace - 1) / 2)) * 180) / Math.PI;
}

const align = async (scan: TriangleMesh, reference: TriangleMesh): Promise<Alignment | Error> => {
  try {
    return await alignPoints(surfacePoints(scan, 20_000), await findReference(reference));
  } catch (error) {
    return error as Error;
  }
};

export async function pairRows(folder: string): Promise<PublishedRow[]> {
  const rows: PublishedRow[] = [];
  const open = async (path: string) =>
    (await openMesh(await openSources(folder, [`pairs/${path}`]), { unit: 'm' })).mesh;
  const hourglass = await open('hourglass/basic.stl');
  for (const name of ['x-y-z-rotate-30', 'translate']) {
    const moved = await open(`hourglass/${name}.stl`);
    const found = await align(hourglass, moved);
    const truth = name === 'translate' ? [1, 0, 0, 0, 1, 0, 0, 0, 1] : rotation30;
    rows.push({
      subject: 'hourglass',
      figure: `turn from basic to ${name}`,
      published: listed(truth),
      ours:
        found instanceof Error
          ? `refused: ${found.message}`
          : `${listed(readRotation(found.matrix))} (${number(angleBetween(readRotation(found.matrix), truth), 2)}° apart, ` +
            `rms ${number(found.rmsMm, 3)} mm, ambiguous ${found.ambiguous})`,
      because:
        'a part that looks the same after a turn has several poses, all of them right: ambiguous says so',
    });
  }
  const block = await open('block/basic.stl');
  for (const [name, published] of [
    ['x-y-z-rotate-30', 'a symmetric cube: many poses'],
    ['xy-mirror', 'a mirrored cube is the same cube'],
    ['scale', 'scaled: no pose'],
    ['stretch', 'the same cube elsewhere, whatever its name'],
  ]) {
    const found = await align(block, await open(`block/${name}.stl`));
    rows.push({
      subject: 'block',
      figure: `basic to ${name}`,
      published,
      ours:
        found instanceof Error
          ? `refused: ${found.message}`
          : `rms ${number(found.rmsMm, 2)} mm, ambiguous ${found.ambiguous}`,
    });
  }
  rows.push(await carRow(folder));
  return rows;
}

const numbersIn = (text: string) =>
  text.split('\n').map((line) =>
    line
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number),
  );

/** The inverse of a rotation and a translation. */
function invertedPose(m: readonly number[]): Matrix16 {
  const rows = [0, 1, 2].map((k) => {
    const column = [m[k], m[4 + k], m[8 + k]];
    return [...column, -(column[0] * m[3] + column[1] * m[7] + column[2] * m[11])];
  });
  return [...rows.flat(), 0, 0, 0, 1];
}

/** For the car: number of registered points, and the most updates of their normals. */
const [carPoints, carRounds] = [6000, 30];
/** Largest distance at which a point counts as lying on the other scan. */
const nearM = 0.05;

/**
 * Point clouds, not surfaces: the reference becomes a triangle at each point, perpendicular to its normal, and the
 * other scan's points take the normals of the closest reference points, so that no direction is excluded. The signs of
 * the reference's normals are random: they are flipped towards the scanner, at the origin.
 */
async function carRow(folder: string): Promise<PublishedRow> {
  const read = async (name: string) => numbersIn(await readFile(join(folder, 'pairs/car', name), 'utf8'));
  const reference = (await read('car_cloud400.csv'))
    .filter((row) => row.length === 6 && row.every(Number.isFinite))
    .map(([x, y, z, nx, ny, nz]) => {
      const sign = x * nx + y * ny + z * nz > 0 ? -1 : 1;
      return [x, y, z, sign * nx, sign * ny, sign * nz];
    });
  const scan = (await read('car_cloud401.csv')).filter(
    (row) => row.length >= 3 && row.every(Number.isFinite),
  );
  const published = (await read('default.ref_trans')).flat().slice(0, 16);
  const toMm = 1000;
  const tree = await openTreeHere(splats(reference, toMm));
  // A subsample spread over the whole scan.
  const order = Array.from({ length: carPoints }, (_, i) => (i * 7919) % scan.length);
  const points = Float64Array.from(order.flatMap((i) => scan[i].slice(0, 3).map((value) => value * toMm)));
  const aligned = (pose: Matrix16, iterations: number) =>
    icp({ points, normals: nearestNormals(reference, points, pose, toMm) }, tree, pose, {
      count: carPoints,
      iterations,
      tolerance: 1e-7,
      sizeMm: 5000,
    });
  const near = async (pose: Matrix16) => {
    const within = (await aligned(pose, 0)).distancesMm.filter((distance) => distance < nearM * toMm);
    return `${number((100 * within.length) / carPoints, 3)} %`;
  };
  let pose = identityPose();
  // Normals depend on the pose, so they are updated as it converges.
  for (let round = 0; round < carRounds; round++) ({ pose } = await aligned(pose, 10));
  // Their pose as written and its inverse, in mm: the fit of the clouds shows which of the two is meant.
  const written = published.map((value, k) => (k % 4 === 3 && k < 12 ? value * toMm : value)) as Matrix16;
  const turnedRound = invertedPose(written);
  const apart = (theirs: Matrix16) =>
    `${number(angleBetween(readRotation(pose), readRotation(theirs)), 2)}° and ` +
    `${number(Math.hypot(...[3, 7, 11].map((k) => pose[k] - theirs[k])) / toMm, 2)} m`;
  return {
    subject: 'car',
    figure: '401 to 400, by ICP from no guess',
    published: `t = (${[3, 7, 11].map((k) => published[k].toFixed(5)).join(', ')}), R row 1 = (${listed(published.slice(0, 3))})`,
    ours:
      `t = (${[3, 7, 11].map((k) => (pose[k] / toMm).toFixed(5)).join(', ')}), R row 1 = (${listed(readRotation(pose).slice(0, 3))}): ` +
      `${apart(turnedRound)} from the inverse of theirs (${apart(written)} from it as written); of the points there lie ` +
      `within ${nearM} m of the other scan: ours ${await near(pose)}, the inverse ${await near(turnedRound)}, as written ` +
      `${await near(written)}, unmoved ${await near(identityPose())}`,
    because:
      'the published matrix moves 400 onto 401, the other way round than the README says: as written it takes the clouds ' +
      'further apart. The rest is between two ways of trimming scans that overlap in part',
  };
}

/**
 * A triangle at each point, perpendicular to its normal, as large as the spacing of points on the street, so that
 * planes match points.
 */
function splats(rows: readonly number[][], toMm: number): TriangleMesh {
  const size = 300;
  const positions = new Float32Array(9 * rows.length);
  for (const [i, [x, y, z, nx, ny, nz]] of rows.entries()) {
    const a = Math.abs(nx) < 0.7 ? [0, -nz, ny] : [nz, 0, -nx];
    const length = Math.hypot(...a);
    const u = a.map((value) => value / length);
    const v = [ny * u[2] - nz * u[1], nz * u[0] - nx * u[2], nx * u[1] - ny * u[0]];
    for (let corner = 0; corner < 3; corner++) {
      const angle = (2 * Math.PI * corner) / 3;
      const [p, q] = [size * Math.cos(angle), size * Math.sin(angle)];
      const center = [x, y, z];
      for (let k = 0; k < 3; k++) positions[9 * i + 3 * corner + k] = center[k] * toMm + p * u[k] + q * v[k];
    }
  }
  return { positions, indices: Uint32Array.from({ length: 3 * rows.length }, (_, i) => i) };
}

/** Normals of the closest reference points, rotated back into the scan's frame. */
function nearestNormals(
  reference: readonly number[][],
  points: Float64Array,
  pose: readonly number[],
  toMm: number,
): Float64Array {
  const cellMm = 200;
  const key = (x: number, y: number, z: number) =>
    `${Math.round(x / cellMm)},${Math.round(y / cellMm)},${Math.round(z / cellMm)}`;
  const cells = new Map<string, number[]>();
  for (const [i, [x, y, z]] of reference.entries()) {
    const at = key(x * toMm, y * toMm, z * toMm);
    cells.set(at, [...(cells.get(at) ?? []), i]);
  }
  const there = movedPoints(pose, points);
  const normals = new Float64Array(points.length);
  for (let p = 0; p < points.length; p += 3) {
    let best = Number.POSITIVE_INFINITY;
    for (let c = 0; c < 27; c++) {
      const offset = [c % 3, Math.floor(c / 3) % 3, Math.floor(c / 9)].map((n) => (n - 1) * cellMm);
      for (const i of cells.get(
        key(there[p] + offset[0], there[p + 1] + offset[1], there[p + 2] + offset[2]),
      ) ?? []) {
        const [x, y, z, nx, ny, nz] = reference[i];
        const distance = Math.hypot(x * toMm - there[p], y * toMm - there[p + 1], z * toMm - there[p + 2]);
        if (distance >= best) continue;
        best = distance;
        for (let k = 0; k < 3; k++) normals[p + k] = pose[k] * nx + pose[4 + k] * ny + pose[8 + k] * nz;
      }
    }
  }
  return normals;
}
