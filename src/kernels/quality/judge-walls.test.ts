/** Thin walls, narrow gaps, skins and several materials. */
import { describe, expect, it } from 'vitest';
import { blurVolume } from '../testing/blur.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, turnedBody } from '../testing/bodies.ts';
import { carve } from '../testing/carve.ts';
import {
  compoundPart,
  lattice,
  type Part,
  plainPart,
  porousPart,
  randomPart,
} from '../testing/families/bodies.ts';
import { impairPart } from '../testing/families/impair.ts';
import { gear, pinInRing, skinnedBlock, stackedBlocks } from '../testing/families/machined-parts.ts';
import { addGrain } from '../testing/impaired-scans.ts';
import { judge, judgeBody, judgePart, render } from '../testing/judge-volume.ts';
import { renderBody } from '../testing/render-body.ts';

describe('of walls and materials', () => {
  it.each([1, 1.5, 2, 2.5, 3, 3.5])('a wall of %d voxels is thin in any orientation', async (thickness) => {
    for (const plate of [box([44, 40, thickness]), turnedBody(box([44, 40, thickness]), [21, 14, 33])]) {
      const { thinnestWallVoxels, thinShare } = await judgeBody(movedBody(plate, [0.13, 0.27, 0.41]));
      expect(thinnestWallVoxels ?? 9).toBeLessThan(4);
      if (thickness >= 2) expect(Math.abs((thinnestWallVoxels ?? 0) - thickness)).toBeLessThan(0.6);
      expect(thinShare).toBeGreaterThan(0.5);
    }
  });

  it.each([5, 6])('a wall of %d voxels is not', async (thickness) => {
    for (const plate of [box([44, 40, thickness]), turnedBody(box([44, 40, thickness]), [21, 14, 33])]) {
      expect((await judgeBody(movedBody(plate, [0.13, 0.27, 0.41]))).thinnestWallVoxels).toBeNull();
    }
  });

  it('finds a metal pin that sticks out of plastic, with too few blocks to be surrounded by its own kind', async () => {
    const pin = movedBody(hollowCylinder(5, 0, 40), [0, 0, 6]);
    const block = box([30, 28, 24]);
    const plastic: Body = {
      ...block,
      distanceMm: (x, y, z) => Math.max(block.distanceMm(x, y, z), -pin.distanceMm(x, y, z)),
    };
    const whole: Body = {
      ...turnedBody(pin, [0, 0, 0]),
      distanceMm: (x, y, z) => Math.min(block.distanceMm(x, y, z), pin.distanceMm(x, y, z)),
      boundsMm: { min: [-15, -14, -14], max: [15, 14, 26] },
    };
    const turn = (each: Body) => turnedBody(each, [21, 14, 33]);
    const { materials } = await judge(
      impairPart(
        render({ ...plainPart(1), body: turn(whole), phases: [{ body: turn(plastic), share: 0.3 }] }),
        { contrastToNoise: 20 },
      ),
    );
    expect(materials).toHaveLength(2);
  });

  it.each([
    [0.31, 21],
    [0.31, 10],
    [0.2, 36],
    [0.13, 8],
  ])('both materials are found in plastic of %d with %d percent of metal', async (plastic, percent) => {
    const volume = renderBody(box([64, 64, 64]), {
      ...{ dimensions: [88, 88, 88], voxelSizeMm: [1, 1, 1], dataType: 'float32' },
      material: 8000 + 32_000 * plastic,
    });
    const edge = Math.cbrt((64 ** 3 * percent) / 100);
    carve(volume, [movedBody(box([edge, edge, edge]), [3, 5, 2])], 40_000);
    blurVolume(volume, 0.6);
    addGrain(volume, 1600, 0, 5);
    const { materials, airGrey, bareShare } = await judge(volume);
    // The metal lies inside of the plastic, at least four voxels deep.
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
  ])(
    'metal that fills hardly any block is detected as %s in plastic, and is not a ring',
    async (_, metal) => {
      const volume = renderBody(box([64, 64, 60]), {
        ...{ dimensions: [88, 88, 88], voxelSizeMm: [1, 1, 1], dataType: 'float32', material: 13_000 },
      });
      carve(volume, metal, 40_000);
      blurVolume(volume, 0.6);
      addGrain(volume, 250, 0, 5);
      const { materials, rings } = await judge(volume);
      expect(materials.map(({ grey }) => Math.round(grey / 1000))).toEqual([13, expect.closeTo(40, -1)]);
      expect(rings ?? 0).toBeLessThan(0.04);
    },
  );

  it('the share of the surface with bare denser material is measured', async () => {
    const volume = renderBody(movedBody(box([30, 30, 30]), [-20, 0, 0]), {
      ...{ dimensions: [88, 88, 88], voxelSizeMm: [1, 1, 1], dataType: 'float32', material: 18_000 },
    });
    carve(volume, [movedBody(box([30, 30, 30]), [20.3, 0.2, 0.4])], 40_000);
    blurVolume(volume, 0.6);
    addGrain(volume, 1600, 0, 5);
    expect(Math.abs(((await judge(volume)).bareShare ?? 0) - 0.5)).toBeLessThan(0.1);
    expect((await judgePart({})).bareShare).toBeNull();
  });

  it('struts are too thin to be full of material, and a massive part is not', async () => {
    const struts = await judge(impairPart(render(lattice(2.6, 15, 3)), { contrastToNoise: 20 }));
    expect(struts.fullShare ?? 1).toBeLessThan(0.15);
    expect((await judgePart({})).fullShare ?? 0).toBeGreaterThan(0.5);
  });
});

describe('of thin walls around a hollow', () => {
  it('there are no rings, and the walls are detected although they lie near the border', async () => {
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

it('gaps of a voxel and dense skins are detected; wide gaps, pores and inserts are not', async () => {
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

/** The edge then has two steps, more than blur makes of one, or haze. */
it('a layer of a lighter material around a denser one is detected', async () => {
  for (const [layer, core] of [
    [1.5, 4],
    [2, 3],
    [3, 1.5],
    [4, 4],
  ] as const) {
    const { doubleShare, haze } = await judge(
      impairPart(render(skinnedBlock(layer, core, 4)), { contrastToNoise: 20 }),
    );
    expect((doubleShare ?? 0) > 0.5 || (haze ?? 0) > 0.01, `${layer} voxels on ${core}`).toBe(true);
  }
  // A quarter of the grey value over 1.5 voxels is the faintest case.
  const faint = impairPart(render(skinnedBlock(1.5, 4, 90850)), { contrastToNoise: 20, seed: 90850 });
  expect((await judge(faint)).doubleShare).toBeGreaterThan(0.5);
  // With half of the grey value, the edge rises in two steps of the same height.
  const half = impairPart(render(skinnedBlock(2, 2, 11)), { contrastToNoise: 20, seed: 11 });
  expect((await judge(half)).doubleShare).toBe(1);
  for (const blur of [0.3, 0.6, 1, 1.5]) {
    for (const other of [gear(20, 3, 2), randomPart(5), plainPart(9)]) {
      const { doubleShare } = await judge(
        impairPart(render(other, blur), { contrastToNoise: 20, cupping: 0.2 }),
      );
      expect(doubleShare ?? 0).toBeLessThan(0.2);
    }
  }
});

it('fibres in a lighter material do not count as gaps', async () => {
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

it('the smallest visible void grows with blur and filtering, and thin features are measured', async () => {
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
