import { describe, expect, it } from 'vitest';
import type { Histogram } from '../grid/histogram.ts';
import type { SummarizedVolume } from '../grid/outliers.ts';
import { slabsOf, type Vector3, type Volume } from '../grid/volume.ts';
import { blurVolume } from '../testing/blur.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, torus, turnedBody } from '../testing/bodies.ts';
import { carve } from '../testing/carve.ts';
import {
  compoundPart,
  lattice,
  type Part,
  part,
  plainPart,
  porousPart,
  randomPart,
} from '../testing/families/bodies.ts';
import { addHaze, bendGreys, emptyColumn, roundGreys } from '../testing/families/change-greys.ts';
import { filterMedian } from '../testing/families/edge-filters.ts';
import { filledBlock, without } from '../testing/families/flawed-parts.ts';
import { type Impairments, impairPart } from '../testing/families/impair.ts';
import {
  gear,
  hollowBox,
  honeycomb,
  pinInRing,
  skinnedBlock,
  stackedBlocks,
  steppedShaft,
} from '../testing/families/machined-parts.ts';
import {
  doubleScan,
  joinScans,
  shakeSlices,
  swapSlices,
  swaySlices,
} from '../testing/families/move-slices.ts';
import { type RenderedPart, renderPart } from '../testing/families/render-part.ts';
import { addGrain, channelledCylinder, type Impairment, impairedScan } from '../testing/impaired-scans.ts';
import { renderBody } from '../testing/render-body.ts';
import { judgeScan } from './judge-scan.ts';
import type { ScanIndices } from './scan-indices.ts';

function summarized(volume: Volume): SummarizedVolume {
  const { data } = volume;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < data.length; i++) {
    low = Math.min(low, data[i]);
    high = Math.max(high, data[i]);
  }
  const counts = new Array<number>(1024).fill(0);
  for (let i = 0; i < data.length; i++)
    counts[Math.min(1023, Math.floor((1024 * (data[i] - low)) / (high - low)))]++;
  const histogram: Histogram = { min: low, max: high, counts };
  return { ...slabsOf(volume), range: [low, high], histogram };
}

async function judge(volume: Volume): Promise<ScanIndices> {
  const found = await judgeScan(summarized(volume));
  if (!found) throw new Error('nothing was judged');
  return found;
}

/** Of 64 planes of 64 × 64 cells. */
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

const usual: Impairment = { blur: 0.6, contrastToNoise: 20 };
const { body, dimensions, holes } = channelledCylinder();
const judged = new Map<string, Promise<ScanIndices>>();
/** The part with each impairment is judged once for all tests. */
function judgePart(impairment: Impairment): Promise<ScanIndices> {
  const all = { ...usual, ...impairment };
  const key = JSON.stringify(all);
  const indices = judged.get(key) ?? judge(impairedScan(body, dimensions, all, holes));
  judged.set(key, indices);
  return indices;
}
const render = (part: Part, blurVoxels = 0.6) => renderPart(part, [64, 64, 64], [1, 1, 1], blurVoxels);
const judgeBody = (other: Body, size: Vector3 = [72, 72, 72]) => judge(impairedScan(other, size, usual));

describe('of a scan', () => {
  it.each([20, 10, 5, 3, 2])('the contrast to noise of %d is told within 3 %%', async (contrastToNoise) => {
    const found = await judgePart({ contrastToNoise });
    expect(found.hasContrast).toBe(true);
    expect((found.contrastToNoise ?? 0) / contrastToNoise).toBeGreaterThan(0.97);
    expect((found.contrastToNoise ?? 0) / contrastToNoise).toBeLessThan(1.03);
  });

  it.each<[string, (x: number, y: number) => number]>([
    ['a ramp', (x) => x - 48],
    ['a stair', (x) => 100 * Math.floor(x / 16)],
    ['a step of two values', (x) => (x < 40 ? 0 : 255)],
    ['a wave', (x, y) => 1000 * Math.sin(x / 9) * Math.cos(y / 7)],
  ])('%s without noise has indices that are numbers or none', async (_, grey) => {
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

  it('the contrast to noise with a grain is told within a tenth', async () => {
    const found = await judgePart({ contrastToNoise: 5, grain: 0.8 });
    expect(Math.abs((found.contrastToNoise ?? 0) - 5)).toBeLessThan(0.5);
  });

  it.each([0.05, 0.15, 0.35])('cupping of %d shows as that much unevenness', async (cupping) => {
    const { unevenness, rings, gradient } = await judgePart({ cupping });
    expect(unevenness ?? 9).toBeGreaterThan(0.65 * cupping);
    expect(unevenness ?? 9).toBeLessThan(1.05 * cupping);
    expect(rings ?? 9).toBeLessThan(0.03);
    expect(gradient ?? 9).toBeLessThan(0.01);
  });

  it.each([0.1, 0.25, 0.5])('a background that rises by %d is told within a twentieth', async (ramp) => {
    const { gradient, unevenness } = await judgePart({ ramp });
    expect(Math.abs((gradient ?? 0) / ramp - 1)).toBeLessThan(0.05);
    expect(unevenness ?? 9).toBeLessThan(0.02);
  });

  it('rings are the larger the stronger they are', async () => {
    const amounts: number[] = [];
    for (const rings of [0, 0.05, 0.16, 0.3, 0.55]) amounts.push((await judgePart({ rings })).rings ?? -1);
    expect(amounts[0]).toBeLessThan(0.01);
    expect(amounts[1]).toBeGreaterThan(0.015);
    expect(amounts[2]).toBeGreaterThan(0.07);
    expect(amounts[3]).toBeGreaterThan(0.14);
    expect(amounts[4]).toBeGreaterThan(0.2);
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
  });

  it.each([0.6, 0.9, 1.2])('a blur of %d voxels is told within a sixth', async (blur) => {
    const tilted = turnedBody(box([44, 36, 40]), [21, 14, 33]);
    const { blurVoxels } = await judge(impairedScan(tilted, [72, 72, 72], { blur, contrastToNoise: 20 }));
    expect(Math.abs((blurVoxels ?? 0) / blur - 1)).toBeLessThan(1 / 6);
  });

  it.each([1, 1.5, 2, 2.5, 3, 3.5])(
    'a wall of %d voxels is thin, whichever way it lies',
    async (thickness) => {
      for (const plate of [box([44, 40, thickness]), turnedBody(box([44, 40, thickness]), [21, 14, 33])]) {
        const { thinnestWallVoxels, thinShare } = await judgeBody(movedBody(plate, [0.13, 0.27, 0.41]));
        expect(thinnestWallVoxels ?? 9).toBeLessThan(4);
        if (thickness >= 2) expect(Math.abs((thinnestWallVoxels ?? 0) - thickness)).toBeLessThan(0.6);
        expect(thinShare).toBeGreaterThan(0.5);
      }
    },
  );

  it.each([5, 6])('a wall of %d voxels is not', async (thickness) => {
    for (const plate of [box([44, 40, thickness]), turnedBody(box([44, 40, thickness]), [21, 14, 33])]) {
      expect((await judgeBody(movedBody(plate, [0.13, 0.27, 0.41]))).thinnestWallVoxels).toBeNull();
    }
  });

  it.each([
    [0.31, 21],
    [0.31, 10],
    [0.2, 36],
    [0.13, 8],
  ])('both materials are found in plastic of %d with %d %% of metal', async (plastic, percent) => {
    const volume = renderBody(box([64, 64, 64]), {
      ...{ dimensions: [88, 88, 88], voxelSizeMm: [1, 1, 1], dataType: 'float32' },
      material: 8000 + 32_000 * plastic,
    });
    const edge = Math.cbrt((64 ** 3 * percent) / 100);
    carve(volume, [movedBody(box([edge, edge, edge]), [3, 5, 2])], 40_000);
    blurVolume(volume, 0.6);
    addGrain(volume, 1600, 0, 5);
    const { materials, airGrey, bareShare } = await judge(volume);
    // The metal lies inside of the plastic, four voxels deep at the least.
    expect(bareShare).toBeLessThan(0.05);
    expect(materials.map(({ grey }) => Math.round((grey - airGrey) / 320) / 100)).toEqual([
      expect.closeTo(plastic, 1.5),
      expect.closeTo(1, 1.5),
    ]);
  });

  it.each([
    ['pins', [-20, -7, 6, 19].map((x) => movedBody(box([9, 9, 50]), [x, 2, 0]))],
    ['a round insert', [movedBody(hollowCylinder(8, 0, 44), [8, -5, 0])]],
    ['a ball', [movedBody(sphere(8), [3, 5, 2])]],
  ])('metal that fills hardly any place is seen as %s in plastic, and is no ring', async (_, metal) => {
    const volume = renderBody(box([64, 64, 60]), {
      ...{ dimensions: [88, 88, 88], voxelSizeMm: [1, 1, 1], dataType: 'float32', material: 13_000 },
    });
    carve(volume, metal, 40_000);
    blurVolume(volume, 0.6);
    addGrain(volume, 250, 0, 5);
    const { materials, rings } = await judge(volume);
    expect(materials.map(({ grey }) => Math.round(grey / 1000))).toEqual([13, expect.closeTo(40, -1)]);
    expect(rings ?? 0).toBeLessThan(0.04);
  });

  it('of a denser material that is bare the share of the surface is told', async () => {
    const volume = renderBody(movedBody(box([30, 30, 30]), [-20, 0, 0]), {
      ...{ dimensions: [88, 88, 88], voxelSizeMm: [1, 1, 1], dataType: 'float32', material: 18_000 },
    });
    carve(volume, [movedBody(box([30, 30, 30]), [20.3, 0.2, 0.4])], 40_000);
    blurVolume(volume, 0.6);
    addGrain(volume, 1600, 0, 5);
    expect(Math.abs(((await judge(volume)).bareShare ?? 0) - 0.5)).toBeLessThan(0.1);
    expect((await judgePart({})).bareShare).toBeNull();
  });

  it('the faces that the part is cut at are named', async () => {
    expect((await judgeBody(movedBody(box([30, 30, 60]), [0, 0, 24]))).border).toEqual(['z+']);
    expect((await judgeBody(movedBody(box([60, 30, 30]), [-24, 0, 0]))).border).toEqual(['x-']);
  });

  it('cells that are cut off at the highest grey value are counted', async () => {
    const volume = impairedScan(body, dimensions, { ...usual, contrastToNoise: 10 }, holes);
    for (let i = 0; i < volume.data.length; i++) volume.data[i] = Math.min(volume.data[i], 40_000);
    expect((await judge(volume)).saturatedShare).toBeGreaterThan(0.4);
    expect((await judgePart({})).saturatedShare).toBeLessThan(0.001);
  });

  it('slices that are empty or repeated are counted', async () => {
    const volume = impairedScan(body, dimensions, usual, holes);
    const plane = dimensions[0] * dimensions[1];
    volume.data.fill(0, 30 * plane, 31 * plane);
    volume.data.copyWithin(51 * plane, 50 * plane, 51 * plane);
    expect((await judge(volume)).lostSlices).toBe(2);
    expect((await judgePart({})).lostSlices).toBe(0);
  });

  it('a gap of any length is lost where the part is on both sides of it', async () => {
    const volume = impairedScan(body, dimensions, usual, holes);
    const plane = dimensions[0] * dimensions[1];
    volume.data.fill(0, 36 * plane, 50 * plane);
    expect((await judge(volume)).lostSlices).toBe(14);
  });

  it('rings about another axis, and half ones, show like those about the middle', async () => {
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

  it('the grain of noise is told, and that white noise has none', async () => {
    expect((await judgePart({ contrastToNoise: 8, grain: 1.6 })).noiseGrain ?? 0).toBeGreaterThan(3);
    expect(Math.abs(((await judgePart({ contrastToNoise: 8 })).noiseGrain ?? 0) - 1)).toBeLessThan(0.2);
  });

  it('struts are too thin to be full of material, and a massive part is not', async () => {
    const struts = await judge(impairPart(render(lattice(2.6, 15, 3)), { contrastToNoise: 20 }));
    expect(struts.fullShare ?? 1).toBeLessThan(0.15);
    expect((await judgePart({})).fullShare ?? 0).toBeGreaterThan(0.5);
  });
});

describe('where it shows', () => {
  it('is a plane and what to look at in it: rings, lost slices, cut faces', async () => {
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

describe('of thin walls around a hollow', () => {
  it('nothing is a ring, and they are told though they lie near the border', async () => {
    const [outer, inner] = [box([52, 48, 56]), box([46, 42, 50])];
    const walls: Body = {
      ...outer,
      distanceMm: (x, y, z) => Math.max(outer.distanceMm(x, y, z), -inner.distanceMm(x, y, z)),
    };
    const rendered = render({ body: walls, edgesMm: 0, pores: [], phases: [] });
    const { rings, thinnestWallVoxels } = await judge(impairPart(rendered, { contrastToNoise: 20 }));
    expect(rings ?? 0).toBeLessThan(0.02);
    expect(Math.abs((thinnestWallVoxels ?? 0) - 3)).toBeLessThan(0.3);
  });
});

describe('of bodies that are well scanned', () => {
  it.each([
    ['box', box([40.3, 34.7, 29.1])],
    ['tilted box', turnedBody(box([40.3, 34.7, 29.1]), [21, 14, 33])],
    ['ball', sphere(26.3)],
    ['small ball', sphere(9)],
    ['tube', hollowCylinder(30, 13.7, 50)],
    ['torus', torus(24, 11)],
  ] as const)('nothing is said about a %s', async (_name, clean) => {
    const found = await judgeBody(clean);
    expect(found).toMatchObject({ hasContrast: true, border: [], thinnestWallVoxels: null, lostSlices: 0 });
    expect(found.materials).toHaveLength(1);
    expect(found.contrastToNoise).toBeGreaterThan(15);
    expect(found.unevenness ?? 0).toBeLessThan(0.02);
    expect(found.rings ?? 0).toBeLessThan(0.02);
    expect(found.gradient ?? 0).toBeLessThan(0.02);
  });

  it('the end of a standing cylinder, half-way through a layer of blocks, is no ring', async () => {
    expect((await judgeBody(hollowCylinder(22, 0, 44), [64, 64, 64])).rings ?? 1).toBeLessThan(0.02);
  });
});

it('a scan without noise has no contrast to it, and planes that are alike are not lost', async () => {
  for (const clean of [hollowCylinder(20, 12, 40), box([40, 32, 24])]) {
    expect(
      await judge(renderBody(clean, { dimensions: [52, 52, 52], voxelSizeMm: [1, 1, 1] })),
    ).toMatchObject({
      ...{ hasContrast: true, contrastToNoise: null, saturatedShare: 0, lostSlices: null, border: [] },
    });
  }
});

it('slices that are brighter or darker than those near them are told, across which axis they may be', async () => {
  const rendered = render(plainPart(5));
  const judgeBands = async (impairments: Impairments) =>
    judge(impairPart(rendered, { contrastToNoise: 20, ...impairments }));
  for (const [period, axis] of [
    [4.8, 2],
    [12, 2],
    [2.5, 0],
    [16, 1],
  ] as const) {
    const { bands: found, places } = await judgeBands({ bands: { height: 0.1, period, axis } });
    expect(found).toBeGreaterThan(0.05);
    expect(found).toBeLessThan(0.11);
    // Seen from the side.
    expect(places.bands?.axis).not.toBe('xyz'[axis]);
  }
  for (const other of [
    {},
    { drift: 0.3 },
    { rings: { height: 0.2 } },
    { cupping: 0.3 },
    { contrastToNoise: 5 },
  ])
    expect((await judgeBands(other)).bands).toBeLessThan(0.02);
});

it('slices are told in walls of five voxels, and struts and cells of a honeycomb are none', async () => {
  const bandsOf = async (rendered: RenderedPart, impairments: Impairments) =>
    (await judge(impairPart(rendered, { contrastToNoise: 20, ...impairments }))).bands;
  const bands = { height: 0.12, period: 5.3 };
  const tube = render(hollowBox(5, 3, false));
  expect(await bandsOf(tube, { bands })).toBeGreaterThan(0.05);
  expect(await bandsOf(tube, {})).toBeLessThan(0.01);
  expect(await bandsOf(render(honeycomb(4, 9, 3)), {})).toBeLessThan(0.02);
  expect(await bandsOf(render(lattice(3.4, 15, 3)), {})).toBeLessThan(0.02);
});

it('gaps of a voxel and dense skins are told, and wide gaps, pores and inserts are none', async () => {
  const judgeRendered = (part: Part) => judge(impairPart(render(part), { contrastToNoise: 20 }));
  for (const narrow of [pinInRing(1, 4), stackedBlocks(1, 4)]) {
    const { gapShare, skin, places } = await judgeRendered(narrow);
    expect(gapShare).toBeGreaterThan(0.006);
    expect(skin).toBe(0);
    expect(places.narrowGaps?.boxes.length).toBeGreaterThan(0);
  }
  for (const skinned of [skinnedBlock(1.5, 0.5, 4), skinnedBlock(3, 0.25, 4)])
    expect((await judgeRendered(skinned)).skin).toBeGreaterThan(0.2);
  for (const other of [stackedBlocks(4, 4), porousPart(4), compoundPart(0.4, [1], 4), plainPart(2)]) {
    const { gapShare, skin } = await judgeRendered(other);
    expect(gapShare).toBeLessThan(0.004);
    expect(skin ?? 0).toBeLessThan(0.02);
  }
});

it('fibres in a lighter material leave no gaps between them', async () => {
  const pitch = 9;
  const off = (x: number) => x - pitch * Math.round(x / pitch);
  const fibres: Body = {
    ...box([30, 30, 30]),
    distanceMm: (x, y, z) => Math.max(Math.hypot(off(x), off(y)) - 3.2, Math.abs(z) - 15),
  };
  for (const share of [1.15, 1.25]) {
    const composite = { ...plainPart(3), body: box([40, 40, 40]), phases: [{ body: fibres, share }] };
    const { gapShare } = await judge(impairPart(render(composite), { contrastToNoise: 40 }));
    expect(gapShare).toBeLessThan(0.004);
  }
});

it('a scan whose air was taken for material, as beside dark fringes, is not judged', async () => {
  const struts = render(lattice(1.5, 18, 3), 0.8);
  const heights = struts.heights.map((height, at) =>
    height < 0.02 && Math.max(at % 64, Math.floor(at / 64) % 64, Math.floor(at / 4096)) < 16 ? -0.2 : height,
  );
  expect(await judgeScan(summarized(impairPart({ ...struts, heights }, { contrastToNoise: 40 })))).toBeNull();
});

it('noise that a filter evened out shows, whatever of it goes on along an axis', async () => {
  const rendered = render(porousPart(4), 0.6);
  const grainOf = async (impairments: Impairments, process = (volume: Volume) => volume) =>
    (await judge(process(impairPart(rendered, { contrastToNoise: 10, ...impairments })))).evenGrain ?? 0;
  expect(Math.abs((await grainOf({})) - 1)).toBeLessThan(0.2);
  expect(Math.abs((await grainOf({ rings: { height: 0.06 } })) - 1)).toBeLessThan(0.25);
  expect(await grainOf({}, (volume) => filterMedian(volume, 1))).toBeGreaterThan(2.5);
});

it('slices that are out of order or moved are told, whatever the blur', async () => {
  for (const blur of [0.3, 0.6]) {
    const scan = impairPart(render(porousPart(4), blur), { contrastToNoise: 20 });
    expect((await judge(scan)).sliceOrder).toBeGreaterThan(0);
    expect((await judge(swapSlices(scan))).sliceOrder).toBeLessThan(-0.35);
    expect((await judge(shakeSlices(scan, 1, 2))).sliceOrder).toBeLessThan(-0.35);
  }
});

it('edges that rise in two steps are told, and blurred ones are none', async () => {
  for (const [body, by] of [
    [turnedBody(box([30, 26, 28]), [8, 5, 12]), [4, 0]],
    [sphere(19.3), [0, 5]],
  ] as const) {
    const scan = impairPart(render(part(body)), { contrastToNoise: 1e4 });
    expect((await judge(doubleScan(scan, [0, 0], 1600, 2))).doubleShare).toBeLessThan(0.1);
    expect((await judge(doubleScan(scan, by, 1600, 2))).doubleShare).toBeGreaterThan(0.6);
  }
});

it('slices that sway are told, whatever the part', async () => {
  for (const [swayed, voxels, period] of [
    [randomPart(4), 0.5, 8],
    [part(sphere(19.3)), 1, 14],
  ] as const) {
    const scan = impairPart(render(swayed), { contrastToNoise: 1e4 });
    expect((await judge(swaySlices(scan, 0, 9, 1600, 2))).sway).toBeLessThan(0.3);
    expect((await judge(swaySlices(scan, voxels, period, 1600, 2))).sway).toBeGreaterThan(0.42);
  }
});

it('a gear that lies, with a tooth on one side where a gap is on the other, does not sway', async () => {
  for (const [teeth, depth, seed] of [
    [9, 5, 1],
    [9, 5, 5],
    [12, 4, 1],
    [7, 6, 1],
  ]) {
    const { sway } = await judge(impairPart(render(gear(teeth, depth, seed)), { contrastToNoise: 20, seed }));
    expect(sway, `${teeth} teeth, seed ${seed}`).toBe(0);
  }
  const swaying = swaySlices(impairPart(render(gear(16, 3, 2)), {}), 1, 11, 1600, 2);
  expect((await judge(swaying)).sway).toBeGreaterThan(0.42);
});

it('a thread along the slices, which turns, and a bent pipe do not sway', async () => {
  const shape = (distanceMm: Body['distanceMm']) => ({ ...hollowCylinder(20, 0, 44), distanceMm });
  const screw = shape((x, y, z) => {
    const turn = z / 8 - Math.atan2(y, x) / (2 * Math.PI);
    const depth = 3 * Math.abs(turn - Math.round(turn));
    return Math.max(Math.hypot(x, y) - 16 + depth, Math.abs(z) - 22);
  });
  const pipe = shape((x, y, z) => Math.max(Math.hypot(Math.hypot(x + 24, z) - 30, y) - 8, Math.abs(z) - 22));
  for (const body of [screw, pipe]) {
    const { sway } = await judge(impairPart(render(part(body)), { contrastToNoise: 20 }));
    expect(sway).not.toBeNull();
    expect(sway).toBeLessThan(0.1);
  }
});

it('a face between two slices of a sharp scan is no joint', async () => {
  const ends = [hollowCylinder(14, 0, 30), turnedBody(box([26, 22, 30]), [0, 0, 23])];
  for (const [n, body] of ends.entries())
    for (const blur of [0, 0.4, 0.5]) {
      const at: Vector3 = [0.5 * n, 0.5 * n, 0];
      const found = await judge(impairedScan(movedBody(body, at), [48, 48, 48], { ...usual, blur }));
      expect(found.seams).toEqual([]);
    }
});

it('a ledge between two slices of a scan that is sharper across than within them is no joint', async () => {
  for (const [seed, within, contrastToNoise] of [
    [1, 0.9, 8],
    [2, 1.4, 30],
  ]) {
    const seen = (part: Part) => renderPart(part, [64, 64, 64], [1, 1, 1], [within, within, 0.2]);
    const ledged = impairPart(seen(steppedShaft(seed)), { contrastToNoise });
    expect((await judge(ledged)).seams).toEqual([]);
    // What leans is told where it jumps, however sharp the scan is across slices.
    const joined = joinScans(impairPart(seen(plainPart(seed)), {}), 8, 1600);
    expect((await judge(joined)).seams).toEqual([24]);
  }
});

it('a mask, which has no blur anywhere, is no stack of joined scans', async () => {
  const size: Vector3 = [56, 56, 56];
  // Stairs at 45° have a step of 56 voxels between any two slices, and no flat face.
  const data = Uint8Array.from({ length: 56 ** 3 }, (_, i) =>
    Number(Math.abs((i % 56) - 27.5) + Math.abs(Math.floor(i / 3136) - 27.5) < 18),
  );
  const directions: Volume['directions'] = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const grid = {
    dimensions: size,
    voxelSizeMm: [1, 1, 1] as Vector3,
    originMm: [0, 0, 0] as Vector3,
    directions,
  };
  expect((await judge({ ...grid, dataType: 'uint8', data })).seams).toEqual([]);
});

it('where scans were joined, slices that are doubled or missing are told', async () => {
  const rendered = render(randomPart(1), 0.6);
  const quiet = impairPart(rendered, {});
  const noisy = (doubled: number) => judge(joinScans(quiet, doubled, 1600));
  expect(await noisy(0)).toMatchObject({ seams: [], lostSlices: 0 });
  for (const doubled of [16, 8, -12])
    expect(await noisy(doubled)).toMatchObject({ seams: [24], lostSlices: 0 });
  // What repeats its noise is a copy, and what has none may be a part that repeats itself.
  const copied = joinScans(impairPart(rendered, { contrastToNoise: 20 }), 12);
  expect((await judge(copied)).lostSlices).toBe(12);
  expect((await judge(joinScans(quiet, 12))).lostSlices).toBeNull();
});

it('grey values that went through a curve, or were rounded, are told by their noise', async () => {
  for (const contrastToNoise of [10, 25]) {
    const scan = impairPart(render(plainPart(3), 0.6), { contrastToNoise });
    expect(await judge(scan)).toMatchObject({ greyShift: 0, lostSlices: 0 });
    expect((await judge(scan)).greyStep).toBeLessThan(0.001);
    expect((await judge(bendGreys(scan, 0.65))).greyShift).toBeLessThan(-0.06);
    expect((await judge(bendGreys(scan, 1.4))).greyShift).toBeGreaterThan(0.06);
    expect((await judge(roundGreys(scan, 16))).greyStep).toBeGreaterThan(0.1);
  }
  // Half of the noise of air is missing.
  const cut = impairPart(render(plainPart(3), 0.6), { contrastToNoise: 20, floor: 0.02 });
  expect((await judge(cut)).greyShift).toBeGreaterThan(0.1);
});

it('haze beside the part is told, and blur is none', async () => {
  for (const blur of [0.4, 1.2]) {
    const scan = impairPart(render(porousPart(4), blur), { contrastToNoise: 20 });
    expect((await judge(scan)).haze).toBeLessThan(0.008);
    expect((await judge(addHaze(scan, 0.2, 4))).haze).toBeGreaterThan(0.03);
  }
});

it('rough faces of a mask are no haze', async () => {
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

it('a plane across x that holds nothing is told', async () => {
  const scan = impairPart(render(plainPart(3), 0.6), { contrastToNoise: 20 });
  expect((await judge(emptyColumn(scan))).lostSlices).toBe(1);
});

describe('of a blur', () => {
  it.each([0.6, 1.5, 2.3])('its %s voxels are told', async (blur) => {
    const alike = render(plainPart(1), blur);
    expect((await judge(impairPart(alike, { contrastToNoise: 40 }))).blurVoxels).toBeCloseTo(blur, 1);
  });

  it('along one axis its voxels are told', async () => {
    const block = { body: movedBody(box([36, 34, 30]), [0.3, 0.1, 0.4]), edgesMm: 0, pores: [], phases: [] };
    const sharp = render(block, 0.3);
    for (const blur of [0.6, 1.5, 2.3]) {
      const heights = blurAlongZ(sharp.heights, blur);
      const { blurVoxels } = await judge(impairPart({ ...sharp, heights }, { contrastToNoise: 40 }));
      expect(Math.abs((blurVoxels ?? 0) / Math.hypot(blur, 0.3) - 1), `of ${blur}`).toBeLessThan(0.15);
    }
  });
});

it('air that is cut off is told, and none that is quiet as a whole or has noise', async () => {
  const rendered = render(plainPart(5));
  const isCut = async (impairments: Impairments) => (await judge(impairPart(rendered, impairments))).isAirCut;
  expect(await isCut({ contrastToNoise: 20, floor: 0.2 })).toBe(true);
  expect(await isCut({ contrastToNoise: 8, floor: 0.4 })).toBe(true);
  expect(await isCut({ contrastToNoise: 20, floor: 0 })).toBe(false);
  expect(await isCut({ contrastToNoise: 20 })).toBe(false);
  expect(await isCut({})).toBe(false);
});

it('a scan of too few voxels for its levels to be told is not judged', async () => {
  const few = renderBody(box([18, 16, 14]), { dimensions: [26, 24, 22], voxelSizeMm: [1, 1, 1] });
  expect(await judgeScan(summarized(few))).toBeNull();
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

describe('of a block that material fills', () => {
  const renderSmall = ({ body: block }: { body: Body }) =>
    renderPart({ body: block, edgesMm: 0, pores: [], phases: [] }, [56, 56, 56], [1, 1, 1], 0.6);

  it('the widest pores tell air', async () => {
    const rendered = renderSmall(filledBlock(4));
    for (const contrastToNoise of [20, 6]) {
      const found = await judge(impairPart(rendered, { contrastToNoise }));
      expect(found).toMatchObject({ hasContrast: true, isFilled: true, gradient: null });
      expect(found.border).toHaveLength(6);
      expect(Math.abs(found.airGrey - 8000) / 32_000).toBeLessThan(0.04);
      expect(Math.abs((found.contrastToNoise ?? 0) / contrastToNoise - 1)).toBeLessThan(0.08);
    }
  });

  it('pores too small to show air are no contrast, and it is told as filled', async () => {
    const pores = [-12, 0, 12].map((x) => movedBody(sphere(1.6), [x, x / 2, -x]));
    const found = await judge(
      impairPart(renderSmall({ body: without(box([99, 99, 99]), pores) }), { contrastToNoise: 25 }),
    );
    expect(found).toMatchObject({ hasContrast: false, isFilled: true });
  });

  it('a part with air around it is none, nor is one that the scan cuts', async () => {
    for (const size of [
      [30, 30, 30],
      [80, 80, 30],
    ] as const) {
      const [a, b, c] = size;
      expect((await judge(impairPart(renderSmall({ body: box([a, b, c]) }), {}))).isFilled).toBe(false);
    }
  });
});

it('the smallest void that shows grows with blur and behind a filter, and thin features are told', async () => {
  const clean = await judgePart({});
  const [blurred, noisy] = [await judgePart({ blur: 1.2 }), await judgePart({ contrastToNoise: 5 })];
  expect(clean.smallestVoidVoxels).toBeGreaterThan(2.5);
  expect(clean.smallestVoidVoxels).toBeLessThan(3.3);
  expect(blurred.smallestVoidVoxels).toBeGreaterThan((clean.smallestVoidVoxels ?? 9) + 1.2);
  expect(noisy.smallestVoidVoxels).toBeGreaterThan((clean.smallestVoidVoxels ?? 9) + 1.2);
  expect(clean.featureVoxels).toBeNull();
  const plate = await judgeBody(movedBody(box([50, 46, 3]), [0.13, 0.27, 0.41]));
  expect(Math.abs((plate.featureVoxels ?? 0) - 3)).toBeLessThan(0.6);
});
