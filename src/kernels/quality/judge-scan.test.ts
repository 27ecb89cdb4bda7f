import { describe, expect, it } from 'vitest';
import type { Vector3, Volume } from '../grid/volume.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, torus, turnedBody } from '../testing/bodies.ts';
import { lattice, part, union } from '../testing/families/bodies.ts';
import { filledBlock, without } from '../testing/families/flawed-parts.ts';
import { impairPart } from '../testing/families/impair.ts';
import { renderPart } from '../testing/families/render-part.ts';
import { addGrain, impairedScan } from '../testing/impaired-scans.ts';
import {
  channelled,
  judge,
  judgeBody,
  judgePart,
  render,
  summarize,
  usual,
} from '../testing/judge-volume.ts';
import { renderBody } from '../testing/render-body.ts';
import { judgeScan } from './judge-scan.ts';

const { body, dimensions, holes } = channelled;

describe('of a scan', () => {
  it.each([20, 10, 5, 3, 2])(
    'a contrast-to-noise ratio of %d is measured within 3 %%',
    async (contrastToNoise) => {
      const found = await judgePart({ contrastToNoise });
      expect(found.hasContrast).toBe(true);
      expect((found.contrastToNoise ?? 0) / contrastToNoise).toBeGreaterThan(0.97);
      expect((found.contrastToNoise ?? 0) / contrastToNoise).toBeLessThan(1.03);
    },
  );

  it.each<[string, (x: number, y: number) => number]>([
    ['a ramp', (x) => x - 48],
    ['a stair', (x) => 100 * Math.floor(x / 16)],
    ['a step of two values', (x) => (x < 40 ? 0 : 255)],
    ['a wave', (x, y) => 1000 * Math.sin(x / 9) * Math.cos(y / 7)],
  ])('%s without noise has finite indices or none', async (_, grey) => {
    const dimensions: Vector3 = [96, 40, 30];
    const data = Int16Array.from({ length: 96 * 40 * 30 }, (_, i) => grey(i % 96, Math.floor(i / 96) % 40));
    const directions: Volume['directions'] = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    const grid = {
      dimensions,
      voxelSizeMm: [1, 1, 1] as Vector3,
      originMm: [0, 0, 0] as Vector3,
      directions,
    };
    const found = await judge({ ...grid, dataType: 'int16', data }).catch(() => null);
    for (const value of Object.values(found ?? {}))
      if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
  });

  it('the contrast-to-noise ratio with correlated noise is measured within a tenth', async () => {
    const found = await judgePart({ contrastToNoise: 5, grain: 0.8 });
    expect(Math.abs((found.contrastToNoise ?? 0) - 5)).toBeLessThan(0.5);
  });

  it.each([0.05, 0.15, 0.35])('cupping of %d gives that much unevenness', async (cupping) => {
    const { unevenness, rings, gradient } = await judgePart({ cupping });
    expect(unevenness ?? 9).toBeGreaterThan(0.65 * cupping);
    expect(unevenness ?? 9).toBeLessThan(1.05 * cupping);
    expect(rings ?? 9).toBeLessThan(0.03);
    expect(gradient ?? 9).toBeLessThan(0.01);
  });

  it('blur and noise at ribs and ledges are not unevenness', async () => {
    const [outside, inside] = [box([42, 36, 26]), box([24, 18, 26])];
    const casting: Body = {
      ...outside,
      distanceMm: (x, y, z) => {
        const ribs = Math.min(Math.abs(x - 15 * Math.round(x / 15)), Math.abs(y - 15 * Math.round(y / 15)));
        const hollow = Math.max(inside.distanceMm(x, y, z - 9), -Math.max(ribs - 4.5, z - 5));
        return Math.max(outside.distanceMm(x, y, z), -hollow);
      },
    };
    const blocks = Array.from({ length: 10 }, (_, n) =>
      movedBody(box([24, 30, 4.52]), [n % 2 ? 1 : -1, n % 3 ? 1.5 : 0, (n + 0.5) * 4.5 - 22]),
    );
    for (const [other, blur, contrastToNoise, seed] of [
      [turnedBody(casting, [25, 40, 17.5]), 1, 5.2, 1],
      [union('stack', blocks), 0.6, 8, 2],
      [union('stack', blocks), 0.6, 16, 2],
    ] as const) {
      const rendered = render(part(other), blur);
      const { unevenness } = await judge(impairPart(rendered, { contrastToNoise, seed }));
      expect(unevenness ?? 0).toBeLessThan(0.02);
      const cupped = await judge(impairPart(rendered, { contrastToNoise: 40, cupping: 0.3 }));
      expect(cupped.unevenness).toBeGreaterThan(0.04);
    }
  });

  it.each([0.1, 0.25, 0.5])('a background that rises by %d is measured within a twentieth', async (ramp) => {
    const { gradient, unevenness } = await judgePart({ ramp });
    expect(Math.abs((gradient ?? 0) / ramp - 1)).toBeLessThan(0.05);
    expect(unevenness ?? 9).toBeLessThan(0.02);
  });

  it.each([0.6, 0.9, 1.2])('a blur of %d voxels is measured within a sixth', async (blur) => {
    const tilted = turnedBody(box([44, 36, 40]), [21, 14, 33]);
    const { blurVoxels } = await judge(impairedScan(tilted, [72, 72, 72], { blur, contrastToNoise: 20 }));
    expect(Math.abs((blurVoxels ?? 0) / blur - 1)).toBeLessThan(1 / 6);
  });

  it('the faces at which the part is cut are named', async () => {
    expect((await judgeBody(movedBody(box([30, 30, 60]), [0, 0, 24]))).border).toEqual(['z+']);
    expect((await judgeBody(movedBody(box([60, 30, 30]), [-24, 0, 0]))).border).toEqual(['x-']);
  });

  it('cells clipped at the highest grey value are counted', async () => {
    const volume = impairedScan(body, dimensions, { ...usual, contrastToNoise: 10 }, holes);
    for (let i = 0; i < volume.data.length; i++) volume.data[i] = Math.min(volume.data[i], 40_000);
    expect((await judge(volume)).saturatedShare).toBeGreaterThan(0.4);
    expect((await judgePart({})).saturatedShare).toBeLessThan(0.001);
  });

  it('the grain of correlated noise is measured, and white noise has none', async () => {
    expect((await judgePart({ contrastToNoise: 8, grain: 1.6 })).noiseGrain ?? 0).toBeGreaterThan(3);
    expect(Math.abs(((await judgePart({ contrastToNoise: 8 })).noiseGrain ?? 0) - 1)).toBeLessThan(0.2);
  });
});

describe('where it shows', () => {
  it('is a plane with marks for rings, lost slices and cut faces', async () => {
    const ring = (await judgePart({ rings: 0.3 })).places.rings;
    expect(ring?.axis).toBe('z');
    const radii = [9, 17.3, 24, 33.5];
    expect(Math.min(...radii.map((radius) => Math.abs(radius - (ring?.circleVoxels ?? 0))))).toBeLessThan(3);
    const volume = impairedScan(body, dimensions, usual, holes);
    const plane = dimensions[0] * dimensions[1];
    volume.data.fill(0, 30 * plane, 31 * plane);
    expect((await judge(volume)).places.lostSlices?.boxes).toEqual([[0, 30, 88, 31]]);
    const { cut, lostSlices } = (await judgeBody(movedBody(box([30, 30, 60]), [0, 0, 24]))).places;
    expect([cut?.axis, cut?.boxes[0]?.[3], lostSlices]).toEqual(['y', 72, undefined]);
  });
});

describe('of well scanned bodies', () => {
  it.each([
    ['box', box([40.3, 34.7, 29.1])],
    ['tilted box', turnedBody(box([40.3, 34.7, 29.1]), [21, 14, 33])],
    ['ball', sphere(26.3)],
    ['small ball', sphere(9)],
    ['tube', hollowCylinder(30, 13.7, 50)],
    ['torus', torus(24, 11)],
  ] as const)('nothing is reported for a %s', async (_name, clean) => {
    const found = await judgeBody(clean);
    expect(found).toMatchObject({ hasContrast: true, border: [], thinnestWallVoxels: null, lostSlices: 0 });
    expect(found.materials).toHaveLength(1);
    expect(found.contrastToNoise).toBeGreaterThan(15);
    expect(found.unevenness ?? 0).toBeLessThan(0.02);
    expect(found.rings ?? 0).toBeLessThan(0.02);
    expect(found.gradient ?? 0).toBeLessThan(0.02);
  });

  it('the end of a standing cylinder, half-way through a layer of blocks, is not a ring', async () => {
    expect((await judgeBody(hollowCylinder(22, 0, 44), [64, 64, 64])).rings ?? 1).toBeLessThan(0.02);
  });
});

it('a scan without noise has no contrast-to-noise ratio, and equal planes are not lost', async () => {
  for (const clean of [hollowCylinder(20, 12, 40), box([40, 32, 24])]) {
    expect(
      await judge(renderBody(clean, { dimensions: [52, 52, 52], voxelSizeMm: [1, 1, 1] })),
    ).toMatchObject({
      ...{ hasContrast: true, contrastToNoise: null, saturatedShare: 0, lostSlices: null, border: [] },
    });
  }
});

it('a scan whose air was mistaken for material, as beside dark fringes, is not judged', async () => {
  const struts = render(lattice(1.5, 18, 3), 0.8);
  const heights = struts.heights.map((height, at) =>
    height < 0.02 && Math.max(at % 64, Math.floor(at / 64) % 64, Math.floor(at / 4096)) < 16 ? -0.2 : height,
  );
  expect(await judgeScan(summarize(impairPart({ ...struts, heights }, { contrastToNoise: 40 })))).toBeNull();
});

it('a scan of too few voxels to determine its levels is not judged', async () => {
  const few = renderBody(box([18, 16, 14]), { dimensions: [26, 24, 22], voxelSizeMm: [1, 1, 1] });
  expect(await judgeScan(summarize(few))).toBeNull();
});

describe('of noise alone', () => {
  it.each([0, 0.8, 1.5, 3])('with a grain of %d voxels no contrast is found', async (grain) => {
    const volume = renderBody(movedBody(sphere(1), [500, 0, 0]), {
      ...{ dimensions: [72, 72, 72], voxelSizeMm: [1, 1, 1], dataType: 'float32' },
    });
    addGrain(volume, 100, grain, 5);
    expect((await judge(volume)).hasContrast).toBe(false);
  });
});

describe('of a scan filled by material', () => {
  const renderSmall = ({ body: block }: { body: Body }) =>
    renderPart({ body: block, edgesMm: 0, pores: [], phases: [] }, [56, 56, 56], [1, 1, 1], 0.6);

  it('the widest pores show air', async () => {
    const rendered = renderSmall(filledBlock(4));
    for (const contrastToNoise of [20, 6]) {
      const found = await judge(impairPart(rendered, { contrastToNoise }));
      expect(found).toMatchObject({ hasContrast: true, isFilled: true, gradient: null });
      expect(found.border).toHaveLength(6);
      expect(Math.abs(found.airGrey - 8000) / 32_000).toBeLessThan(0.04);
      expect(Math.abs((found.contrastToNoise ?? 0) / contrastToNoise - 1)).toBeLessThan(0.08);
    }
  });

  it('pores too small to show air give no contrast, and the scan is reported as filled', async () => {
    const pores = [-12, 0, 12].map((x) => movedBody(sphere(1.6), [x, x / 2, -x]));
    const found = await judge(
      impairPart(renderSmall({ body: without(box([99, 99, 99]), pores) }), { contrastToNoise: 25 }),
    );
    expect(found).toMatchObject({ hasContrast: false, isFilled: true });
  });

  it('a part with air around it is not one, nor is a part cut by the border', async () => {
    for (const size of [
      [30, 30, 30],
      [80, 80, 30],
    ] as const) {
      const [a, b, c] = size;
      expect((await judge(impairPart(renderSmall({ body: box([a, b, c]) }), {}))).isFilled).toBe(false);
    }
  });
});
