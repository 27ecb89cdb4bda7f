import { beforeAll, describe, expect, it } from 'vitest';
import { judgeResult } from '#contract/analyses/gates.ts';
import type { StepKind } from '#contract/analyses/steps.ts';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { findTurning, makePose, multiplyPoses } from '#kernels/alignment/pose.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { type Body, box, movedBody, steppedWedge, turnedBody } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { cubesMesh, refined } from '#kernels/testing/meshes.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { AnalysisContext, AnalysisInputs, MeshInput, VolumeInput } from './analysis.ts';
import { deflectionFor } from './mesh-compare.ts';
import { runAnalysis } from './registry.ts';
import { noData } from './testing/no-data.ts';
import { makeInput } from './testing/scan-run.ts';

let pool: KernelPool;
let scan: VolumeInput;
/** 0.5 mm of its tallest step are missing */
let shortScan: VolumeInput;

const steps = (): TriangleMesh => {
  const cubes: Vector3[] = [];
  for (const [i, height] of [1, 2, 4].entries()) for (let k = 0; k < height; k++) cubes.push([i, 0, k]);
  const { positions, indices } = refined(cubesMesh(cubes), 1);
  const [size, shift] = [
    [16, 25, 10],
    [-24, -12.5, -20],
  ];
  return { positions: positions.map((value, i) => value * size[i % 3] + shift[i % 3]), indices };
};
/** 0 = underneath, 1 = the highest step's top, 2 = all else */
const countFaces = ({ positions, indices }: TriangleMesh) =>
  Uint32Array.from({ length: indices.length / 3 }, (_, t) => {
    const z = [0, 1, 2].map((k) => positions[3 * indices[3 * t + k] + 2]);
    return z.every((each) => each === -20) ? 0 : z.every((each) => each === 20) ? 1 : 2;
  });

const angles: Vector3 = [20, 35, 50];
const shift: Vector3 = [0.3, -0.45, 0.2];
const turnAbout = (k: number) =>
  [0, 1, 2].map((axis) => (axis === k ? (angles[k] * Math.PI) / 180 : 0)) as Vector3;
/** Scan → reference, as the scan was made. */
const truth = (() => {
  const turns = [0, 1, 2].map((k) => makePose(turnAbout(k).map((v) => -v) as Vector3, [0, 0, 0]));
  return [...turns, makePose([0, 0, 0], shift.map((v) => -v) as Vector3)].reduce(multiplyPoses);
})();
/** Quicker than to align each time. */
const known = { alignment: 'matrix', matrix: truth };

async function renderVolume(body: Body): Promise<VolumeInput> {
  const volume = renderBody(movedBody(turnedBody(body, angles), shift), {
    dimensions: [72, 72, 72],
    voxelSizeMm: [1, 1, 1],
    noise: 900,
  });
  return makeInput(volume, pool);
}
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
  scan = await renderVolume(steppedWedge([10, 20, 40], 16, 25));
  shortScan = await renderVolume(steppedWedge([10, 20, 39], 16, 25));
});

const tolerance = { lowerMm: -0.4, upperMm: 0.4 };
const referenceDataObjectId = '5b1bb1b5-0f0e-4a55-9d42-5f1f7a2c7c11';
async function run<Kind extends StepKind>(
  kind: Kind,
  parameters: object,
  parts: Record<string, { volume: VolumeInput } | MeshInput> = {},
  { isSelfCheck, referenceKind, ...context }: Partial<AnalysisContext & AnalysisInputs> = {},
) {
  const asked: (number | undefined)[] = [];
  const reference = steps();
  const all = {
    scan: { volume: scan },
    [referenceDataObjectId]: { mesh: reference, deflectionMm: 0.01 },
    ...parts,
  };
  const { dataObjects, warnings, algorithms } = await runAnalysis(
    kind,
    { referenceDataObjectId, ...parameters },
    {
      ...{ sourceDataObjectId: 'scan', referenceDataObjectId },
      ...(isSelfCheck ? { isSelfCheck } : {}),
      ...(referenceKind ? { referenceKind } : {}),
    },
    {
      ...noData,
      part: async (id, deflectionMm) => {
        if (id === referenceDataObjectId) asked.push(deflectionMm);
        return all[id as keyof typeof all];
      },
      pool,
      signal: new AbortController().signal,
      progress: () => {},
      ...context,
    },
  );
  const [{ metadata, files, kind: made, name }] = dataObjects;
  const text = (name: string) =>
    new TextDecoder().decode(joinBytes(files.find(({ fileName }) => fileName === name)?.parts ?? []));
  return { metadata, files, made, name, warnings, algorithms, text, asked };
}

describe('runAutoAlignLite', () => {
  it('aligns a scan with its reference, and returns the matrix and its quality', async () => {
    const { made, metadata, text, algorithms } = await run('runAutoAlignLite', {});
    expect(made).toBe('alignment');
    expect(metadata).toMatchObject({ ambiguous: false, iterations: expect.any(Number) });
    expect(metadata['rmsMm']).toBeLessThan(0.2);
    expect(metadata['inlierShare']).toBeGreaterThan(0.9);
    expect(findTurning(metadata['matrix'] as number[])).toBeCloseTo(1, 9);
    expect(JSON.parse(text('alignment.json'))).toEqual(metadata);
    expect(text('alignment.csv').trim().split('\r\n')).toHaveLength(5);
    expect(algorithms).toHaveProperty('alignment');
  });

  it('refuses a mirrored part with the reason', async () => {
    const mirrored = steps();
    mirrored.positions = mirrored.positions.map((value, i) => (i % 3 === 0 ? 1.3 * value : value));
    // Handed: a block on one side of the lowest step.
    const knob = refined(cubesMesh([[0, 0, 0]]), 1);
    const part = {
      positions: new Float32Array([
        ...mirrored.positions,
        ...knob.positions.map((value, i) => 9 * value + [-30, -12.5, -9.5][i % 3]),
      ]),
      indices: new Uint32Array([
        ...mirrored.indices,
        ...knob.indices.map((v) => v + mirrored.positions.length / 3),
      ]),
    };
    const other = { positions: part.positions.map((v, i) => (i % 3 === 1 ? -v : v)), indices: part.indices };
    const parts = { scan: { mesh: part }, [referenceDataObjectId]: { mesh: other } };
    await expect(run('runAutoAlignLite', {}, parts)).rejects.toMatchObject({
      code: 'NOT_ALIGNED',
      message: expect.stringContaining('mirrored'),
    });
  });

  it('stops at once when it is cancelled', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped by the user');
    const progress = (_fraction: number, stage: string) => {
      if (stage === 'Aligning') controller.abort(reason);
    };
    await expect(run('runAutoAlignLite', {}, {}, { signal: controller.signal, progress })).rejects.toBe(
      reason,
    );
  });
});

describe('runMeshCompare', () => {
  it('returns the deviation at each vertex in the scan’s own frame, its statistics and a verdict', async () => {
    const { made, metadata, files, text, asked, name } = await run('runMeshCompare', { tolerance });
    expect([made, name]).toEqual(['meshCompare', 'CAD comparison']);
    expect(files.map(({ fileName }) => fileName)).toEqual([
      'deviation.glb',
      'deviation.json',
      'histogram.csv',
      'regions.csv',
    ]);
    const mesh = readGlb(joinBytes(files[0].parts));
    expect(mesh.scalars?.['deviationMm']).toHaveLength(metadata['vertices'] as number);
    expect(metadata).toMatchObject({ verdict: 'pass', groups: [], regionCount: 0, poresLeftOut: 0 });
    expect(Math.abs(metadata['meanMm'] as number)).toBeLessThan(0.05);
    expect(metadata['rmsMm']).toBeLessThan(0.15);
    expect(metadata['inToleranceShare']).toBeGreaterThan(0.98);
    expect(metadata['coveredShare']).toBe(1);
    expect(metadata['guardBandMm']).toBeCloseTo(Math.hypot(0.1, 0.01), 6);
    expect(asked).toEqual([0.04]);
    const written = JSON.parse(text('deviation.json')) as { histogram: { areaMm2: number[] } };
    expect(text('histogram.csv').trim().split('\r\n')).toHaveLength(1 + written.histogram.areaMm2.length);
  });

  it('finds the millimetre missing on one side, and fails the part', async () => {
    const { metadata } = await run(
      'runMeshCompare',
      { ...known, tolerance },
      { scan: { volume: shortScan } },
    );
    expect(metadata['verdict']).toBe('fail');
    const [worst] = metadata['regions'] as { worstMm: number; areaMm2: number }[];
    expect(worst.worstMm).toBeLessThan(-0.35);
  });

  it('returns the same bytes for the same input', async () => {
    const again = () => run('runMeshCompare', { ...known, tolerance });
    const [first, second] = [await again(), await again()];
    for (const [i, { parts }] of first.files.entries())
      expect(Buffer.compare(joinBytes(parts), joinBytes(second.files[i].parts))).toBe(0);
  });

  it('accepts a given pose, and rejects an invalid matrix', async () => {
    const { metadata, algorithms } = await run('runMeshCompare', { ...known, tolerance });
    expect(metadata['alignment']).toEqual({ mode: 'matrix', matrix: truth });
    expect(metadata['verdict']).toBe('pass');
    expect(algorithms).not.toHaveProperty('alignment');
    const matrix = truth.map((value) => 2 * value);
    await expect(run('runMeshCompare', { ...known, matrix })).rejects.toThrow('not a rigid transformation');
  });

  it('compares only a region, in the pose of the whole scan if the region is too small for alignment', async () => {
    const region = { min: [-8, -8, -40], max: [8, 8, 40] };
    const { metadata, files } = await run('runMeshCompare', { region, tolerance });
    const { positions } = readGlb(joinBytes(files[0].parts));
    for (let i = 0; i < positions.length; i += 3) expect(Math.abs(positions[i])).toBeLessThanOrEqual(8.001);
    expect(metadata['coveredShare']).toBe(1);
    expect(Math.abs(metadata['meanMm'] as number)).toBeLessThan(0.06);
    const nowhere = { min: [500, 500, 500], max: [510, 510, 510] };
    await expect(run('runMeshCompare', { ...known, region: nowhere })).rejects.toMatchObject({
      code: 'EMPTY_REGION',
    });
  });

  it('reports the true size of what is missing from a part 10 mm too short, whatever the search distance', async () => {
    // The highest step is 30 mm high instead of 40; a voxel is 1 mm.
    const volume = await renderVolume(movedBody(steppedWedge([10, 20, 30], 16, 25), [0, 0, -5]));
    for (const maxDistanceMm of [1, 15]) {
      const { metadata } = await run(
        'runMeshCompare',
        { ...known, tolerance, maxDistanceMm },
        { scan: { volume } },
      );
      const { verdict, verdictReason, regions, fromReference, minMm } = metadata as {
        verdict: string;
        verdictReason: { message: string };
        regions: { side: string; worstMm: number }[];
        fromReference: { minMm: number };
        minMm: number;
      };
      expect(verdict).toBe('fail');
      for (const side of ['scan', 'reference'])
        expect(Math.abs((regions.find((place) => place.side === side)?.worstMm ?? 0) + 10)).toBeLessThan(0.3);
      for (const least of [minMm, fromReference.minMm]) expect(Math.abs(least + 10)).toBeLessThan(0.3);
      expect(verdictReason.message).toMatch(/−(9\.[89]|10\.)/);
    }
  });

  it('tells the user what to do if no part of the scan is near its reference', async () => {
    const far = steps();
    far.positions = far.positions.map((value) => value + 900);
    const parts = { [referenceDataObjectId]: { mesh: far } };
    await expect(run('runMeshCompare', { alignment: 'none' }, parts)).rejects.toThrow('align it first');
  });

  it('does not take specks of noise beside the part for deviations, nor for a part that is cut', async () => {
    const size: Vector3 = [22, 18, 14];
    const cube = cubesMesh([[0, 0, 0]]);
    const mesh = { ...cube, positions: cube.positions.map((value, i) => (value - 0.5) * size[i % 3]) };
    // The noise is a sixth of the contrast: a voxel in 700 is beyond the level.
    const noise = 32_000 / 6;
    const volume = await makeInput(
      renderBody(box(size), { dimensions: [40, 40, 40], voxelSizeMm: [1, 1, 1], noise }),
      pool,
    );
    const judged = (await judgeScan(volume)) ?? 'unjudged';
    const { metadata, warnings } = await run(
      'runMeshCompare',
      { alignment: 'none', maxDistanceMm: 4 },
      { scan: { volume }, [referenceDataObjectId]: { mesh } },
      { quality: async (id) => (id === 'scan' ? judged : null) },
    );
    // Bumps and pits of noise in the surface itself; a speck was 12 mm away.
    expect(metadata['maxMm']).toBeLessThan(3);
    expect(metadata['minMm']).toBeGreaterThan(-3);
    expect(warnings.map(({ code }) => code)).not.toContain('SCAN_CUT');
  });

  it('compares a mesh with a scan, too', async () => {
    const parts = { scan: { mesh: steps() }, [referenceDataObjectId]: { volume: scan } };
    const back = [makePose([0, 0, 0], shift), ...[2, 1, 0].map((k) => makePose(turnAbout(k), [0, 0, 0]))];
    const given = { alignment: 'matrix', matrix: back.reduce(multiplyPoses), tolerance };
    const { metadata } = await run('runMeshCompare', given, parts);
    expect(Math.abs(metadata['meanMm'] as number)).toBeLessThan(0.05);
    expect(metadata['isoValue']).toBeNull();
  });
});

describe('runDecomposeMeshCompare', () => {
  it('ranks the faces of the CAD model by their deviation, with names and verdicts', async () => {
    const mesh = steps();
    const reference = {
      mesh,
      faces: countFaces(mesh),
      faceNames: ['Base, "milled"', 'Top', ''],
      deflectionMm: 0.01,
    };
    const parts = { scan: { volume: shortScan }, [referenceDataObjectId]: reference };
    const { metadata, text } = await run(
      'runDecomposeMeshCompare',
      { ...known, groupBy: 'cadFace', tolerance },
      parts,
    );
    const groups = metadata['groups'] as {
      key: string;
      name: string;
      meanMm: number;
      verdict: string;
      beyondToleranceMm: number;
    }[];
    expect(groups.map(({ key }) => key).sort()).toEqual(['face-1', 'face-2', 'face-3']);
    const top = groups.find(({ key }) => key === 'face-2');
    expect(top?.name).toBe('Face 2, Top');
    expect(top?.meanMm).toBeLessThan(-0.2);
    for (let i = 1; i < groups.length; i++)
      expect(groups[i].beyondToleranceMm).toBeLessThanOrEqual(groups[i - 1].beyondToleranceMm);
    expect(metadata['verdict']).toBe('fail');
    const rows = text('groups.csv').trim().split('\r\n');
    expect(rows).toHaveLength(4);
    expect(rows.some((row) => row.includes('"Face 1, Base, ""milled"""'))).toBe(true);
    expect(metadata['unmeasuredGroups']).toEqual([]);
  });

  it('names the parts without measurements, and does not pass the whole', async () => {
    const mesh = steps();
    const loose = cubesMesh([[0, 0, 0]]);
    const vertices = mesh.positions.length / 3;
    const two = {
      positions: new Float32Array([...mesh.positions, ...loose.positions.map((value) => 10 * value + 50)]),
      indices: new Uint32Array([...mesh.indices, ...loose.indices.map((v) => v + vertices)]),
    };
    const parts = { [referenceDataObjectId]: { mesh: two } };
    const { metadata } = await run('runDecomposeMeshCompare', { ...known, tolerance }, parts);
    expect(metadata['unmeasuredGroups']).toEqual([{ key: 'component-2', name: 'Component 2' }]);
    expect(metadata['coveredShare']).toBeLessThan(0.95);
    expect(metadata['verdict']).toBe('indeterminate');
  });

  it('includes missing material, where the scan has no surface, in its minimum', async () => {
    // A pin of 8 mm on the lowest step that is not there.
    const { positions, indices } = steps();
    const pin = cubesMesh([[0, 0, 0]]);
    const [size, corner] = [
      [6, 6, 8.5],
      [-19, -3, -10.5],
    ];
    const mesh = {
      positions: new Float32Array([
        ...positions,
        ...pin.positions.map((value, i) => value * size[i % 3] + corner[i % 3]),
      ]),
      indices: new Uint32Array([...indices, ...pin.indices.map((v) => v + positions.length / 3)]),
    };
    const parts = { [referenceDataObjectId]: { mesh } };
    const { metadata } = await run('runMeshCompare', { ...known, tolerance }, parts);
    const { minMm, maxMm } = metadata as { minMm: number; maxMm: number };
    expect(Math.abs(minMm + 8)).toBeLessThan(0.3);
    expect(maxMm).toBeLessThan(0.4);
  });

  it('leaves gates indeterminate where a part of the reference was not found, except gates on coverage', async () => {
    const mesh = steps();
    const loose = cubesMesh([[0, 0, 0]]);
    const two = {
      positions: new Float32Array([...mesh.positions, ...loose.positions.map((value) => 10 * value + 50)]),
      indices: new Uint32Array([...mesh.indices, ...loose.indices.map((v) => v + mesh.positions.length / 3)]),
    };
    const parts = { [referenceDataObjectId]: { mesh: two } };
    const { metadata, warnings } = await run('runMeshCompare', { ...known, tolerance }, parts);
    const judge = (path: string, limit: number, comparison: '<=' | '>=') => {
      const gate = { key: 'g', measure: `compare.${path}`, comparison, limit, unit: '', guardBand: 0 };
      return judgeResult(gate, metadata[path as 'maxMm'] as number, {
        warnings,
        uncertainty: null,
        isCount: false,
      }).verdict;
    };
    expect(judge('maxMm', 0.5, '<=')).toBe('indeterminate');
    expect(judge('inToleranceShare', 0.9, '>=')).toBe('indeterminate');
    expect(judge('coveredShare', 0.99, '>=')).toBe('fail');
  });

  it('leaves every gate indeterminate for a part compared with itself', async () => {
    const again = { isSelfCheck: true, referenceKind: 'volume' };
    const { metadata, warnings, name } = await run('runMeshCompare', known, {}, again);
    expect(name).toBe('Surface comparison');
    expect(metadata['verdict']).toBeNull();
    const gate = {
      ...{ key: 'g', measure: 'compare.coveredShare', comparison: '>=' as const, limit: 0.5 },
      ...{ unit: '', guardBand: 0 },
    };
    expect(
      judgeResult(gate, metadata['coveredShare'] as number, { warnings, uncertainty: null, isCount: false }),
    ).toMatchObject({
      verdict: 'indeterminate',
      reason: expect.stringContaining('the same scan'),
    });
  });

  it('reports that a reference has no CAD faces', async () => {
    await expect(run('runDecomposeMeshCompare', { ...known, groupBy: 'cadFace' })).rejects.toThrow(
      'no CAD faces',
    );
  });
});

it('requests triangles within a tenth of the narrower side of the tolerance', () => {
  expect(deflectionFor({ lowerMm: -0.1, upperMm: 0.1 })).toBeCloseTo(0.01, 12);
  expect(deflectionFor({ lowerMm: 0, upperMm: 0.2 })).toBeCloseTo(0.01, 12);
  expect(deflectionFor({ lowerMm: -0.02, upperMm: 0.5 })).toBeCloseTo(0.002, 12);
});
