import { describe, expect, it } from 'vitest';
import { identityPose } from '../alignment/pose.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { cubesMesh, refined, sphereMesh, torusMesh } from '../testing/meshes.ts';
import { measureDeviation } from './compare-meshes.ts';
import { vertexAreas } from './deviation-statistics.ts';
import { judgeDeviation, patchesBeyond, verdictOf } from './judge-deviation.ts';
import { facingOutward, partOf, poresOf, verticesIn } from './prepare-surfaces.ts';

const tolerance = { lowerMm: -0.1, upperMm: 0.1 };

/** A plate of 20 × 20 squares of 1 mm with a deviation at each corner. */
function plate(deviationAt: (x: number, y: number) => number) {
  const positions: number[] = [];
  const deviation: number[] = [];
  const indices: number[] = [];
  for (let y = 0; y <= 20; y++) {
    for (let x = 0; x <= 20; x++) {
      positions.push(x, y, 0);
      deviation.push(deviationAt(x, y));
      const at = y * 21 + x;
      if (x < 20 && y < 20) indices.push(at, at + 1, at + 22, at, at + 22, at + 21);
    }
  }
  const mesh = { positions: new Float32Array(positions), indices: new Uint32Array(indices) };
  return { mesh, deviationMm: Float32Array.from(deviation), areaMm2: vertexAreas(mesh) };
}

describe('patches beyond the tolerance', () => {
  it('are connected, above and below apart, the furthest out first, and say where', () => {
    const bump = (x: number, y: number, cx: number) => Math.abs(x - cx) <= 1 && Math.abs(y - 5) <= 1;
    const { mesh, deviationMm, areaMm2 } = plate((x, y) => {
      if (x === 5 && y === 5) return 0.3;
      // Side by side with the first one, and on the other side of the tolerance.
      if (bump(x, y, 8)) return x === 9 && y === 6 ? -0.5 : -0.2;
      return bump(x, y, 5) ? 0.2 : 0.1;
    });
    const { patches, isBeyond } = patchesBeyond(mesh, deviationMm, areaMm2, tolerance, 2);
    expect(patches).toHaveLength(2);
    expect(patches[0]).toMatchObject({ worstMm: Math.fround(-0.5), worstPointMm: [9, 6, 0] });
    expect(patches[1]).toMatchObject({ worstMm: Math.fround(0.3), worstPointMm: [5, 5, 0] });
    expect(patches[0].areaMm2).toBeCloseTo(9, 5);
    expect(isBeyond.reduce((a, b) => a + b, 0)).toBe(18);
  });

  it('smaller than the scan resolves don’t count', () => {
    const { mesh, deviationMm, areaMm2 } = plate((x, y) => (x === 4 && y === 4 ? 3 : 0));
    expect(patchesBeyond(mesh, deviationMm, areaMm2, tolerance, 4).patches).toEqual([]);
    expect(patchesBeyond(mesh, deviationMm, areaMm2, tolerance, 0.5).patches).toHaveLength(1);
  });

  it('have nothing where nothing was measured', () => {
    const { mesh, deviationMm, areaMm2 } = plate(() => Number.NaN);
    expect(patchesBeyond(mesh, deviationMm, areaMm2, tolerance, 0).patches).toEqual([]);
  });
});

describe('the verdict', () => {
  const verdictAt = (mm: number, isComplete = true, guardBandMm = 0.02) => {
    const { mesh, deviationMm, areaMm2 } = plate((x, y) => (x > 5 && y > 5 && x < 12 && y < 12 ? mm : 0));
    const judged = judgeDeviation(mesh, deviationMm, areaMm2, tolerance, guardBandMm, 1);
    return verdictOf(judged, isComplete);
  };
  it.each([
    [0.05, 'pass'],
    [0.079, 'pass'],
    [0.081, 'indeterminate'],
    [0.1, 'indeterminate'],
    [0.119, 'indeterminate'],
    [0.121, 'fail'],
    [-0.079, 'pass'],
    [-0.119, 'indeterminate'],
    [-0.121, 'fail'],
  ] as const)('of a patch %s mm out, ± 0.1 mm allowed and 0.02 mm uncertain, is %s', (mm, expected) => {
    expect(verdictAt(mm)).toBe(expected);
  });
  it('is never pass when part of the part was not measured, and still fail when what was is out', () => {
    expect(verdictAt(0.05, false)).toBe('indeterminate');
    expect(verdictAt(0.2, false)).toBe('fail');
  });
  it('can’t be pass when the uncertainty is as wide as the tolerance', () => {
    expect(verdictAt(0, true, 0.1)).toBe('indeterminate');
    expect(verdictAt(0.25, true, 0.1)).toBe('fail');
  });
  it('of a group looks at its own vertices alone', () => {
    const { mesh, deviationMm, areaMm2 } = plate((x) => (x > 10 ? 0.3 : 0));
    const judged = judgeDeviation(mesh, deviationMm, areaMm2, tolerance, 0.02, 1);
    const where = (isIn: (x: number) => boolean) =>
      Uint32Array.from({ length: 441 }, (_, v) => v).filter((v) => isIn(v % 21));
    expect(
      verdictOf(
        judged,
        true,
        where((x) => x < 10),
      ),
    ).toBe('pass');
    expect(
      verdictOf(
        judged,
        true,
        where((x) => x > 10),
      ),
    ).toBe('fail');
  });
});

describe('surfaces before they are compared', () => {
  const insideOut = (mesh: TriangleMesh): TriangleMesh => ({
    positions: mesh.positions,
    indices: mesh.indices.map((_, i) => mesh.indices[i % 3 === 0 ? i : i % 3 === 1 ? i + 1 : i - 1]),
  });
  const joined = (a: TriangleMesh, b: TriangleMesh): TriangleMesh => ({
    positions: new Float32Array([...a.positions, ...b.positions]),
    indices: new Uint32Array([...a.indices, ...b.indices.map((v) => v + a.positions.length / 3)]),
  });

  it('are turned when they were written inside out', () => {
    const torus = torusMesh(10, 3, 20, 12);
    expect(facingOutward(torus)).toEqual({ mesh: torus, wasTurned: false });
    expect(facingOutward(insideOut(torus))).toEqual({ mesh: torus, wasTurned: true });
  });

  it('leave out pores, and keep a void that the reference has, too', async () => {
    const block = refined(cubesMesh([[0, 0, 0]]), 3);
    const solid = { positions: block.positions.map((value) => 40 * value - 20), indices: block.indices };
    const pore = insideOut(sphereMesh(2, 8, 12));
    // Below the skin: without the rule it would be a deviation of some tenths.
    pore.positions = pore.positions.map((value, i) => value + (i % 3 === 2 ? 17.5 : 0));
    const cavity = insideOut(sphereMesh(6, 16, 24));
    const scan = joined(joined(solid, cavity), pore);
    const reference = joined(solid, cavity);
    const compared = await measureDeviation(scan, reference, { pose: identityPose(), maxDistanceMm: 50 });
    const found = poresOf(scan, reference, compared.closestTriangles);
    expect(found.count).toBe(1);
    expect(found.isVoid.indexOf(1)).toBe((solid.positions.length + cavity.positions.length) / 3);
    expect(found.isVoid.reduce((a, b) => a + b, 0)).toBe(pore.positions.length / 3);
    const unlike = await measureDeviation(scan, solid, { pose: identityPose(), maxDistanceMm: 50 });
    expect(poresOf(scan, solid, unlike.closestTriangles).count).toBe(2);
  });

  it('are cut to a box with the vertices that are left', () => {
    const { mesh } = plate(() => 0);
    const inside = verticesIn(mesh, { min: [2, 2, -1], max: [4, 5, 1] });
    const part = partOf(mesh, (a, b, c) => inside[a] === 1 && inside[b] === 1 && inside[c] === 1);
    expect(part.mesh.indices).toHaveLength(2 * 3 * 6);
    expect(part.vertices).toHaveLength(12);
    expect([...part.vertices].every((v) => inside[v] === 1)).toBe(true);
    expect(part.mesh.positions.subarray(0, 3)).toEqual(mesh.positions.subarray(3 * 44, 3 * 44 + 3));
  });
});
