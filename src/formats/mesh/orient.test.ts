import { describe, expect, it } from 'vitest';
import { measureMesh } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { orientOutwards } from '#kernels/mesh/orient.ts';
import { seededRandom } from '#kernels/random.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { openMesh } from '../open-mesh.ts';
import { writeStl } from '../stl/write-stl.ts';

const faces = [
  0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
];
interface Block {
  from: readonly [number, number, number];
  size: number;
  inwards?: boolean;
}

/** Blocks as one mesh; those that face inwards are voids, or errors. */
function blocks(...list: Block[]): TriangleMesh {
  const positions: number[] = [];
  const indices: number[] = [];
  for (const { from, size, inwards } of list) {
    const first = positions.length / 3;
    for (let i = 0; i < 24; i++) positions.push(from[i % 3] + size * ((Math.floor(i / 3) >> (i % 3)) & 1));
    for (let t = 0; t < faces.length; t += 3) {
      const [a, b, c] = faces.slice(t, t + 3).map((v) => first + v);
      indices.push(a, ...(inwards ? [c, b] : [b, c]));
    }
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}
const renderVolume = ({ positions, indices }: TriangleMesh) => measureMesh(positions, indices).volumeMm3;
const turned = (mesh: TriangleMesh) => orientOutwards(mesh, 'part.stl');
const insideOut = 'part.stl was inside out; its triangles were turned to face outwards.';

describe('A mesh', () => {
  it('that faces outwards is left unchanged, with its voids', () => {
    const hollow = blocks({ from: [0, 0, 0], size: 10 }, { from: [4, 4, 4], size: 2, inwards: true });
    expect(turned(hollow)).toEqual({ mesh: hollow, warnings: [] });
    expect(renderVolume(hollow)).toBeCloseTo(1000 - 8, 3);
  });

  it('that is inside out is reversed, with its voids, and reports it', () => {
    const hollow = blocks({ from: [0, 0, 0], size: 10, inwards: true }, { from: [4, 4, 4], size: 2 });
    const { mesh, warnings } = turned(hollow);
    expect(renderVolume(mesh)).toBeCloseTo(992, 3);
    expect(warnings).toEqual([insideOut]);
  });

  it('of several bodies has only its inside-out bodies reversed', () => {
    const some = blocks(
      { from: [0, 0, 0], size: 10 },
      { from: [20, 0, 0], size: 3, inwards: true },
      { from: [4, 4, 4], size: 2, inwards: true },
    );
    const { mesh, warnings } = turned(some);
    expect(renderVolume(mesh)).toBeCloseTo(1000 + 27 - 8, 3);
    expect(warnings).toEqual([insideOut]);
  });

  it('keeps a body within a void, which lies in a body', () => {
    const dolls = blocks(
      { from: [0, 0, 0], size: 10 },
      { from: [1, 1, 1], size: 8, inwards: true },
      { from: [3, 3, 3], size: 4 },
    );
    expect(turned(dolls).warnings).toEqual([]);
    const all = blocks(
      { from: [0, 0, 0], size: 10, inwards: true },
      { from: [1, 1, 1], size: 8 },
      { from: [3, 3, 3], size: 4, inwards: true },
    );
    expect(renderVolume(turned(all).mesh)).toBeCloseTo(1000 - 512 + 64, 3);
  });

  it('of many pieces that are inside out has all of them reversed, without comparing each with each', () => {
    const side = 26;
    const pieces = Array.from({ length: side ** 3 }, (_, i): Block => {
      const from = [i % side, Math.floor(i / side) % side, Math.floor(i / side ** 2)] as const;
      return { from, size: 0.5, inwards: true };
    });
    const started = process.cpuUsage();
    const { mesh, warnings } = turned(blocks({ from: [40, 0, 0], size: 30 }, ...pieces));
    const { user } = process.cpuUsage(started);
    expect(renderVolume(mesh)).toBeCloseTo(27_000 + side ** 3 / 8, 0);
    expect(warnings).toEqual([insideOut]);
    // About 0.3 s; each with each takes 5 s.
    expect(user / 1e6).toBeLessThan(2.5);
  });

  it('in the bounding box of another one, but not inside it, is not a void', () => {
    // A frame of four bars around an empty space, and an inside-out block in that space.
    const bars = [0, 1, 2, 3].flatMap((side) =>
      Array.from({ length: 9 }, (_, i): Block => {
        const along = i * 1;
        const at: [number, number] = [
          [along, 0],
          [9, along],
          [9 - along, 9],
          [0, 9 - along],
        ][side] as [number, number];
        return { from: [at[0] + 0.001 * i, at[1], 0], size: 0.9 };
      }),
    );
    const frame = blocks(...bars, { from: [4, 4, 0.2], size: 0.5, inwards: true });
    expect(turned(frame).warnings).toEqual([insideOut]);
    expect(renderVolume(turned(frame).mesh)).toBeCloseTo(36 * 0.9 ** 3 + 0.125, 2);
  });

  it('with randomly oriented triangles is oriented correctly', () => {
    const seed = 90_210;
    const random = seededRandom(seed);
    for (let round = 0; round < 40; round++) {
      const meant = blocks({ from: [0, 0, 0], size: 10 }, { from: [4, 4, 4], size: 2, inwards: true });
      const indices = meant.indices.slice();
      const share = random();
      for (let t = 0; t < indices.length; t += 3)
        if (random() < share) [indices[t + 1], indices[t + 2]] = [indices[t + 2], indices[t + 1]];
      const { mesh } = turned({ ...meant, indices });
      const volume = renderVolume(mesh);
      // In a triangle soup, a void cannot be distinguished from a body: both shells are closed.
      expect(volume, `seed ${seed}, round ${round}`).not.toBeNull();
      expect([992, 1008].some((mm3) => Math.abs(mm3 - (volume ?? 0)) < 0.01)).toBe(true);
    }
  });

  it('with a small hole is still reversed', () => {
    const fine = sphere(40);
    const holed = { ...fine, indices: fine.indices.slice(3).toReversed() };
    const { warnings } = turned(holed);
    expect(warnings).toEqual([insideOut]);
  });

  it('that is an open sheet, or has one side only, is left unchanged', () => {
    const sheet = {
      positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]),
      indices: Uint32Array.of(0, 2, 1),
    };
    expect(turned(sheet)).toEqual({ mesh: sheet, warnings: [] });
    const strip = moebius(30);
    expect(turned(strip).mesh).toBe(strip);
  });

  it('is reversed on import, without the normals of the other side', async () => {
    const { indices, positions } = blocks({ from: [100, 50, -20], size: 10, inwards: true });
    const stl = writeStl({ positions, indices });
    const { mesh, warnings } = await openMesh([bytesSource('part.stl', stl)], { unit: 'mm' });
    expect(renderVolume(mesh)).toBeCloseTo(1000, 2);
    expect(warnings).toEqual([insideOut]);
    const withNormals = { positions, indices, normals: new Float32Array(positions.length) };
    expect(turned(withNormals).mesh.normals).toBeUndefined();
  });
});

function sphere(bands: number): TriangleMesh {
  const positions: number[] = [];
  const around = 2 * bands;
  for (let j = 0; j <= bands; j++)
    for (let i = 0; i < around; i++) {
      const [theta, phi] = [(Math.PI * j) / bands, (2 * Math.PI * i) / around];
      positions.push(
        5 * Math.sin(theta) * Math.cos(phi),
        5 * Math.sin(theta) * Math.sin(phi),
        5 * Math.cos(theta),
      );
    }
  const indices: number[] = [];
  const vertex = (j: number, i: number) => (j === 0 || j === bands ? j * around : j * around + (i % around));
  for (let j = 0; j < bands; j++)
    for (let i = 0; i < around; i++) {
      const [a, b, c, d] = [vertex(j, i), vertex(j + 1, i), vertex(j + 1, i + 1), vertex(j, i + 1)];
      if (b !== c) indices.push(a, b, c);
      if (a !== d) indices.push(a, c, d);
    }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}

function moebius(steps: number): TriangleMesh {
  const positions: number[] = [];
  for (let i = 0; i < steps; i++) {
    const angle = (2 * Math.PI * i) / steps;
    for (const side of [-1, 1]) {
      const radius = 5 + side * Math.cos(angle / 2);
      positions.push(radius * Math.cos(angle), radius * Math.sin(angle), side * Math.sin(angle / 2));
    }
  }
  const indices: number[] = [];
  for (let i = 0; i < steps; i++) {
    const [a, b] = [2 * i, 2 * i + 1];
    // The last step joins the upper side to the lower one.
    const [c, d] = i + 1 < steps ? [a + 2, b + 2] : [1, 0];
    indices.push(a, b, c, c, b, d);
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}
