import { describe, expect, it } from 'vitest';
import { identityPose, invertPose, makePose, movedPoints } from '../alignment/pose.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { seededNormal } from '../random.ts';
import { noTriangle } from '../spatial/surface-tree.ts';
import { cubesMesh, makeSoup, refined, torusMesh } from '../testing/meshes.ts';
import { openTreeHere } from '../testing/open-tree-here.ts';
import { groupStatistics, measureDeviation } from './compare-meshes.ts';
import { deviationStatistics, vertexAreas } from './deviation-statistics.ts';
import { makeProbe } from './probe.ts';
import { listCadFaces, listComponents, listRegions } from './reference-groups.ts';

const tolerance = { lowerMm: -0.1, upperMm: 0.1 };
const part = (mesh: TriangleMesh, scale: number): TriangleMesh => ({
  positions: mesh.positions.map((v) => v * scale),
  indices: mesh.indices,
});

const measureAt = async (
  scan: TriangleMesh,
  reference: TriangleMesh,
  pose: number[],
  maxDistanceMm: number,
) => measureDeviation(makeProbe(scan), await openTreeHere(reference), { pose, maxDistanceMm });

describe('deviation', () => {
  it('finds a known offset field on a curved part, its sign included', async () => {
    // Voxels of 1 mm; the field is −0.8 … 0.8 voxels, and the scan lies elsewhere.
    const [ring, tube, around, across] = [40, 15, 131, 77];
    const truth = new Float64Array(around * across);
    const scan = torusMesh(ring, tube, around, across);
    const there = makePose([0.4, -1.2, 0.7], [120, -30, 55]);
    for (let i = 0; i < around; i++) {
      for (let j = 0; j < across; j++) {
        const [u, v] = [(2 * Math.PI * i) / around, (2 * Math.PI * j) / across];
        const at = i * across + j;
        truth[at] = 0.8 * Math.sin(3 * u) * Math.cos(2 * v);
        const radius = ring + (tube + truth[at]) * Math.cos(v);
        const z = (tube + truth[at]) * Math.sin(v);
        scan.positions.set([radius * Math.cos(u), radius * Math.sin(u), z], 3 * at);
      }
    }
    scan.positions = Float32Array.from(movedPoints(there, scan.positions));
    const back = invertPose(there);
    const reference = torusMesh(ring, tube, 300, 150);
    const { deviationMm } = await measureAt(scan, reference, back, 2);
    let error = 0;
    for (let i = 0; i < truth.length; i++) {
      error += Math.abs(deviationMm[i] - truth[i]) / truth.length;
      expect(Math.abs(deviationMm[i] - truth[i])).toBeLessThan(0.02);
      if (Math.abs(truth[i]) > 0.02) expect(Math.sign(deviationMm[i])).toBe(Math.sign(truth[i]));
    }
    console.info(`deviation: mean error ${error.toFixed(4)} voxel`);
    expect(error).toBeLessThan(0.01);
  });

  it('is positive where the scan has more material, on flat faces, sides and corners', async () => {
    const cube = cubesMesh([[0, 0, 0]]);
    const positions = new Float32Array([1.5, 0.5, 0.5, 0.9, 0.5, 0.5, 2, 2, 0.5, 2, 2, 2, 9, 0, 0]);
    const directions = new Float32Array([1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0]);
    const { deviationMm, closestTriangles } = await measureDeviation(
      { positions, directions },
      await openTreeHere(cube),
      { pose: identityPose(), maxDistanceMm: 3 },
    );
    const expected = [0.5, -0.1, Math.SQRT2, Math.sqrt(3)];
    expected.forEach((value, i) => {
      expect(deviationMm[i]).toBeCloseTo(value, 6);
    });
    expect(deviationMm[4]).toBeNaN();
    expect(closestTriangles[4]).toBe(noTriangle);
  });
});

describe('statistics of deviations', () => {
  it('weigh each vertex by its area', () => {
    const deviation = new Float32Array([-1, 0.0625, 0.5, Number.NaN, 7]);
    const area = new Float32Array([1, 6, 3, 100, 0]);
    const found = deviationStatistics(deviation, area, tolerance);
    const mean = (-1 + 6 * 0.0625 + 3 * 0.5) / 10;
    expect(found?.count).toBe(3);
    expect(found?.areaMm2).toBe(10);
    expect(found?.meanMm).toBeCloseTo(mean, 12);
    const square = (1 + 6 * 0.0625 ** 2 + 3 * 0.25) / 10;
    expect(found?.rmsMm).toBeCloseTo(Math.sqrt(square), 12);
    expect(found?.sdMm).toBeCloseTo(Math.sqrt(square - mean * mean), 12);
    expect([found?.minMm, found?.maxMm, found?.inToleranceShare]).toEqual([-1, 0.5, 0.6]);
    expect(found?.percentilesMm).toEqual({
      p1: -1,
      p5: -1,
      p25: 0.0625,
      p50: 0.0625,
      p75: 0.5,
      p95: 0.5,
      p99: 0.5,
    });
    expect(found?.histogram.edgesMm).toHaveLength(129);
    expect(found?.histogram.areaMm2.reduce((a, b) => a + b, 0)).toBe(10);
  });

  it('give the percentiles of a normal distribution', () => {
    const normal = seededNormal(5);
    const deviation = Float32Array.from({ length: 50_000 }, () => 0.3 + 0.1 * normal());
    const found = deviationStatistics(deviation, new Float32Array(50_000).fill(0.01), tolerance);
    expect(found?.meanMm).toBeCloseTo(0.3, 2);
    expect(found?.sdMm).toBeCloseTo(0.1, 2);
    expect(found?.percentilesMm.p5).toBeCloseTo(0.3 - 0.1645, 2);
    expect(found?.percentilesMm.p95).toBeCloseTo(0.3 + 0.1645, 2);
    expect(found?.inToleranceShare).toBeCloseTo(0.0227, 2);
  });

  it('count a deviation of the tolerance itself as within it', () => {
    const found = deviationStatistics(new Float32Array([-0.1, 0.1]), new Float32Array([1, 1]), tolerance);
    expect(found?.inToleranceShare).toBe(1);
  });

  it('are null without values, and hold for a single value', () => {
    const one = new Float32Array([1]);
    expect(deviationStatistics(new Float32Array([Number.NaN]), one, tolerance)).toBeNull();
    const found = deviationStatistics(new Float32Array([0.25]), one, tolerance);
    expect([found?.minMm, found?.sdMm, found?.maxMm]).toEqual([0.25, 0, 0.25]);
    const { edgesMm, areaMm2 } = found?.histogram ?? { edgesMm: [], areaMm2: [] };
    expect(edgesMm.every((edge, i) => i === 0 || edge > edgesMm[i - 1])).toBe(true);
    expect(areaMm2.reduce((a, b) => a + b, 0)).toBe(1);
  });

  it('distribute the whole area among the vertices', () => {
    const areas = vertexAreas(refined(part(cubesMesh([[0, 0, 0]]), 2), 2));
    expect(areas.reduce((a, b) => a + b, 0)).toBeCloseTo(24, 4);
  });
});

describe('groups of a reference', () => {
  const two = cubesMesh([
    [0, 0, 0],
    [3, 0, 0],
    [4, 0, 0],
  ]);

  it('are its connected parts, also of a triangle soup', () => {
    const parts = listComponents(two);
    expect(new Set(parts)).toEqual(new Set([0, 1]));
    expect(parts.filter((number) => number === 0)).toHaveLength(12);
    expect(listComponents(makeSoup(two))).toEqual(parts);
  });

  it('are its regions between sharp sides', () => {
    expect(new Set(listRegions(two)).size).toBe(12);
    expect(listRegions(makeSoup(two))).toEqual(listRegions(two));
    expect(new Set(listRegions(torusMesh(10, 4, 40, 30))).size).toBe(1);
    expect(new Set(listRegions(torusMesh(10, 4, 40, 5))).size).toBe(5);
  });

  it('are the faces of the CAD, when it has any', () => {
    const faces = Uint32Array.from({ length: two.indices.length / 3 }, (_, t) => t >> 1);
    expect(listCadFaces(two, faces)).toBe(faces);
    expect(() => listCadFaces(two, undefined)).toThrow('no CAD faces');
    expect(() => listCadFaces(two, faces.slice(1))).toThrow('faces are given for');
  });

  it('are ranked by how far out of tolerance they are', async () => {
    // The second part is 0.3 mm too low on top; everything else is nominal.
    const scan = refined(two, 2);
    for (let i = 0; i < scan.positions.length; i += 3) {
      if (scan.positions[i] >= 3 && scan.positions[i + 2] === 1) scan.positions[i + 2] = 0.7;
    }
    const deviation = await measureAt(scan, two, identityPose(), 1);
    const areas = vertexAreas(scan);
    const regions = groupStatistics(deviation, areas, listRegions(two), tolerance);
    expect(regions[0].beyondToleranceMm).toBeCloseTo(0.2, 5);
    expect(regions[0].meanMm).toBeLessThan(-0.2);
    expect(regions.slice(1).every(({ maxMm }) => maxMm <= 1e-6)).toBe(true);
    const parts = groupStatistics(deviation, areas, listComponents(two), tolerance);
    expect(parts.map(({ group, beyondToleranceMm }) => [group, beyondToleranceMm > 0])).toEqual([
      [1, true],
      [0, false],
    ]);
    expect(parts[1].inToleranceShare).toBe(1);
    const all = deviationStatistics(deviation.deviationMm, areas, tolerance);
    expect(parts[0].count + parts[1].count).toBe(all?.count);
  });
});
