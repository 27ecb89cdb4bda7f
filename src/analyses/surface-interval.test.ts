import { beforeAll, describe, expect, it } from 'vitest';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, turnedBody } from '#kernels/testing/bodies.ts';
import { cutBy } from '#kernels/testing/families/bodies.ts';
import { bendGreys } from '#kernels/testing/families/change-greys.ts';
import { type Impairments, impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { makeInput, runOnJudgedScan, runOnScan } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const body = sphere(13.4);

/** Of a ball in a scan that is spoilt so. @param rim how much brighter the material is at its face, as hardening makes it, and in a core */
async function measureVolume(
  impairments: Impairments,
  known: Partial<ScanQuality> = {},
  { rim = 0, core = 0 } = {},
) {
  const rendered = renderPart({ body, edgesMm: 0, pores: [], phases: [] }, [40, 40, 40], [1, 1, 1], 0.6);
  const volume = impairPart(rendered, { contrastToNoise: 20, seed: 3, ...impairments });
  volume.data.forEach((grey, i) => {
    const [x, y, z] = [i % 40, Math.floor(i / 40) % 40, Math.floor(i / 1600)].map((n) => n - 19.5);
    const inside = Math.max(0, 1 - Math.hypot(x ?? 0, y ?? 0, z ?? 0) / 13.4);
    const brighter = rim * (1 - Math.sqrt(inside * (2 - inside))) + (inside > 0.5 ? core : 0);
    volume.data[i] = grey + brighter * Math.max(0, grey - 8000);
  });
  const scan = await makeInput(volume, pool);
  const judged = await judgeScan(scan);
  const quality = judged ? { ...judged, ...known } : 'unjudged';
  const { dataObjects } = await runOnScan('createMesh', {}, scan, { pool, quality: async () => quality });
  const { volumeMm3, uncertainties } = dataObjects[0].metadata;
  return {
    expanded: uncertainties?.volumeMm3?.expanded,
    error: Math.abs((volumeMm3 ?? 0) - rendered.volumeMm3),
    areaMm2: dataObjects[0].metadata.areaMm2,
  };
}

async function measureBlock(of: Body, seed: number, blur = 0.6, contrastToNoise = 20) {
  const rendered = renderPart({ body: of, edgesMm: 0, pores: [], phases: [] }, [40, 40, 40], [1, 1, 1], blur);
  const scan = impairPart(rendered, { contrastToNoise, seed });
  const { dataObjects, warnings, quality } = await runOnJudgedScan('createMesh', scan, pool);
  const { volumeMm3, uncertainties } = dataObjects[0].metadata;
  const codes = warnings.map(({ code }) => code);
  const fullShare = quality === 'unjudged' ? null : quality.fullShare;
  return { volumeMm3, uncertainties, warnings, codes, fullShare, truth: rendered.volumeMm3 };
}

/** Half width and error of the area of a body in a clean scan, over the area. */
async function measureArea(of: Body, areaMm2: number, blur = 0.6) {
  const rendered = renderPart({ body: of, edgesMm: 0, pores: [], phases: [] }, [40, 40, 40], [1, 1, 1], blur);
  const scan = impairPart(rendered, { contrastToNoise: 20, seed: 3 });
  const { dataObjects } = await runOnJudgedScan('createMesh', scan, pool);
  const { metadata } = dataObjects[0];
  return {
    expanded: (metadata.uncertainties?.areaMm2?.expanded ?? 0) / areaMm2,
    error: Math.abs(metadata.areaMm2 / areaMm2 - 1),
  };
}

it('the interval of an area is that of a round body, and includes what edges lose', async () => {
  const round = await measureArea(body, 4 * Math.PI * 13.4 ** 2);
  expect(round.error).toBeLessThan(round.expanded);
  expect(round.expanded).toBeLessThan(0.03);
  const block = turnedBody(box([21, 19, 23]), [20, 30, 10]);
  const edged = await measureArea(block, block.areaMm2);
  expect(edged.error).toBeGreaterThan(0.01);
  expect(edged.error).toBeLessThan(edged.expanded);
  // Wider edges lose more area.
  const blurred = await measureArea(block, block.areaMm2, 1.6);
  expect(blurred.error).toBeGreaterThan(1.5 * edged.error);
  expect(blurred.error).toBeLessThan(blurred.expanded);
  expect(blurred.expanded).toBeGreaterThan(1.5 * edged.expanded);
});

it.each([0.6, 1.3])('intervals hold what a gamma curve of %d moves, and no mark is left', async (power) => {
  const voidMm3 = (4 / 3) * Math.PI * 4.2 ** 3;
  const hollow = cutBy(sphere(16), movedBody(sphere(4.2), [4, 2, 1]), -1);
  const rendered = renderPart(
    { body: hollow, edgesMm: 0, pores: [], phases: [] },
    [60, 60, 60],
    [1, 1, 1],
    0.6,
  );
  const scan = bendGreys(impairPart(rendered, { contrastToNoise: 20, seed: 2 }), power);
  const mesh = await runOnJudgedScan('createMesh', scan, pool);
  const integrity = await runOnJudgedScan('runIntegrityAnalysis', scan, pool);
  const [shape, pores] = [mesh.dataObjects[0].metadata, integrity.dataObjects[0].metadata];
  const off = Math.abs((shape.volumeMm3 ?? 0) - rendered.volumeMm3);
  // A twentieth of a voxel everywhere is more than the interval of a sound scan holds.
  expect(off).toBeGreaterThan(0.05 * (shape.areaMm2 ?? 0));
  expect(off).toBeLessThan(shape.uncertainties?.volumeMm3?.expanded ?? 0);
  const { expanded = 0 } = pores.uncertainties?.['largestVolumeMm3'] ?? {};
  const poreOff = Math.abs(pores.largestVolumeMm3 - voidMm3);
  expect(poreOff).toBeGreaterThan(0.03 * voidMm3);
  expect(poreOff).toBeLessThan(expanded);
  for (const path of ['volumeMm3', 'areaMm2', 'materialVolumeMm3', 'porosity', 'largestVolumeMm3'])
    for (const { measures } of [...mesh.warnings, ...integrity.warnings])
      expect(measures).not.toContain(path);
});

/** A wedge that runs out to nothing along y. @param degrees between its faces */
function makeBlade(degrees: number): Body {
  const [tangent, long, wide] = [Math.tan((degrees * Math.PI) / 360), 28, 18];
  const cosine = 1 / Math.hypot(1, tangent);
  return {
    ...box([long, wide, 2 * long * tangent]),
    distanceMm: (x, y, z) =>
      Math.max(cosine * (Math.abs(z) - tangent * (x + long / 2)), x - long / 2, Math.abs(y) - wide / 2),
    volumeMm3: long * long * tangent * wide,
    areaMm2: (2 * long * wide) / cosine + 2 * long * tangent * (wide + long),
  };
}

it.each([
  [12, 0.6],
  [20, 1],
  [35, 1.5],
])('intervals hold what blur takes from a blade of %i° at a blur of %d voxels', async (degrees, blur) => {
  const blade = makeBlade(degrees);
  const area = await measureArea(turnedBody(blade, [25, 40, 15]), blade.areaMm2, blur);
  expect(area.error).toBeGreaterThan(0.04);
  expect(area.error).toBeLessThan(area.expanded);
  expect(area.expanded).toBeLessThan(2 * area.error);
});

describe('the interval of a volume', () => {
  it('contains the truth, and widens with the flaws of the scan', async () => {
    const good = await measureVolume({});
    expect(good.error).toBeLessThan(good.expanded ?? 0);
    expect(good.expanded).toBeLessThan(0.01 * body.volumeMm3);
    const cupped = await measureVolume({ cupping: 0.3 });
    expect(cupped.error).toBeLessThan(cupped.expanded ?? 0);
    expect(cupped.expanded).toBeGreaterThan(1.2 * (good.expanded ?? 0));
  });

  it('includes the rim of a cupped part, which may be too thin to show that it is brighter', async () => {
    const [hub, fins] = [
      hollowCylinder(8, 0, 18),
      [box([36, 5, 18]), box([5, 36, 18])].map((each) => each.distanceMm),
    ];
    const distanceMm = (x: number, y: number, z: number) =>
      Math.min(hub.distanceMm(x, y, z), ...fins.map((distance) => distance(x, y, z)));
    const part = turnedBody({ ...hub, distanceMm }, [7, 12, 4]);
    const measure = async (cupping: number) => {
      const rendered = renderPart(
        { body: part, edgesMm: 0, pores: [], phases: [] },
        [44, 44, 32],
        [1, 1, 1],
        0.6,
      );
      const scan = impairPart(rendered, { contrastToNoise: 20, seed: 3, cupping });
      const { dataObjects } = await runOnJudgedScan('createMesh', scan, pool);
      const { volumeMm3, uncertainties } = dataObjects[0].metadata;
      const truth = rendered.volumeMm3;
      return {
        error: Math.abs((volumeMm3 ?? 0) / truth - 1),
        expanded: (uncertainties?.volumeMm3?.expanded ?? 1) / truth,
      };
    };
    const [good, cupped] = [await measure(0), await measure(0.35)];
    expect(good.error).toBeLessThan(good.expanded);
    expect(good.expanded).toBeLessThan(0.015);
    expect(cupped.error).toBeGreaterThan(0.03);
    expect(cupped.error).toBeLessThan(cupped.expanded);
    expect(cupped.expanded).toBeLessThan(3 * cupped.error);
  });

  it('includes what simplification to few triangles takes from it', async () => {
    const rendered = renderPart({ body, edgesMm: 0, pores: [], phases: [] }, [40, 40, 40], [1, 1, 1], 0.6);
    const scan = impairPart(rendered, { contrastToNoise: 20, seed: 3 });
    const measure = async (parameters: object) => {
      const { dataObjects } = await runOnJudgedScan('createMesh', scan, pool, parameters);
      const { volumeMm3, areaMm2, uncertainties } = dataObjects[0].metadata;
      return [
        { error: Math.abs((volumeMm3 ?? 0) - rendered.volumeMm3), ...uncertainties?.volumeMm3 },
        { error: Math.abs(areaMm2 - body.areaMm2), ...uncertainties?.areaMm2 },
      ].map(({ error, expanded = 0 }) => ({ error, expanded }));
    };
    const [whole, coarse] = [await measure({}), await measure({ targetTriangles: 120 })];
    for (const [i, { error, expanded }] of coarse.entries()) {
      expect(error).toBeGreaterThan(whole[i]?.expanded ?? error);
      expect(error).toBeLessThan(expanded);
      expect(expanded).toBeLessThan(1.2 * error + 2 * (whole[i]?.expanded ?? 0));
    }
  });

  it('includes air in gaps that the surface does not show', async () => {
    const [good, gaps] = [await measureVolume({}), await measureVolume({}, { faintGapShare: 0.004 })];
    expect(gaps.expanded).toBeGreaterThan(1.5 * 0.004 * body.volumeMm3);
    expect(gaps.expanded).toBeLessThan(1.5 * 0.004 * body.volumeMm3 + (good.expanded ?? 0));
  });

  it('is hardly wider with a linear trend of grey values, which local levels follow', async () => {
    const good = await measureVolume({});
    for (const uneven of [{ ramp: 0.4 }, { drift: 0.3 }]) {
      const found = await measureVolume(uneven);
      expect(found.error).toBeLessThan(found.expanded ?? 0);
      expect(found.expanded).toBeLessThan(1.4 * (good.expanded ?? 0));
    }
  });

  it('extends to the surface position indicated by the grey values right beside the edges', async () => {
    const good = await measureVolume({});
    const hardened = await measureVolume({}, {}, { rim: 0.3 });
    expect(hardened.error).toBeGreaterThan(good.expanded ?? 0);
    expect(hardened.error).toBeLessThan(hardened.expanded ?? 0);
    expect(hardened.expanded).toBeLessThan(4 * hardened.error);
  });

  it('is not wider with a denser core away from the surface', async () => {
    const good = await measureVolume({});
    const cored = await measureVolume({}, {}, { core: 0.5 });
    expect(cored.error).toBeLessThan(cored.expanded ?? 0);
    expect(cored.expanded).toBeLessThan(4 * (good.expanded ?? 0));
  });

  it('includes the effect of noise clipped at the lowest grey value, but not that of filters beside the edges', async () => {
    for (const seed of [3, 11, 12]) {
      const noisy = await measureVolume({ contrastToNoise: 3.6, seed });
      expect(noisy.error).toBeLessThan(noisy.expanded ?? 0);
      expect(noisy.expanded).toBeLessThan(0.025 * body.volumeMm3);
    }
  });

  it('is not wider with a texture that does not show beside the edges', async () => {
    const good = await measureVolume({});
    const textured = await measureVolume({}, { texture: 0.08 });
    // The ball's grey values are uniform as far as noise allows to see.
    expect(textured.error).toBeLessThan(textured.expanded ?? 0);
    expect(textured.expanded).toBeGreaterThanOrEqual(good.expanded ?? 0);
    expect(textured.expanded).toBeLessThan(0.25 * (2 * 0.85 * 1.67 * 0.08 * good.areaMm2));
  });

  it('includes edges moved inward by blur in the radiographs, and is missing where that shift is unknown', async () => {
    const inward = 0.2;
    const moved = await measureVolume({}, { viewDoubts: ['EDGES_INWARD'], edgesInwardVoxels: inward });
    // The estimate is an upper limit.
    expect(moved.expanded).toBeGreaterThan(0.8 * inward * moved.areaMm2);
    expect(moved.expanded).toBeLessThan(1.2 * inward * moved.areaMm2);
    expect((await measureVolume({}, { viewDoubts: ['EDGES_INWARD'] })).expanded).toBeUndefined();
    const withoutRings = await measureVolume({}, { viewDoubts: ['RINGS_REMOVED'] });
    expect(withoutRings.expanded).toBeGreaterThan(0.05 * (withoutRings.areaMm2 ?? 0));
  });

  it('exists without an edge to measure blur and with hardly any noise to measure its correlation, and allows for both', async () => {
    const good = await measureVolume({});
    const unseen = await measureVolume({}, { blurVoxels: null });
    expect(unseen.expanded).toBeGreaterThanOrEqual(good.expanded ?? 0);
    const grainy = await measureVolume({}, { noiseGrain: 2.2, contrastToNoise: 50 });
    expect(grainy.expanded).toBeGreaterThan(good.expanded ?? 0);
    expect((await measureVolume({}, { noiseGrain: 2.2 })).expanded).toBeUndefined();
  });

  it('exists for walls of five voxels, which determine their own level, without a warning that nothing does', async () => {
    const block = turnedBody(box([26, 24, 5]), [20, 30, 10]);
    const told = await measureBlock(block, 2);
    const expanded = told.uncertainties?.volumeMm3?.expanded;
    expect(told.fullShare).toBeLessThan(0.22);
    expect(told.codes).not.toContain('SCAN_FEW_DEEP');
    expect(Math.abs((told.volumeMm3 ?? 0) - told.truth)).toBeLessThan(expanded ?? 0);
    expect(expanded).toBeLessThan(0.03 * told.truth);
    // Walls of a voxel and a half do not.
    const { uncertainties, codes } = await measureBlock(turnedBody(box([26, 24, 1.5]), [20, 30, 10]), 1);
    expect(codes).toContain('SURFACE_LEVEL');
    expect(uncertainties).toEqual({});
  });

  it('includes the effect of blur on walls of three voxels, whose warning then invalidates nothing', async () => {
    const { volumeMm3, truth, uncertainties, warnings } = await measureBlock(
      turnedBody(box([26, 24, 3.4]), [20, 30, 10]),
      2,
    );
    const expanded = uncertainties?.volumeMm3?.expanded;
    expect(Math.abs((volumeMm3 ?? 0) - truth)).toBeLessThan(expanded ?? 0);
    expect(expanded).toBeLessThan(0.05 * truth);
    const thin = warnings.find(({ code }) => code === 'SCAN_THIN_WALLS');
    expect(thin).toBeDefined();
    expect(thin?.invalidates).not.toBe(true);
  });

  it('holds what blur takes from the rims of a plate of four voxels, which shows no clear edge', async () => {
    const plate = turnedBody(box([28, 22, 4]), [8, 12, 5]);
    const { volumeMm3, truth, uncertainties } = await measureBlock(plate, 3, 1);
    const expanded = uncertainties?.volumeMm3?.expanded ?? 0;
    expect(Math.abs((volumeMm3 ?? 0) - truth)).toBeLessThan(Math.min(expanded, 0.015 * truth));
    expect(expanded).toBeLessThan(0.035 * truth);
  });

  it('holds the truth for a tube of five voxels in which blur darkens even the deepest places', async () => {
    const tube = turnedBody(hollowCylinder(12, 7, 22), [8, 12, 5]);
    const { volumeMm3, truth, uncertainties } = await measureBlock(tube, 3, 1.2, 10);
    const expanded = uncertainties?.volumeMm3?.expanded ?? 0;
    expect(Math.abs((volumeMm3 ?? 0) - truth)).toBeLessThan(Math.min(expanded, 0.02 * truth));
    expect(expanded).toBeLessThan(0.05 * truth);
  });

  it('is missing if the scan does not show how far off its surface is', async () => {
    const { expanded } = await measureVolume({ saturation: 0.7 });
    expect(expanded).toBeUndefined();
  });
});

it.each([
  ['no smoothing', { smoothing: 0 }],
  ['a given smoothing', { smoothing: 1 }],
  ['a median filter', { noiseFilter: 'median' }],
])('after %s the intervals include the rounding of curved faces', async (_, parameters) => {
  const ball = sphere(9);
  const rendered = renderPart(
    { body: ball, edgesMm: 0, pores: [], phases: [] },
    [30, 30, 30],
    [1, 1, 1],
    0.6,
  );
  const scan = impairPart(rendered, { contrastToNoise: 20, seed: 3 });
  const { metadata } = (await runOnJudgedScan('createMesh', scan, pool, parameters)).dataObjects[0];
  const { volumeMm3, areaMm2, uncertainties } = metadata;
  const ofVolume = (uncertainties?.volumeMm3?.expanded ?? 0) / ball.volumeMm3;
  const lost = 1 - (volumeMm3 ?? 0) / ball.volumeMm3;
  expect(lost).toBeGreaterThan(0.015);
  expect(lost).toBeLessThan(ofVolume);
  expect(ofVolume).toBeLessThan(2 * lost);
  expect(Math.abs(areaMm2 / ball.areaMm2 - 1)).toBeLessThan(
    (uncertainties?.areaMm2?.expanded ?? 0) / ball.areaMm2,
  );
});
