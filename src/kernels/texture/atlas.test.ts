import { describe, expect, it } from 'vitest';
import { listParts } from '../mesh/measure.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { seededRandom } from '../random.ts';
import { cubesMesh, sphereMesh, torusMesh } from '../testing/meshes.ts';
import { type Atlas, makeAtlas } from './atlas.ts';
import { largestStretch } from './charts.ts';
import { listNeighbours, noNeighbour } from './neighbours.ts';
import { packRectangles } from './pack.ts';

const unfold = (mesh: TriangleMesh, sizePx = 256): Atlas =>
  makeAtlas({ ...mesh, normals: mesh.positions.slice() }, sizePx);

/** A ramp that winds up around the z axis: seen from above it lies on itself, turn over turn. */
function ramp(turns: number, around: number): TriangleMesh {
  const positions: number[] = [];
  const indices: number[] = [];
  for (let i = 0; i <= turns * around; i++) {
    const angle = (2 * Math.PI * i) / around;
    for (const radius of [1, 2]) {
      positions.push(radius * Math.cos(angle), radius * Math.sin(angle), (0.3 * i) / around);
    }
    if (i > 0) {
      const [a, b, c, d] = [2 * i - 2, 2 * i - 1, 2 * i, 2 * i + 1];
      indices.push(a, b, d, a, d, c);
    }
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}

/** A sphere whose points lie a little off, so that triangles lean all ways. */
function roughSphere(): TriangleMesh {
  const random = seededRandom(7);
  const mesh = sphereMesh(1, 24, 40);
  return { ...mesh, positions: mesh.positions.map((value) => value + 0.03 * (random() - 0.5)) };
}

const meshes: [string, TriangleMesh][] = [
  ['a torus', torusMesh(2, 0.7, 48, 24)],
  ['a sphere', sphereMesh(1, 24, 40)],
  ['a rough sphere', roughSphere()],
  ['a ramp over itself', ramp(3, 40)],
  [
    'cubes with inner corners',
    cubesMesh([
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]),
  ],
];

const listCorners = ({ mesh, coordinates, facts }: Atlas, t: number) =>
  [0, 1, 2].map((k) => {
    const v = mesh.indices[3 * t + k];
    return {
      px: [coordinates[2 * v] * facts.sizePx, coordinates[2 * v + 1] * facts.sizePx] as const,
      mm: [0, 1, 2].map((axis) => mesh.positions[3 * v + axis]),
    };
  });

/** Longest and shortest length on the surface that a pixel's length stands for, in mm (singular values of the map). */
function lengthsPerPixel(atlas: Atlas, t: number): [number, number] {
  const [a, b, c] = listCorners(atlas, t);
  const [bx, by, cx, cy] = [b.px[0] - a.px[0], b.px[1] - a.px[1], c.px[0] - a.px[0], c.px[1] - a.px[1]];
  const determinant = bx * cy - cx * by;
  const along = [0, 1, 2].map((k) => ((b.mm[k] - a.mm[k]) * cy - (c.mm[k] - a.mm[k]) * by) / determinant);
  const across = [0, 1, 2].map((k) => ((c.mm[k] - a.mm[k]) * bx - (b.mm[k] - a.mm[k]) * cx) / determinant);
  const dot = (u: number[], v: number[]) => u.reduce((sum, value, k) => sum + value * v[k], 0);
  const [p, q, r] = [dot(along, along), dot(along, across), dot(across, across)];
  const root = Math.sqrt(Math.max(0, (p - r) ** 2 + 4 * q * q));
  return [Math.sqrt((p + r + root) / 2), Math.sqrt(Math.max(0, (p + r - root) / 2))];
}

/** How many triangles cover each of 3 × 3 places in every pixel, and of which chart the last one is. */
function coverage(atlas: Atlas) {
  const side = 3 * atlas.facts.sizePx;
  const counts = new Uint8Array(side * side);
  const charts = new Uint32Array(side * side);
  const parts = listParts(atlas.mesh.positions.length / 3, atlas.mesh.indices);
  for (let t = 0; t < atlas.mesh.indices.length / 3; t++) {
    const [[ax, ay], [bx, by], [cx, cy]] = listCorners(atlas, t).map(({ px }) => px.map((each) => 3 * each));
    const double = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    for (let y = Math.floor(Math.min(ay, by, cy)); y <= Math.max(ay, by, cy); y++) {
      for (let x = Math.floor(Math.min(ax, bx, cx)); x <= Math.max(ax, bx, cx); x++) {
        const b = ((x + 0.5 - ax) * (cy - ay) - (cx - ax) * (y + 0.5 - ay)) / double;
        const c = ((bx - ax) * (y + 0.5 - ay) - (x + 0.5 - ax) * (by - ay)) / double;
        // What lies on a side belongs to both: only the inside counts.
        if (!(b > 1e-3 && c > 1e-3 && b + c < 1 - 1e-3)) continue;
        counts[y * side + x]++;
        charts[y * side + x] = 1 + parts[atlas.mesh.indices[3 * t]];
      }
    }
  }
  return { side, counts, charts };
}

describe.each(meshes)('the atlas of %s', (_, mesh) => {
  const atlas = unfold(mesh);

  it('maps every triangle into the picture without overlaps', () => {
    const { gutterPx, sizePx } = atlas.facts;
    expect(atlas.mesh.indices.length).toBe(mesh.indices.length);
    const px = Array.from(atlas.coordinates, (each) => each * sizePx);
    expect(Math.min(...px)).toBeGreaterThanOrEqual(gutterPx + 0.49);
    expect(Math.max(...px)).toBeLessThanOrEqual(sizePx - gutterPx - 0.49);
    expect(coverage(atlas).counts.reduce((most, count) => Math.max(most, count))).toBe(1);
  });

  it('separates charts by two gutters', () => {
    const { side, charts } = coverage(atlas);
    const apart = 3 * 2 * atlas.facts.gutterPx;
    let near = 0;
    // Along rows and columns: the first place of another chart after one.
    for (const [step, line] of [
      [1, side],
      [side, 1],
    ]) {
      for (let i = 0; i < side; i++) {
        let [last, at] = [0, -Infinity];
        for (let j = 0; j < side; j++) {
          const chart = charts[i * line + j * step];
          if (chart === 0) continue;
          if (last !== 0 && chart !== last && j - at < apart) near++;
          [last, at] = [chart, j];
        }
      }
    }
    expect(near).toBe(0);
  });

  it('is true to scale: a pixel has its edge length across the slope, and at most the bound along it', () => {
    const { texelMm, stretch } = atlas.facts;
    let largest = 0;
    for (let t = 0; t < mesh.indices.length / 3; t++) {
      const [long, short] = lengthsPerPixel(atlas, t);
      expect(Math.abs(short / texelMm - 1)).toBeLessThan(0.02);
      largest = Math.max(largest, long / texelMm);
    }
    expect(largest).toBeLessThan(largestStretch * 1.02);
    expect(Math.abs(stretch.max / largest - 1)).toBeLessThan(0.02);
    expect(stretch.mean).toBeLessThanOrEqual(stretch.max);
    expect(stretch.mean).toBeGreaterThanOrEqual(1);
  });

  it('keeps the position of every triangle in space, and the order of triangles', () => {
    const listPoints = ({ positions, indices }: TriangleMesh) =>
      Array.from(indices, (v) => [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]]);
    expect(listPoints(atlas.mesh)).toEqual(listPoints(mesh));
  });
});

describe('an atlas', () => {
  it('cuts a helical ramp into at least one chart per turn', () => {
    expect(unfold(ramp(3, 40)).facts.charts).toBeGreaterThanOrEqual(3);
    expect(unfold(ramp(0.9, 40)).facts.charts).toBeLessThanOrEqual(8);
  });

  it('is deterministic', () => {
    const mesh = torusMesh(2, 0.7, 48, 24);
    expect(unfold(mesh)).toEqual(unfold(mesh));
  });

  it('tells the user what to do if the surface has more pieces than the picture has pixels for', () => {
    const count = 5000;
    const positions = Float32Array.from({ length: 9 * count }, (_, i) =>
      i % 3 === 0
        ? 3 * Math.floor(i / 9) + (Math.floor(i / 3) % 3 === 1 ? 1 : 0)
        : Math.floor(i / 3) % 3 === 2
          ? 1
          : 0,
    );
    const indices = Uint32Array.from({ length: 3 * count }, (_, i) => i);
    expect(() => unfold({ positions, indices })).toThrow(/5000 pieces.*256 × 256.*larger texture/);
  });
});

describe('neighbours', () => {
  it('are the triangles across each side', () => {
    const { positions, indices } = torusMesh(2, 0.7, 12, 8);
    const neighbours = listNeighbours(positions.length / 3, indices);
    for (let side = 0; side < indices.length; side++) {
      const t = Math.floor(side / 3);
      const [from, to] = [indices[side], indices[side % 3 === 2 ? side - 2 : side + 1]];
      const other = [0, 1, 2].map((k) => indices[3 * neighbours[side] + k]);
      expect(neighbours[side]).not.toBe(t);
      expect(other).toContain(from);
      expect(other).toContain(to);
    }
  });

  it('are missing at a border', () => {
    expect([...listNeighbours(3, Uint32Array.from([0, 1, 2]))]).toEqual([
      noNeighbour,
      noNeighbour,
      noNeighbour,
    ]);
  });
});

describe('packing', () => {
  const random = seededRandom(3);
  const sizes = Int32Array.from({ length: 400 }, () => 2 + Math.floor(30 * random() ** 2));
  const others = Int32Array.from({ length: 400 }, () => 2 + Math.floor(30 * random() ** 2));

  it('places rectangles side by side and fills most of the square', () => {
    const area = sizes.reduce((sum, size, i) => sum + size * others[i], 0);
    const side = Math.ceil(Math.sqrt(area / 0.9));
    const packed = packRectangles(sizes, others, side);
    if (!packed) throw new Error('they do not fit');
    const taken = new Uint8Array(side * side);
    for (let i = 0; i < sizes.length; i++) {
      for (let y = packed.y[i]; y < packed.y[i] + others[i]; y++) {
        for (let x = packed.x[i]; x < packed.x[i] + sizes[i]; x++) taken[y * side + x]++;
      }
      expect(packed.x[i] + sizes[i]).toBeLessThanOrEqual(side);
      expect(packed.y[i] + others[i]).toBeLessThanOrEqual(side);
    }
    expect(taken.reduce((most, count) => Math.max(most, count))).toBe(1);
  });

  it('reports when they do not fit', () => {
    expect(packRectangles(sizes, others, 40)).toBeNull();
    expect(packRectangles(Int32Array.from([9]), Int32Array.from([1]), 8)).toBeNull();
    expect(packRectangles(Int32Array.from([5, 5]), Int32Array.from([5, 5]), 8)).toBeNull();
    expect(packRectangles(Int32Array.from([4, 4, 8]), Int32Array.from([4, 4, 4]), 8)).not.toBeNull();
  });
});
