import { describe, expect, it } from 'vitest';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { boxMesh, compareMeshes, insideOut } from '../testing/compare-bodies.ts';
import { cubesMesh, joined, makeSoup, sphereMesh } from '../testing/meshes.ts';
import type { DeviantPlace } from './judge-deviation.ts';

const worstOn = (places: DeviantPlace[], side: DeviantPlace['side']) =>
  places.find((place) => place.side === side)?.worstMm ?? Number.NaN;
const moved = (mesh: TriangleMesh, by: number[]): TriangleMesh => ({
  positions: mesh.positions.map((value, i) => value + by[i % 3]),
  indices: mesh.indices,
});

describe('a part that is too short', () => {
  const [short, whole] = [boxMesh([8, 8, 20], [0, 0, -5]), boxMesh([8, 8, 30])];

  it('is too short by its true length from both sides, although its sides are closer to its end', async () => {
    const judged = await compareMeshes(short, whole, { maxDistanceMm: 20 });
    expect(judged.verdict).toBe('fail');
    expect(judged.forward?.minMm).toBeCloseTo(-10, 5);
    expect(judged.backward?.minMm).toBeCloseTo(-10, 5);
    expect(judged.places).toHaveLength(2);
    expect(worstOn(judged.places, 'reference')).toBeCloseTo(-10, 5);
    expect(worstOn(judged.places, 'scan')).toBeCloseTo(-10, 5);
    expect(judged.places[0].worstPointMm[2]).toBeGreaterThan(4.9);
  });

  it('is reported even when the search distance is only a millimetre', async () => {
    const judged = await compareMeshes(short, whole);
    expect(judged.verdict).toBe('fail');
    expect(worstOn(judged.places, 'reference')).toBeCloseTo(-10, 5);
    expect(worstOn(judged.places, 'scan')).toBeCloseTo(-10, 5);
    // Nine millimetres of four sides, and the end.
    expect(judged.notFoundAreaMm2.reference).toBeCloseTo(9 * 32 + 64, -1);
    expect(judged.notFoundAreaMm2.scan).toBeCloseTo(64, -1);
    // A tenth of a millimetre of the missing sides is within the tolerance.
    expect(judged.coveredShare).toBeCloseTo((64 + 20.1 * 32) / (2 * 64 + 30 * 32), 1);
  });

  it('exceeds the reference by its true length when it is too long', async () => {
    const judged = await compareMeshes(whole, short);
    expect(judged.verdict).toBe('fail');
    expect(worstOn(judged.places, 'scan')).toBeCloseTo(10, 5);
    expect(worstOn(judged.places, 'reference')).toBeCloseTo(10, 5);
  });
});

describe('thin walls', () => {
  it('that have moved by less or more than their thickness show that shift on both faces', async () => {
    for (const shift of [0.15, 0.3, 0.7]) {
      const plate = boxMesh([10, 8, 0.4]);
      const judged = await compareMeshes(moved(plate, [0, 0, shift]), plate);
      expect(judged.forward?.percentilesMm.p25).toBeCloseTo(-shift, 5);
      expect(judged.forward?.percentilesMm.p75).toBeCloseTo(shift, 5);
      expect(judged.forward?.minMm).toBeCloseTo(-shift, 5);
      expect(judged.forward?.maxMm).toBeCloseTo(shift, 5);
      expect(judged.backward?.percentilesMm.p25).toBeCloseTo(-shift, 5);
    }
  });

  it('beside one another are not confused', async () => {
    const walls = (by: number) =>
      joined(boxMesh([0.3, 8, 8], [by, 0, 0]), boxMesh([0.3, 8, 8], [0.6 + by, 0, 0]));
    const judged = await compareMeshes(walls(0.2), walls(0));
    expect(judged.forward?.minMm).toBeCloseTo(-0.2, 5);
    expect(judged.forward?.maxMm).toBeCloseTo(0.2, 5);
    expect(judged.places.every(({ notFoundAreaMm2 }) => notFoundAreaMm2 === 0)).toBe(true);
  });
});

describe('features', () => {
  const plate = boxMesh([12, 12, 3]);
  const pin = boxMesh([1, 1, 5], [3, 2, 3.5]);

  it('that are missing deviate by their height and fail the part', async () => {
    for (const maxDistanceMm of [1, 20]) {
      const judged = await compareMeshes(plate, joined(plate, pin), { maxDistanceMm });
      expect(judged.verdict).toBe('fail');
      const [worst, ...others] = judged.places;
      expect(others).toEqual([]);
      expect(worst.side).toBe('reference');
      expect(worst.worstMm).toBeCloseTo(-4.5, 5);
      expect(worst.worstPointMm[2]).toBeCloseTo(6, 5);
    }
  });

  it('that are superfluous deviate by their height', async () => {
    for (const maxDistanceMm of [1, 20]) {
      const judged = await compareMeshes(joined(plate, pin), plate, { maxDistanceMm });
      expect(judged.verdict).toBe('fail');
      expect(worstOn(judged.places, 'scan')).toBeCloseTo(4.5, 5);
    }
  });

  it('that go into the part and are missing or superfluous deviate by their width', async () => {
    const block = boxMesh([10, 10, 10]);
    const slotted = (width: number) =>
      joined(
        boxMesh([(10 - width) / 2, 10, 10], [-(10 + width) / 4, 0, 0]),
        boxMesh([(10 - width) / 2, 10, 10], [(10 + width) / 4, 0, 0]),
      );
    for (const width of [0.6, 3]) {
      const options = { spacingMm: 0.5 };
      const missing = await compareMeshes(block, slotted(width), options);
      expect(missing.verdict).toBe('fail');
      expect(Math.max(...missing.places.map(({ worstMm }) => worstMm ?? 0))).toBeCloseTo(width, 4);
      const extra = await compareMeshes(slotted(width), block, options);
      expect(extra.verdict).not.toBe('pass');
      expect(Math.min(...extra.places.map(({ worstMm }) => worstMm ?? 0))).toBeCloseTo(-width, 4);
    }
  });

  it('that are correct pass, also where bodies overlap or touch', async () => {
    const both = joined(plate, pin);
    expect((await compareMeshes(both, both)).verdict).toBe('pass');
    const tower = cubesMesh([
      [0, 0, 0],
      [0, 0, 1],
    ]);
    const halves = joined(boxMesh([1, 1, 1], [0.5, 0.5, 0.5]), boxMesh([1, 1, 1], [0.5, 0.5, 1.5]));
    const judged = await compareMeshes(tower, halves);
    expect(judged.verdict).toBe('pass');
    expect(judged.foundShare).toBe(1);
  });

  it('are listed when one is missing entirely, and the verdict is not pass', async () => {
    const far = boxMesh([2, 2, 2], [0, 0, 30]);
    const judged = await compareMeshes(plate, joined(plate, far));
    expect(judged.verdict).toBe('indeterminate');
    expect(judged.places).toMatchObject([{ side: 'reference', worstMm: expect.closeTo(-29.5, 4) }]);
    expect(judged.notFoundAreaMm2.reference).toBeCloseTo(24, 4);
    const extra = await compareMeshes(joined(plate, far), plate);
    expect(extra.verdict).toBe('indeterminate');
    expect(extra.places).toMatchObject([{ side: 'scan', worstMm: expect.closeTo(29.5, 4) }]);
  });

  it('outside of a region are ignored', async () => {
    const region = { min: [-20, -20, -20], max: [0, 20, 20] } as const;
    const judged = await compareMeshes(plate, joined(plate, pin), {
      region: { min: [...region.min], max: [...region.max] },
    });
    expect(judged.verdict).toBe('pass');
    expect(judged.places).toEqual([]);
    await expect(
      compareMeshes(plate, plate, { region: { min: [90, 90, 90], max: [91, 91, 91] } }),
    ).rejects.toMatchObject({ code: 'EMPTY_REGION' });
  });
});

describe('voids', () => {
  const block = boxMesh([40, 40, 40]);
  const pore = insideOut(sphereMesh(2, 12, 16));
  const cavity = insideOut(sphereMesh(6, 24, 36));
  const options = { spacingMm: 1, facingRounds: 0 };

  it('absent from the reference are pores and ignored, wherever they lie', async () => {
    for (const at of [
      [0, 0, 0],
      [0, 0, 17.5],
    ]) {
      const judged = await compareMeshes(joined(block, moved(pore, at)), block, options);
      expect(judged).toMatchObject({ verdict: 'pass', pores: 1, measuredShare: 1 });
    }
    const thin = boxMesh([8, 8, 1]);
    const small = insideOut(sphereMesh(0.3, 12, 16));
    expect(await compareMeshes(joined(thin, small), thin)).toMatchObject({ verdict: 'pass', pores: 1 });
  });

  it('present in the reference are walls like any other', async () => {
    const judged = await compareMeshes(joined(block, cavity), joined(block, cavity), options);
    expect(judged).toMatchObject({ verdict: 'pass', pores: 0 });
    const smaller = insideOut(sphereMesh(5.7, 24, 36));
    const off = await compareMeshes(joined(block, smaller), joined(block, cavity), options);
    expect(off).toMatchObject({ verdict: 'fail', pores: 0 });
    expect(worstOn(off.places, 'scan')).toBeCloseTo(0.3, 1);
  });

  it('missing from the scan do not pass', async () => {
    const judged = await compareMeshes(block, joined(block, cavity), options);
    expect(judged.verdict).not.toBe('pass');
    expect(worstOn(judged.places, 'reference')).toBeGreaterThan(1);
  });
});

describe('a scan with a hole', () => {
  it('gives no deviation behind the hole', async () => {
    const box = boxMesh([10, 10, 10]);
    const lidless = { ...box, indices: box.indices.filter((_, i) => !isTop(box, Math.floor(i / 3))) };
    const judged = await compareMeshes(lidless, box, { isOpen: true, maxDistanceMm: 20 });
    expect(judged.verdict).toBe('indeterminate');
    expect(judged.places).toMatchObject([{ side: 'reference', worstMm: null }]);
    expect(judged.notFoundAreaMm2.reference).toBeCloseTo(100, -1);
  });
});

const isTop = ({ positions, indices }: TriangleMesh, t: number) =>
  [0, 1, 2].every((k) => positions[3 * indices[3 * t + k] + 2] === 5);

describe('meshes from files', () => {
  it('give the same result when triangles do not share vertices', async () => {
    const [short, whole] = [boxMesh([4, 4, 10], [0, 0, -2.5]), boxMesh([4, 4, 15])];
    const one = await compareMeshes(short, whole);
    const other = await compareMeshes(makeSoup(short), makeSoup(whole));
    expect(other.backward).toEqual(one.backward);
    expect(other.places.map(({ worstMm }) => worstMm)).toEqual(one.places.map(({ worstMm }) => worstMm));
  });
});
