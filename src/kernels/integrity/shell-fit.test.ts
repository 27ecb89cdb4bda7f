import { describe, expect, it } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import { seededRandom } from '../random.ts';
import { beyond, integrateShell, type ShellOptions, spreadDistances } from './shell-fit.ts';

const size: Vector3 = [25, 25, 25];
const options: ShellOptions = { reach: 2.3, noise: 0.001, level: { mean: 1, spread: 0.5, slope: 0.05 } };
const cellAt = (x: number, y: number, z: number) => (z * 25 + y) * 25 + x;

/** Air within `radius` of the centre, in material of the given level; cells at the edge are partly filled. */
function patchWith(radius: number, level: (x: number, y: number, z: number) => number) {
  const values = new Float32Array(25 ** 3);
  const own = new Uint8Array(values.length).fill(beyond);
  for (let z = 0, i = 0; z < 25; z++) {
    for (let y = 0; y < 25; y++) {
      for (let x = 0; x < 25; x++, i++) {
        const lacks = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x - 12, y - 12, z - 12)));
        values[i] = level(x - 12, y - 12, z - 12) * (1 - lacks);
        if (lacks > 0.5) own[i] = 0;
      }
    }
  }
  spreadDistances(own, size, 10);
  const inner = own.map((squared) => (squared === 0 ? beyond : 0));
  spreadDistances(inner, size, 6);
  return { values, size, own, other: new Uint8Array(values.length).fill(beyond), inner };
}

const lacking = (radius: number) => {
  const { values } = patchWith(radius, () => 1);
  return values.reduce((sum, value) => sum + 1 - value, 0);
};

describe('the integral of a void against its shell', () => {
  it('gives its volume for any level and slope of the material', () => {
    const { volume, center } = integrateShell(
      patchWith(3, (x, y) => 0.7 + 0.01 * x - 0.004 * y),
      options,
    );
    expect(volume / lacking(3)).toBeCloseTo(1, 2);
    for (const place of center) expect(place).toBeCloseTo(12, 1);
  });

  it('replaces cells nearer to other air by those at the same distance elsewhere', () => {
    const patch = patchWith(3, () => 1);
    for (let z = 0; z < 25; z++) {
      for (let y = 0; y < 25; y++) {
        for (let x = 17; x < 25; x++) [patch.values[cellAt(x, y, z)], patch.other[cellAt(x, y, z)]] = [0, 0];
      }
    }
    spreadDistances(patch.other, size, 10);
    expect(integrateShell(patch, options).volume / lacking(3)).toBeCloseTo(1, 2);
  });

  it('measures the middle, which no edge reaches', () => {
    const patch = patchWith(5, (x) => 0.8 + 0.01 * x);
    expect(integrateShell(patch, options).middle).toMatchObject({ depth: expect.closeTo(1, 2) });
    expect(integrateShell(patch, options).middle.cells).toBeGreaterThan(100);
    for (let i = 0; i < patch.values.length; i++) if (patch.own[i] === 0) patch.values[i] += 0.3;
    expect(integrateShell(patch, options).middle.depth).toBeCloseTo(1 - 0.3 / 0.8, 2);
    expect(integrateShell({ ...patch, inner: null }, options).middle.cells).toBe(0);
  });

  it('distinguishes correlated from white noise', () => {
    // Noise that is constant over blocks of cells: the variance of sums of many cells is larger by the number of cells
    // in a block.
    const measurePatchiness = (edge: number, count: number) => {
      let sum = 0;
      for (let seed = 1; seed <= count; seed++) {
        const random = seededRandom(100 * edge + seed);
        const blocks = Array.from({ length: 26 ** 3 }, () => random() + random() - 1);
        const block = (n: number) => Math.floor((n + 12) / edge);
        const patch = patchWith(
          4,
          (x, y, z) => 1 + 0.05 * (blocks[(block(z) * 26 + block(y)) * 26 + block(x)] ?? 0),
        );
        sum += integrateShell(patch, { ...options, noise: 0.02 }).patchiness / count;
      }
      return sum;
    };
    const white = measurePatchiness(1, 40);
    expect(white).toBeGreaterThan(0.7);
    expect(white).toBeLessThan(1.4);
    expect(measurePatchiness(2, 40)).toBeGreaterThan(3 * white);
    const patch = patchWith(4, () => 1);
    patch.other.fill(0);
    expect(integrateShell(patch, options).patchiness).toBeNaN();
  });

  it('ignores outliers in the shell', () => {
    const patch = patchWith(3, () => 1);
    for (let k = 0; k < 3; k++) patch.values[cellAt(12 + k, 12, 17)] = 3;
    expect(integrateShell(patch, options).volume / lacking(3)).toBeCloseTo(1, 2);
  });
});

it('distances extend as far as they count, along all axes', () => {
  const squared = new Uint8Array(25 ** 3).fill(beyond);
  squared[cellAt(3, 4, 5)] = 0;
  spreadDistances(squared, size, 6);
  expect(squared[cellAt(5, 7, 4)]).toBe(4 + 9 + 1);
  expect(squared[cellAt(20, 4, 5)]).toBe(beyond);
});

it('distances are those to the nearest of many cells, in any direction', () => {
  const [nx, ny, nz]: Vector3 = [13, 9, 11];
  const span = 6;
  const squared = new Uint8Array(nx * ny * nz).fill(beyond);
  const cells: Vector3[] = [];
  for (let z = 0, i = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, i++) {
        const isOfThem = x < 2 || (x + 2 * y > 24 && z < 6) || (i * 7919) % 331 === 0;
        if (!isOfThem) continue;
        squared[i] = 0;
        cells.push([x, y, z]);
      }
    }
  }
  spreadDistances(squared, [nx, ny, nz], span);
  for (let z = 0, i = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, i++) {
        const nearest = Math.min(...cells.map(([u, v, w]) => (x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2));
        if (nearest <= span ** 2) expect(squared[i], `${x} ${y} ${z}`).toBe(nearest);
        else expect(squared[i]).toBeGreaterThan(span ** 2);
      }
    }
  }
});
