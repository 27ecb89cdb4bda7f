/** Slices: lost, repeated, moved, joined, or brighter than their neighbours. */
import { describe, expect, it } from 'vitest';
import type { Vector3, Volume } from '../grid/volume.ts';
import { blurVolume } from '../testing/blur.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, turnedBody } from '../testing/bodies.ts';
import {
  gyroid,
  lattice,
  type Part,
  part,
  plainPart,
  porousPart,
  randomPart,
  taper,
  union,
} from '../testing/families/bodies.ts';
import { emptyColumn } from '../testing/families/change-greys.ts';
import { type Impairments, impairPart } from '../testing/families/impair.ts';
import { gear, hollowBox, honeycomb, pipe, steppedShaft } from '../testing/families/machined-parts.ts';
import { joinScans, shakeSlices, swapRows, swapSlices, swaySlices } from '../testing/families/move-slices.ts';
import { type RenderedPart, renderPart } from '../testing/families/render-part.ts';
import { impairedScan } from '../testing/impaired-scans.ts';
import { channelled, judge, judgePart, render, usual } from '../testing/judge-volume.ts';

const { body, dimensions, holes } = channelled;

describe('of slices', () => {
  it('empty and repeated slices are counted', async () => {
    const volume = impairedScan(body, dimensions, usual, holes);
    const plane = dimensions[0] * dimensions[1];
    volume.data.fill(0, 30 * plane, 31 * plane);
    volume.data.copyWithin(51 * plane, 50 * plane, 51 * plane);
    expect((await judge(volume)).lostSlices).toBe(2);
    expect((await judgePart({})).lostSlices).toBe(0);
  });

  it('a gap of any length counts as lost when the part is on both sides of it', async () => {
    const volume = impairedScan(body, dimensions, usual, holes);
    const plane = dimensions[0] * dimensions[1];
    volume.data.fill(0, 36 * plane, 50 * plane);
    expect((await judge(volume)).lostSlices).toBe(14);
  });
});

it('slices brighter or darker than nearby ones are detected, across any axis', async () => {
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
    // Shown from the side.
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

it('bands are detected in walls of five voxels, but not in struts and honeycomb cells', async () => {
  const findBands = async (rendered: RenderedPart, impairments: Impairments) =>
    (await judge(impairPart(rendered, { contrastToNoise: 20, ...impairments }))).bands;
  const bands = { height: 0.12, period: 5.3 };
  const tube = render(hollowBox(5, 3, false));
  expect(await findBands(tube, { bands })).toBeGreaterThan(0.05);
  expect(await findBands(tube, {})).toBeLessThan(0.01);
  expect(await findBands(render(honeycomb(4, 9, 3)), {})).toBeLessThan(0.02);
  expect(await findBands(render(lattice(3.4, 15, 3)), {})).toBeLessThan(0.02);
});

it('round parts that swell have bands only when their slices do, regardless of blur', async () => {
  for (const [radius, by, period, blur] of [
    [15, 4, 16, 1.1],
    [12, 4, 20, 1.2],
  ] as const) {
    const swell: Body = {
      ...hollowCylinder(radius + by, 0, 46),
      distanceMm: (x, y, z) =>
        Math.max(Math.hypot(x, y) - radius - by * Math.sin((2 * Math.PI * z) / period), Math.abs(z) - 23),
    };
    const rendered = render(part(swell), blur);
    expect((await judge(impairPart(rendered, { contrastToNoise: 20 }))).bands).toBeLessThan(0.02);
    const banded = impairPart(rendered, { contrastToNoise: 20, bands: { height: 0.1, period: 5 } });
    expect((await judge(banded)).bands).toBeGreaterThan(0.05);
  }
});

it('misordered and moved slices are detected at any blur', async () => {
  for (const blur of [0.3, 0.6]) {
    const scan = impairPart(render(porousPart(4), blur), { contrastToNoise: 20 });
    expect((await judge(scan)).sliceOrder).toBeGreaterThan(0);
    expect((await judge(swapSlices(scan))).sliceOrder).toBeLessThan(-0.35);
    expect((await judge(shakeSlices(scan, 1, 2))).sliceOrder).toBeLessThan(-0.35);
  }
});

it('misordered rows and columns are detected and shown within a slice, sharpened edges are not', async () => {
  for (const blur of [0.3, 0.6]) {
    const scan = impairPart(render(randomPart(4), blur), { contrastToNoise: 20 });
    const sound = await judge(scan);
    expect(sound.places.slicesMoved?.axis).toBe('y');
    // Overshoot turns back beside an edge, by less than the edge continues.
    const blurred: Volume = { ...scan, dataType: 'float32', data: Float32Array.from(scan.data) };
    blurVolume(blurred, 1);
    const data = Float32Array.from(scan.data, (grey, at) => 2 * grey - blurred.data[at]);
    for (const { rowOrder, columnOrder } of [sound, await judge({ ...blurred, data })]) {
      expect(rowOrder).toBeGreaterThan(0);
      expect(columnOrder).toBeGreaterThan(0);
    }
    for (const [axis, name, other] of [
      [0, 'columnOrder', 'rowOrder'],
      [1, 'rowOrder', 'columnOrder'],
    ] as const) {
      const found = await judge(swapRows(scan, axis));
      expect(found[name]).toBeLessThan(-0.5);
      expect(found[other]).toBeGreaterThan(0);
      expect(found.places.slicesMoved?.axis).toBe('z');
    }
  }
});

it('one-voxel fins on a thick part do not count as misordered', async () => {
  const fins = [-18, -12, -6, 0, 6, 12, 18].map((x) => movedBody(box([1, 40, 20]), [x + 0.5, 0, 10]));
  const sink = part(union('heat sink', [movedBody(box([44, 42, 22]), [0, 0, -10.3]), ...fins]));
  const scan = impairPart(render(sink, 0.5), { contrastToNoise: 30 });
  expect((await judge(scan)).columnOrder).toBeGreaterThan(0);
  expect((await judge(swapRows(scan, 0))).columnOrder).toBeLessThan(-0.3);
});

it('swaying slices are detected in any part', async () => {
  for (const [swayed, voxels, period] of [
    [randomPart(4), 0.5, 8],
    [part(sphere(19.3)), 1, 14],
  ] as const) {
    const scan = impairPart(render(swayed), { contrastToNoise: 1e4 });
    expect((await judge(swaySlices(scan, 0, 9, 1600, 2))).sway).toBeLessThan(0.3);
    expect((await judge(swaySlices(scan, voxels, period, 1600, 2))).sway).toBeGreaterThan(0.42);
  }
});

it('a gear on its side, with teeth opposite gaps, does not sway', async () => {
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

const wavyRod = (across: number, period: number): Body => ({
  ...hollowCylinder(12, 0, 48),
  distanceMm: (x, y, z) => {
    const off = across * Math.sin((2 * Math.PI * z) / period);
    return Math.max(Math.hypot(x - off, y - 0.4 * off) - 12, Math.abs(z) - 24);
  },
});

it('a wavy rod, whose edges are wider where they lean, sways only when its slices do', async () => {
  for (const [across, period, contrastToNoise] of [
    [1.6, 12, 20],
    [2.5, 17, 9],
  ] as const) {
    const rendered = render(part(wavyRod(across, period)));
    expect((await judge(impairPart(rendered, { contrastToNoise, seed: 4 }))).sway).toBe(0);
    const swaying = swaySlices(impairPart(rendered, {}), 1, 10, 32_000 / contrastToNoise, 3);
    expect((await judge(swaying)).sway).toBeGreaterThan(0.42);
  }
});

it('a stack of offset blocks does not sway', async () => {
  for (const [by, high, contrastToNoise] of [
    [1.4, 6, 20],
    [1.2, 4.5, 10],
  ] as const) {
    const blocks = Array.from({ length: Math.floor(46 / high) }, (_, n) =>
      movedBody(box([30, 26, high + 0.02]), [n % 2 ? by : -by, (n * by) % 2, (n + 0.5) * high - 23]),
    );
    const scan = impairPart(render(part(union('stack', blocks))), { contrastToNoise, seed: 4 });
    expect((await judge(scan)).sway).toBe(0);
  }
});

it('a thread along the slices and a bent pipe do not sway', async () => {
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

it('a face between two slices of a sharp scan is not a seam', async () => {
  const ends = [hollowCylinder(14, 0, 30), turnedBody(box([26, 22, 30]), [0, 0, 23])];
  for (const [n, body] of ends.entries())
    for (const blur of [0, 0.4, 0.5]) {
      const at: Vector3 = [0.5 * n, 0.5 * n, 0];
      const found = await judge(impairedScan(movedBody(body, at), [48, 48, 48], { ...usual, blur }));
      expect(found.seams).toEqual([]);
    }
});

it('a ledge between two slices of a scan that is sharper across than within slices is not a seam', async () => {
  for (const [seed, within, contrastToNoise] of [
    [1, 0.9, 8],
    [2, 1.4, 30],
  ]) {
    const seen = (part: Part) => renderPart(part, [64, 64, 64], [1, 1, 1], [within, within, 0.2]);
    const ledged = impairPart(seen(steppedShaft(seed)), { contrastToNoise });
    expect((await judge(ledged)).seams).toEqual([]);
    // Leaning walls are detected where they jump, however sharp the scan is across slices.
    const joined = joinScans(impairPart(seen(plainPart(seed)), {}), 8, 1600);
    expect((await judge(joined)).seams).toEqual([24]);
  }
});

it('a ledge in the mid-plane of a cone beam, which blurs distant faces, is not a seam', async () => {
  const seen = (part: Part) => {
    const renderWith = (across: number) => renderPart(part, [64, 64, 64], [1, 1, 1], [0.8, 0.8, across]);
    const [middle, ends] = [renderWith(0.15), renderWith(2)];
    const plane = 64 * 64;
    // Blurred beyond 12 slices from the middle plane, where the part has no face.
    for (const [from, to] of [
      [0, 20],
      [44, 64],
    ])
      middle.heights.set(ends.heights.subarray(from * plane, to * plane), from * plane);
    return middle;
  };
  for (const lean of [0, 0.18]) {
    const shouldered: Body['distanceMm'] = (x, y, z) => {
      const half = 20 - lean * z - (z > -3 ? 5 : 0);
      return Math.max(Math.abs(x) - half, Math.abs(y) - half, Math.abs(z) - 22);
    };
    const block = part({ ...box([50, 50, 44]), distanceMm: shouldered });
    const scan = impairPart(seen(block), { contrastToNoise: 20 });
    expect((await judge(scan)).seams).toEqual([]);
  }
});

it('ledges of leaning walls, of opposed cones and of crossed bars are not seams', async () => {
  const scan = (distanceMm: Body['distanceMm'], within: number, across: number) =>
    judge(
      impairPart(
        renderPart(
          part({ ...box([50, 50, 44]), distanceMm }),
          [64, 64, 64],
          [1, 1, 1],
          [within, within, across],
        ),
        { contrastToNoise: 20 },
      ),
    );
  const leaning = (x: number, y: number, z: number) => {
    const [u, v] = [x - 0.22 * z, y + 0.15 * z];
    const half = 19 - (z > -5.1 ? 3 : 0) - (z > 6.9 ? 4 : 0);
    return Math.max(Math.abs(u) - half, Math.abs(v) - half, Math.abs(z) - 21);
  };
  const bars = (x: number, y: number, z: number) => {
    const turn = (Math.floor((z + 20.5) / 7) * 37 * Math.PI) / 180;
    const [u, v] = [x * Math.cos(turn) + y * Math.sin(turn), y * Math.cos(turn) - x * Math.sin(turn)];
    return Math.max(Math.abs(u) - 15, Math.abs(v) - 8, Math.abs(z) - 20);
  };
  const pile = (x: number, y: number, z: number) => {
    const along = Math.floor((z + 20) / 4) % 2 === 0 ? x : y;
    return Math.max(
      Math.abs(along - 9 * Math.round(along / 9)) - 2.8,
      Math.abs(x) - 21,
      Math.abs(y) - 21,
      Math.abs(z) - 20,
    );
  };
  const cones = (x: number, y: number, z: number) => {
    const step = (z + 24) / 8;
    const n = Math.floor(step);
    return Math.max(Math.hypot(x - 1.7, y) - 13 - 2 * (n % 2) - 3 * (step - n), Math.abs(z) - 22);
  };
  for (const across of [0.2, 0.3]) {
    expect((await scan(leaning, 0.9, across)).seams).toEqual([]);
    expect((await scan(bars, 0.9, across)).seams).toEqual([]);
    expect((await scan(pile, 0.9, across)).seams).toEqual([]);
  }
  expect((await scan(cones, 0.6, 0.6)).seams).toEqual([]);
});

it('a mask without any blur has no seams', async () => {
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

it('doubled and missing slices at a seam are detected', async () => {
  const rendered = render(randomPart(1), 0.6);
  const quiet = impairPart(rendered, {});
  const noisy = (doubled: number) => judge(joinScans(quiet, doubled, 1600));
  expect(await noisy(0)).toMatchObject({ seams: [], lostSlices: 0 });
  for (const doubled of [16, 8, -12])
    expect(await noisy(doubled)).toMatchObject({ seams: [24], lostSlices: 0 });
  // Slices with repeated noise are copies; without noise the part itself may repeat.
  const copied = joinScans(impairPart(rendered, { contrastToNoise: 20 }), 12);
  expect((await judge(copied)).lostSlices).toBe(12);
  expect((await judge(joinScans(quiet, 12))).lostSlices).toBeNull();
});

it('doubled slices are detected in a part whose edges do not determine the blur', async () => {
  const quiet = impairPart(render(plainPart(3000), 0.6), { contrastToNoise: 1e4 });
  for (const doubled of [8, 20]) expect((await judge(joinScans(quiet, doubled, 1600))).seams).toEqual([24]);
  expect((await judge(joinScans(quiet, 0, 1600))).seams).toEqual([]);
});

it('few missing slices are detected at leaning walls and at pores', async () => {
  for (const [rendered, missing] of [
    [render(randomPart(1), 0.6), 4],
    [render(randomPart(3), 0.6), 4],
    [render(porousPart(1), 0.6), 4],
    [render(porousPart(2), 0.6), 8],
  ] as const) {
    const quiet = impairPart(rendered, {});
    expect((await judge(joinScans(quiet, 0, 1600))).seams).toEqual([]);
    expect((await judge(joinScans(quiet, -missing, 1600))).seams).toEqual([24]);
  }
});

it('seams are detected at curved and thin walls without flat faces', async () => {
  for (const [rendered, doubled] of [
    [render(taper(14, 2, 9001)), -8],
    [render(taper(14, 3, 9002)), -8],
    [render(gyroid(3.5, 26, 9001)), -12],
    [render(lattice(1.9, 15, 9001)), -4],
    [render(pipe(4, 9002)), -8],
  ] as const) {
    const quiet = impairPart(rendered, {});
    expect((await judge(joinScans(quiet, 0, 1600))).seams).toEqual([]);
    expect((await judge(joinScans(quiet, doubled, 1600))).seams).toEqual([24]);
  }
});

it('a clear seam is detected where the other faces across the slices are blurred unequally', async () => {
  const quiet = impairPart(render(randomPart(52_000)), { contrastToNoise: 1e4 });
  expect((await judge(joinScans(quiet, 0, 1600))).seams).toEqual([]);
  expect((await judge(joinScans(quiet, -12, 1600))).seams).toEqual([24]);
});

it('correlated noise is not a seam', async () => {
  const rendered = render(randomPart(2));
  for (const [contrastToNoise, grain] of [
    [6, 0.8],
    [8, 1.6],
  ])
    expect((await judge(impairPart(rendered, { contrastToNoise, grain }))).seams).toEqual([]);
});

it('an empty plane across x is detected', async () => {
  const scan = impairPart(render(plainPart(3), 0.6), { contrastToNoise: 20 });
  expect((await judge(emptyColumn(scan))).lostSlices).toBe(1);
});
