import { describe, expect, it } from 'vitest';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { inlinePool } from '../pool.ts';
import { seededRandom } from '../random.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { cubesMesh, makeSoup, refined, sphereMesh, torusMesh } from '../testing/meshes.ts';
import { distancesOnThreads } from '../testing/open-tree-here.ts';
import { mortonOrder } from './morton.ts';
import { openTree } from './open-tree.ts';
import { type DistanceQuery, facingCosine, noTriangle, type TreeOptions } from './surface-tree.ts';

const seed = Number(process.env['SCANWRIGHT_SEED']);
console.info(`signed distance: SCANWRIGHT_SEED=${seed}`);

type Point = [number, number, number];
const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Another way to both figures: distance by projection and sides of every triangle, side by the sum of solid angles. */
function oracle(mesh: TriangleMesh, p: Point, facing?: Point): number {
  let least = Number.POSITIVE_INFINITY;
  let angle = 0;
  for (let t = 0; t < mesh.indices.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map(
      (k) =>
        Array.from(mesh.positions.subarray(3 * mesh.indices[t + k], 3 * mesh.indices[t + k] + 3)) as Point,
    );
    const n = cross(minus(b, a), minus(c, a));
    const cosine = facing && dot(n, facing) / Math.sqrt(dot(n, n) * dot(facing, facing));
    if (cosine !== undefined && !(cosine > facingCosine)) continue;
    const sides: [Point, Point][] = [
      [a, b],
      [b, c],
      [c, a],
    ];
    const over = sides.every(([from, to]) => dot(cross(minus(to, from), minus(p, from)), n) > 0);
    if (over) least = Math.min(least, Math.abs(dot(minus(p, a), n)) / Math.sqrt(dot(n, n)));
    for (const [from, to] of sides) {
      const side = minus(to, from);
      const length2 = dot(side, side);
      const share = length2 > 0 ? Math.min(1, Math.max(0, dot(minus(p, from), side) / length2)) : 0;
      const d = minus(p, [from[0] + share * side[0], from[1] + share * side[1], from[2] + share * side[2]]);
      least = Math.min(least, Math.sqrt(dot(d, d)));
    }
    // Van Oosterom & Strackee 1983, doi:10.1109/TBME.1983.325207
    const [u, v, w] = [minus(a, p), minus(b, p), minus(c, p)];
    const [lu, lv, lw] = [u, v, w].map((side) => Math.sqrt(dot(side, side)));
    const det = dot(u, cross(v, w));
    angle += 2 * Math.atan2(det, lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv);
  }
  return angle > 2 * Math.PI ? -least : least;
}

function scaled(mesh: TriangleMesh, scale: number): TriangleMesh {
  return { positions: mesh.positions.map((v) => v * scale), indices: mesh.indices };
}

/** Around the mesh's box, half of the points close to the surface, where signs are hard. */
function places(mesh: TriangleMesh, count: number, random: () => number): Float32Array {
  const { positions, indices } = mesh;
  const extent = positions.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const points = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    const corner = 3 * indices[Math.floor(random() * indices.length)];
    for (let k = 0; k < 3; k++) {
      const far = (2 * random() - 1) * 1.3 * extent;
      points[3 * i + k] = i % 2 === 0 ? far : positions[corner + k] + 0.1 * far;
    }
  }
  return points;
}

const step = cubesMesh([
  [0, 0, 0],
  [1, 0, 0],
  [2, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]);
/** A roof of three degrees: points beyond its ridge are nearest to a very sharp side. */
const blade: TriangleMesh = {
  positions: new Float32Array([0, 0, 0, 0, 0.5, 0, 10, 0.25, 0, 0, 0, 8, 0, 0.5, 8, 10, 0.25, 8]),
  indices: new Uint32Array([0, 1, 2, 3, 5, 4, 0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5, 2, 5, 0, 0, 5, 3]),
};
const bodies: Record<string, TriangleMesh> = {
  torus: torusMesh(10, 4, 24, 12),
  sphere: sphereMesh(5, 9, 13),
  'steps of cubes': step,
  'a triangle soup': makeSoup(step),
  'a thin blade': blade,
};

/** Of one set of points, on two lanes. */
const measureDistances = async (
  mesh: TriangleMesh,
  points: ArrayLike<number>,
  query: Partial<DistanceQuery> = {},
  options: TreeOptions = {},
) =>
  distancesOnThreads(
    inlinePool(await kernelModule(), 2),
    mesh,
    { points: Float64Array.from(points), limitMm: Number.POSITIVE_INFINITY, ...query },
    options,
  );

const flat = {
  positions: new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0]),
  indices: new Uint32Array([0, 1, 2]),
};

describe('signed distance', () => {
  for (const [name, mesh] of Object.entries(bodies)) {
    for (const scale of [1, 1e-6, 1e6]) {
      it(`equals brute force on ${name} at scale ${scale}`, async () => {
        const body = scaled(mesh, scale);
        const points = places(body, 200, seededRandom(seed));
        const { distancesMm, triangles } = await measureDistances(body, points, {}, { pointsAtOnce: 70 });
        for (let i = 0; i < distancesMm.length; i++) {
          const truth = oracle(body, Array.from(points.subarray(3 * i, 3 * i + 3)) as Point);
          const message = `seed ${seed}, point ${i}: ${distancesMm[i]}, not ${truth}`;
          expect(Math.abs(distancesMm[i] - truth), message).toBeLessThan(3e-6 * scale);
          expect(triangles[i]).toBeLessThan(body.indices.length / 3);
        }
      });
    }
  }

  it('equals brute force far from the origin and far from the mesh', async () => {
    const random = seededRandom(seed);
    const mesh = torusMesh(10, 4, 24, 12);
    const away = { ...mesh, positions: mesh.positions.map((v, i) => v + [4000, -2500, 900][i % 3]) };
    const points = Float32Array.from({ length: 900 }, (_, i) => {
      const spread = i < 450 ? 15 : 5000;
      return [4000, -2500, 900][i % 3] + spread * (2 * random() - 1);
    });
    const { distancesMm } = await measureDistances(away, points);
    distancesMm.forEach((distance, i) => {
      const truth = oracle(away, Array.from(points.subarray(3 * i, 3 * i + 3)) as Point);
      expect(Math.abs(distance - truth), `seed ${seed}, point ${i}`).toBeLessThanOrEqual(
        1e-6 * Math.abs(truth) + 1e-9,
      );
    });
  });

  it('skips triangles without area, even between two others', async () => {
    // The side 0 – 1 of a pyramid is cut at 5 on one side only; the triangle between has no area.
    const mesh: TriangleMesh = {
      positions: new Float32Array([0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 2, 2, 1, 2, 0, 0, 9, 9, Number.NaN]),
      indices: new Uint32Array([
        0, 2, 1, 0, 3, 2, 0, 5, 4, 5, 1, 4, 0, 1, 5, 1, 2, 4, 2, 3, 4, 3, 0, 4, 2, 2, 3, 4, 4, 4, 6, 0, 1,
      ]),
    };
    const points = [2, -1, 0, 2, -1, 0.1, 2, -1, -1, 2, -0.001, 0, 2, 0.1, 0.01, 1, -1, -3];
    const { distancesMm, triangles } = await measureDistances(mesh, points);
    expect(Array.from(distancesMm, Math.sign)).toEqual([1, 1, 1, 1, -1, 1]);
    expect(distancesMm[0]).toBe(1);
    for (const flatOne of [4, 8, 9, 10]) expect(Array.from(triangles)).not.toContain(flatOne);
  });

  it('leaves out points beyond the limit and points that are not finite', async () => {
    const points = [-0.5, 0.5, 0.5, -2, 0.5, 0.5, Number.NaN, 0, 0, Number.POSITIVE_INFINITY, 0, 0];
    const { distancesMm, triangles } = await measureDistances(step, points, { limitMm: 1 });
    expect(Array.from(distancesMm)).toEqual([0.5, Number.NaN, Number.NaN, Number.NaN]);
    expect(Array.from(triangles.subarray(1))).toEqual([noTriangle, noTriangle, noTriangle]);
    expect((await measureDistances(step, [])).distancesMm).toHaveLength(0);
  });

  it('reports the error in a mesh that has no surface', async () => {
    await expect(measureDistances(flat, [0, 0, 0])).rejects.toThrow('no triangle with an area');
    const beyond = { ...flat, indices: new Uint32Array([0, 1, 7]) };
    await expect(measureDistances(beyond, [0, 0, 0])).rejects.toThrow('vertex 7');
  });

  it('does not depend on the number of threads', async () => {
    const mesh = torusMesh(10, 4, 60, 30);
    const points = Float64Array.from(places(mesh, 3000, seededRandom(seed)));
    const [one, three] = await Promise.all(
      [1, 3].map(async (lanes) =>
        distancesOnThreads(
          inlinePool(await kernelModule(), lanes),
          mesh,
          { points, limitMm: 3 },
          { pointsAtOnce: 256 },
        ),
      ),
    );
    expect(one).toEqual(three);
  });

  it('accepts thousands of coincident triangles', async () => {
    const { positions, indices } = makeSoup({ positions: step.positions, indices: step.indices.slice(0, 3) });
    const many = { positions, indices: Uint32Array.from({ length: 3 * 5000 }, (_, i) => indices[i % 3]) };
    const [points, one] = [[0.2, 0.3, 5], { positions, indices }];
    const { distancesMm } = await measureDistances(many, points);
    expect(Math.abs(distancesMm[0])).toBe(Math.abs((await measureDistances(one, points)).distancesMm[0]));
  });

  it('builds a tree over 200,000 triangles in less than a second of processor time', async () => {
    const mesh = torusMesh(10, 4, 500, 200);
    expect(mesh.indices.length / 3).toBe(200_000);
    const pool = inlinePool(await kernelModule());
    const times: number[] = [];
    for (let round = 0; round < 2; round++) {
      const start = process.threadCpuUsage();
      const tree = await openTree(pool, mesh);
      times.push(process.threadCpuUsage(start).user / 1000);
      await tree.close();
    }
    expect(Math.min(...times)).toBeLessThan(1000);
  });
});

describe('the closest point', () => {
  for (const [name, mesh] of Object.entries(bodies)) {
    it(`of ${name} is as far away as by brute force, whatever slot is tried first`, async () => {
      const points = Float64Array.from(places(mesh, 200, seededRandom(seed)));
      const tree = await openTree(inlinePool(await kernelModule(), 2), mesh, { pointsAtOnce: 70 });
      const { answers, slots } = await tree.closest({ points });
      const again = await tree.closest({ points, slots: slots.toReversed() });
      await tree.close();
      for (let i = 0; i < 200; i++) {
        const [x, y, z, nx, ny, nz, distance, onFace] = answers.subarray(8 * i, 8 * i + 8);
        const point = Array.from(points.subarray(3 * i, 3 * i + 3)) as Point;
        const message = `seed ${seed}, point ${i}`;
        const way = minus(point, [x, y, z]);
        expect(Math.abs(distance - Math.abs(oracle(mesh, point))), message).toBeLessThan(3e-6);
        expect(Math.abs(Math.hypot(...way) - distance), message).toBeLessThan(1e-9);
        expect(Math.hypot(nx, ny, nz), message).toBeCloseTo(1, 9);
        // From the inside of a triangle it is straight along its normal.
        if (onFace === 1)
          expect(Math.abs(Math.abs(dot(way, [nx, ny, nz])) - distance), message).toBeLessThan(1e-6);
        expect(again.answers[8 * i + 6], message).toBe(distance);
      }
    });
  }

  it('of a place that is not finite is infinitely far away', async () => {
    const tree = await openTree(inlinePool(await kernelModule()), step);
    const { answers, slots } = await tree.closest({
      points: Float64Array.of(Number.NaN, 0, 0, 0.5, 0.5, -2),
    });
    await tree.close();
    expect([answers[6], answers[14]]).toEqual([Number.POSITIVE_INFINITY, 2]);
    expect(slots[0]).toBe(-1);
  });
});

describe('a mesh that is too large for one tree', () => {
  for (const [name, mesh] of Object.entries(bodies)) {
    for (const facing of [false, true]) {
      it(`gives the same results in pieces as in one tree: ${name}${facing ? ', by direction' : ''}`, async () => {
        const random = seededRandom(seed);
        const pool = inlinePool(await kernelModule());
        // Also at corners and on sides, which pieces share.
        const points = Float64Array.of(...places(mesh, 300, random), ...mesh.positions.map((v) => 1.1 * v));
        const normals = facing ? Float32Array.from(points, () => 2 * random() - 1) : undefined;
        const query = { points, limitMm: Number.POSITIVE_INFINITY, normals };
        const [whole, pieces] = [
          await openTree(pool, mesh),
          await openTree(pool, mesh, {}, Math.ceil(mesh.indices.length / 3 / 4)),
        ];
        const [one, cut] = [await whole.distances(query), await pieces.distances(query)];
        expect(Array.from(cut.distancesMm)).toEqual(Array.from(one.distancesMm));
        const far = async (tree: typeof whole, slots?: Int32Array) => {
          const found = await tree.closest({ points, slots });
          return { slots: found.slots, far: found.answers.filter((_, at) => at % 8 === 6) };
        };
        const first = await far(pieces);
        expect(first.far).toEqual((await far(whole)).far);
        expect((await far(pieces, first.slots)).far).toEqual(first.far);
        await Promise.all([whole.close(), pieces.close()]);
      });
    }
  }
});

describe('distance to surfaces that face a direction', () => {
  /** A plate of 10 × 8 mm, 0.4 mm thick. */
  const plate: TriangleMesh = (() => {
    const { positions, indices } = refined(cubesMesh([[0, 0, 0]]), 2);
    return { positions: positions.map((v, i) => v * [10, 8, 0.4][i % 3]), indices };
  })();
  const measureFacing = (mesh: TriangleMesh, points: number[], normals: number[], limitMm: number) =>
    measureDistances(mesh, points, { normals: Float32Array.from(normals), limitMm });

  it('leads from the back of a shifted thin plate to the back, not to the nearer front', async () => {
    const { distancesMm } = await measureFacing(
      plate,
      [5, 4, 0.3, 5, 4, 0.7, 5, 4, 0.3],
      [0, 0, -1, 0, 0, 1, 0.1, 0, -1],
      1,
    );
    expect(distancesMm[0]).toBeCloseTo(-0.3, 6);
    expect(distancesMm[1]).toBeCloseTo(0.3, 6);
    expect(distancesMm[2]).toBeCloseTo(-0.3, 6);
  });

  it('finds nothing if no surface faces the direction, and nothing for a point without a normal', async () => {
    const lid = { positions: plate.positions, indices: plate.indices.slice(0, 3) };
    const { distancesMm, triangles } = await measureFacing(
      lid,
      [5, 4, 0.3, 5, 4, 0.3, 5, 4, 0.3],
      [1, 0, 0, -1, 0, 0, 0, 0, 0],
      100,
    );
    expect(Array.from(distancesMm, Number.isNaN).filter(Boolean)).toHaveLength(2);
    expect(triangles[2]).toBe(noTriangle);
  });

  it('reports material on top of a surface as excess, although the surface it faces ends below', async () => {
    // Sides of a peg on the plate: the only surface that faces their way is the plate's rim, lower and further out.
    const { distancesMm } = await measureFacing(
      plate,
      [7, 4, 1, 9.7, 4, 0.6, 10, 4, 3],
      [1, 0, 0, 1, 0, 0, 1, 0, 0],
      10,
    );
    expect(distancesMm[0]).toBeCloseTo(Math.hypot(3, 0.6), 5);
    expect(distancesMm[1]).toBeCloseTo(Math.hypot(0.3, 0.2), 5);
    expect(distancesMm[2]).toBeCloseTo(2.6, 5);
  });

  it('measures across the rim from a point beyond it', async () => {
    const { distancesMm } = await measureFacing(plate, [10.25, 4, 0.4], [0, 0, 1], 1);
    expect(distancesMm[0]).toBeCloseTo(0.25, 6);
  });

  for (const [name, mesh] of Object.entries(bodies)) {
    it(`equals brute force on ${name}`, async () => {
      const random = seededRandom(seed);
      const points = Array.from(places(mesh, 300, random));
      const normals = points.map(() => 2 * random() - 1);
      const { distancesMm } = await measureFacing(mesh, points, normals, Number.POSITIVE_INFINITY);
      for (let i = 0; i < 300; i++) {
        const at = (values: number[]) => values.slice(3 * i, 3 * i + 3) as Point;
        const facing = at(Array.from(Float32Array.from(normals)));
        const truth = Math.abs(oracle(mesh, at(points), facing));
        const message = `seed ${seed}, point ${i}: ${distancesMm[i]}, not ${truth}`;
        if (truth === Number.POSITIVE_INFINITY) expect(distancesMm[i], message).toBeNaN();
        else expect(Math.abs(Math.abs(distancesMm[i]) - truth), message).toBeLessThan(3e-6);
      }
    });
  }
});

describe('a tree that stays open', () => {
  it('answers successive sets of points independently, and frees its memory', async () => {
    const pool = inlinePool(await kernelModule(), 2);
    const mesh = torusMesh(10, 4, 60, 30);
    const queries = [1, 2, 3].map((k) => ({
      points: Float64Array.from(places(mesh, 500 * k, seededRandom(seed + k))),
      limitMm: k,
    }));
    const tree = await openTree(pool, mesh);
    const found = await Promise.all(queries.map((query) => tree.distances(query)));
    await tree.close();
    for (const [i, query] of queries.entries())
      expect(found[i]).toEqual(await distancesOnThreads(pool, mesh, query));
    await expect(openTree(pool, { ...mesh, indices: new Uint32Array([0, 1, 9999]) })).rejects.toThrow(
      'vertex 9999',
    );
    await expect(openTree(pool, flat)).rejects.toThrow('no triangle with an area');
  });
});

describe('Morton order', () => {
  it('contains every point once, with neighbours close to one another', () => {
    const points = refined(step, 3).positions;
    const order = mortonOrder(points);
    expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from(order, (_, i) => i));
    const path = (numbers: Uint32Array) => {
      let length = 0;
      for (let i = 1; i < numbers.length; i++) {
        const [a, b] = [3 * numbers[i - 1], 3 * numbers[i]];
        length += Math.hypot(
          points[a] - points[b],
          points[a + 1] - points[b + 1],
          points[a + 2] - points[b + 2],
        );
      }
      return length;
    };
    const random = seededRandom(seed);
    const shuffled = Uint32Array.from(order).map((_, i, all) => all[Math.floor(random() * (i + 1))]);
    expect(path(order)).toBeLessThan(path(shuffled) / 4);
  });
});
