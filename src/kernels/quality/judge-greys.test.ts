/** Rings, and operations on grey values: filters, curves, haze, clipping, blur. */
import { describe, expect, it } from 'vitest';
import type { Volume } from '../grid/volume.ts';
import { box, movedBody, sphere, turnedBody } from '../testing/bodies.ts';
import { part, plainPart, porousPart, randomPart } from '../testing/families/bodies.ts';
import { addHaze, bendGreys, roundGreys } from '../testing/families/change-greys.ts';
import { filterMedian } from '../testing/families/edge-filters.ts';
import { type Impairments, impairPart } from '../testing/families/impair.ts';
import { doubleScan } from '../testing/families/move-slices.ts';
import { judge, judgePart, render } from '../testing/judge-volume.ts';

/** Blurs 64 planes of 64 × 64 cells. */
function blurAlongZ(heights: Float32Array, deviation: number): Float32Array {
  const reach = Math.ceil(4 * deviation);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-(((i - reach) / deviation) ** 2) / 2),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return heights.map((_, at) => {
    const z = Math.floor(at / 4096);
    const sum = weights.reduce((all, weight, i) => {
      const plane = Math.min(63, Math.max(0, z + i - reach));
      return all + weight * heights[at + (plane - z) * 4096];
    }, 0);
    return sum / total;
  });
}

describe('of rings', () => {
  it('stronger rings give a larger index', async () => {
    const amounts: number[] = [];
    for (const rings of [0, 0.05, 0.16, 0.3, 0.55]) amounts.push((await judgePart({ rings })).rings ?? -1);
    expect(amounts[0]).toBeLessThan(0.01);
    expect(amounts[1]).toBeGreaterThan(0.015);
    expect(amounts[2]).toBeGreaterThan(0.07);
    expect(amounts[3]).toBeGreaterThan(0.14);
    expect(amounts[4]).toBeGreaterThan(0.2);
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
  });

  it('rings around another axis, and half rings, count like those around the centre', async () => {
    const rendered = render(plainPart(4));
    for (const height of [0.15, 0.4]) {
      const wanted = (await judgePart({ rings: height })).rings ?? 0;
      for (const rings of [
        { height, offAxis: 17 },
        { height, isHalf: true },
      ]) {
        const volume = impairPart(rendered, { contrastToNoise: 20, rings });
        expect((await judge(volume)).rings ?? 0, `height ${height}`).toBeGreaterThan(0.25 * wanted);
      }
    }
  });
});

it('material that ends at voxels without a value is cut there, unlike air', async () => {
  const volume = impairPart(render(part(box([40, 36, 30]))), { contrastToNoise: 20 });
  const judgeWithout = async (isLost: (x: number, y: number) => boolean, value: number) => {
    const data = Float32Array.from(volume.data, (grey, i) =>
      isLost((i % 64) - 31.5, (Math.floor(i / 64) % 64) - 31.5) ? value : grey,
    );
    return (await judge({ ...volume, dataType: 'float32', data })).border;
  };
  expect(await judgeWithout((x, y) => Math.hypot(x, y) > 31, Number.NaN)).toEqual([]);
  expect(await judgeWithout((x) => x > 8, Number.NaN)).toEqual(['x+']);
  const hole = await judgeWithout((x, y) => Math.abs(x) < 7 && Math.abs(y) < 7, Number.NEGATIVE_INFINITY);
  expect(hole).toEqual(['x-', 'x+', 'y-', 'y+']);
});

it('filtered noise is detected, also when streaks extend along an axis', async () => {
  const rendered = render(porousPart(4), 0.6);
  const measureGrain = async (impairments: Impairments, process = (volume: Volume) => volume) =>
    (await judge(process(impairPart(rendered, { contrastToNoise: 10, ...impairments })))).evenGrain ?? 0;
  expect(Math.abs((await measureGrain({})) - 1)).toBeLessThan(0.2);
  expect(Math.abs((await measureGrain({ rings: { height: 0.06 } })) - 1)).toBeLessThan(0.25);
  expect(await measureGrain({}, (volume) => filterMedian(volume, 1))).toBeGreaterThan(2.5);
});

it('edges that rise in two steps are detected, blurred ones are not', async () => {
  for (const [body, by] of [
    [turnedBody(box([30, 26, 28]), [8, 5, 12]), [4, 0]],
    [sphere(19.3), [0, 5]],
  ] as const) {
    const scan = impairPart(render(part(body)), { contrastToNoise: 1e4 });
    expect((await judge(doubleScan(scan, [0, 0], 1600, 2))).doubleShare).toBeLessThan(0.1);
    expect((await judge(doubleScan(scan, by, 1600, 2))).doubleShare).toBeGreaterThan(0.6);
  }
});

it('a ghost of the part beside it is detected, one-sided effects at all faces are not', async () => {
  for (const ghosted of [plainPart(9003), randomPart(9002), porousPart(9001)]) {
    const rendered = render(ghosted);
    const scan = impairPart(rendered, { contrastToNoise: 1e4 });
    for (const share of [0.15, 0.3])
      expect((await judge(doubleScan(scan, [4, 1], 1600, 2, share))).doubleShare).toBeGreaterThan(0.3);
    // Haze and cupping lie before rising edges and behind falling ones.
    const hazed = addHaze(impairPart(rendered, { contrastToNoise: 20 }), 0.2, 3);
    const cupped = impairPart(rendered, { contrastToNoise: 20, cupping: 0.3, ramp: 0.4 });
    for (const other of [hazed, cupped, doubleScan(scan, [0, 0], 1600, 2)])
      expect((await judge(other)).doubleShare).toBeLessThan(0.2);
  }
});

it('grey values that passed a curve, or were rounded, are detected by their noise', async () => {
  const rendered = render(plainPart(3));
  for (const contrastToNoise of [10, 25]) {
    const scan = impairPart(rendered, { contrastToNoise });
    const plain = await judge(scan);
    expect(plain).toMatchObject({ greyShift: 0, lostSlices: 0 });
    expect(plain.greyStep).toBeLessThan(0.001);
    expect((await judge(bendGreys(scan, 0.65))).greyShift).toBeLessThan(-0.06);
    expect((await judge(bendGreys(scan, 1.4))).greyShift).toBeGreaterThan(0.06);
    expect((await judge(roundGreys(scan, 16))).greyStep).toBeGreaterThan(0.1);
  }
  // Half of the noise of air is missing.
  const cut = impairPart(rendered, { contrastToNoise: 20, floor: 0.02 });
  expect((await judge(cut)).greyShift).toBeGreaterThan(0.1);
});

it('haze beside the part is detected, blur is not', async () => {
  for (const blur of [0.4, 1.2]) {
    const scan = impairPart(render(porousPart(4), blur), { contrastToNoise: 20 });
    expect((await judge(scan)).haze).toBeLessThan(0.008);
    expect((await judge(addHaze(scan, 0.2, 4))).haze).toBeGreaterThan(0.03);
  }
});

it('a part with few flat faces shows as much haze as one with many', async () => {
  // Haze that ends within two voxels has nearly vanished where blur has faded.
  for (const seed of [73_000, 77_001]) {
    const scan = impairPart(render(seed % 2 ? randomPart(seed) : plainPart(seed)), {
      contrastToNoise: 20,
      seed,
    });
    expect((await judge(scan)).haze, `seed ${seed}`).toBeLessThan(0.008);
    expect((await judge(addHaze(scan, 0.2, 2))).haze, `seed ${seed}`).toBeGreaterThan(0.014);
  }
});

it('rough faces of a mask are not haze', async () => {
  const isMaterial = (x: number, y: number, z: number) =>
    Math.sin(x / 5) +
      Math.sin(y / 5) +
      Math.sin(z / 5) +
      (Math.sin(1.3 * x + 0.9 * y) * Math.sin(1.1 * z - y)) / 2 >
    0.3;
  const data = Uint8Array.from({ length: 64 ** 3 }, (_, at) =>
    isMaterial((at % 64) - 32, (Math.floor(at / 64) % 64) - 32, Math.floor(at / 4096) - 32) ? 200 : 0,
  );
  const mask = impairPart(render(plainPart(3)), {});
  expect((await judge({ ...mask, dataType: 'uint8', data })).haze ?? 0).toBeLessThan(0.008);
});

describe('of a blur', () => {
  it.each([0.6, 1.5, 2.3])('%s voxels are measured', async (blur) => {
    const alike = render(plainPart(1), blur);
    expect((await judge(impairPart(alike, { contrastToNoise: 40 }))).blurVoxels).toBeCloseTo(blur, 1);
  });

  it('a part with few flat faces is sufficient, also to detect a filter', async () => {
    for (const seed of [71_010, 76_030, 71_030]) {
      const scan = impairPart(render(plainPart(seed)), { contrastToNoise: 10, seed });
      const { blurVoxels } = await judge(scan);
      expect(Math.abs((blurVoxels ?? 0) - 0.6), `seed ${seed}`).toBeLessThan(0.15);
      const filtered = await judge(filterMedian(scan, 2));
      // A filter that blurs edges this much would not leave such noise.
      expect(filtered.evenGrain).toBeGreaterThan(1 + 2.5 * (filtered.blurVoxels ?? 2) ** 2);
    }
  });

  it('is measured along one axis', async () => {
    const block = { body: movedBody(box([36, 34, 30]), [0.3, 0.1, 0.4]), edgesMm: 0, pores: [], phases: [] };
    const sharp = render(block, 0.3);
    for (const blur of [0.6, 1.5, 2.3]) {
      const heights = blurAlongZ(sharp.heights, blur);
      const { blurVoxels } = await judge(impairPart({ ...sharp, heights }, { contrastToNoise: 40 }));
      expect(Math.abs((blurVoxels ?? 0) / Math.hypot(blur, 0.3) - 1), `of ${blur}`).toBeLessThan(0.15);
    }
  });
});

it('clipped air is detected, not in a scan without noise or with noise in air', async () => {
  const rendered = render(plainPart(5));
  const isCut = async (impairments: Impairments) => (await judge(impairPart(rendered, impairments))).isAirCut;
  expect(await isCut({ contrastToNoise: 20, floor: 0.2 })).toBe(true);
  expect(await isCut({ contrastToNoise: 8, floor: 0.4 })).toBe(true);
  expect(await isCut({ contrastToNoise: 20, floor: 0 })).toBe(false);
  expect(await isCut({ contrastToNoise: 20 })).toBe(false);
  expect(await isCut({})).toBe(false);
});
