import { describe, expect, it } from 'vitest';
import { makeSlabs, type Vector3, type Volume } from '../grid/volume.ts';
import { type Body, hollowCylinder } from '../testing/bodies.ts';
import { impairedScan } from '../testing/impaired-scans.ts';
import { findRings, withoutRings } from './without-rings.ts';

const dimensions: Vector3 = [72, 72, 40];
const search = { level: 24_000, contrast: 32_000, blur: 0.6 };
const disc = hollowCylinder(32, 0, 34);
const renderScan = (body: Body, holes: readonly Body[] = [], cupping = 0) =>
  impairedScan(body, dimensions, { blur: 0.6, contrastToNoise: 20, cupping }, holes);

interface Rings {
  height: number;
  axis?: [number, number];
  isHalf?: boolean;
  /** planes that they go through */
  planes?: [number, number];
  /** how far off its axis may be found, in cells, and what share may be left */
  within?: [number, number];
}

/** Bright and dark in turns, about a voxel wide, as shares of the contrast. */
function addRings(scan: Volume, { height, axis = [35.5, 35.5], isHalf, planes = [0, 99] }: Rings): Volume {
  const [nx, ny, nz] = scan.dimensions;
  const data = Float32Array.from(scan.data);
  for (let z = 0, i = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, i++) {
        if ((isHalf && y < axis[1]) || z < planes[0] || z >= planes[1]) continue;
        const radius = Math.hypot(x - axis[0], y - axis[1]);
        for (const [n, ring] of [6, 10.4, 15, 19.3, 24].entries())
          data[i] += (n % 2 === 0 ? 1 : -1) * 32_000 * height * Math.exp(-(((radius - ring) / 0.8) ** 2) / 2);
      }
    }
  }
  return { ...scan, data };
}

async function clean(ringed: Volume) {
  const field = await findRings(makeSlabs(ringed), search);
  const values = field
    ? await withoutRings(makeSlabs(ringed), field).readSlab(0, dimensions[2])
    : ringed.data;
  return { field, values };
}

/** Root mean square of what differs deep in the disc, as a share of the contrast. */
function differ(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [nx, ny, nz] = dimensions;
  let [sum, count] = [0, 0];
  for (let z = 8; z < nz - 8; z++) {
    for (let i = 0; i < nx * ny; i++) {
      if (Math.hypot((i % nx) - 35.5, Math.floor(i / nx) - 35.5) > 27) continue;
      sum += (a[z * nx * ny + i] - b[z * nx * ny + i]) ** 2;
      count++;
    }
  }
  return Math.sqrt(sum / count) / 32_000;
}

describe('rings', () => {
  it.each([
    ['about the middle', { height: 0.15 }],
    ['about another axis', { height: 0.15, axis: [43.2, 31.4] }],
    ['over half a turn', { height: 0.15, isHalf: true, within: [0.8, 0.75] }],
    ['in half of the planes', { height: 0.15, planes: [0, 21] }],
  ] as [string, Rings][])('%s are removed, and their axis is found', async (_, rings) => {
    const scan = renderScan(disc);
    const ringed = addRings(scan, rings);
    const { field, values } = await clean(ringed);
    const axis = rings.axis ?? [35.5, 35.5];
    const [off, left] = rings.within ?? [0.3, 0.5];
    expect(Math.hypot((field?.axis[0] ?? 0) - axis[0], (field?.axis[1] ?? 0) - axis[1])).toBeLessThan(off);
    expect(differ(values, scan.data)).toBeLessThan(left * differ(ringed.data, scan.data));
  });

  it.each([
    ['a disc', disc, [], 0],
    ['a disc with cupping', disc, [], 0.35],
    ['a tube', hollowCylinder(32, 14, 34), [], 0.2],
    ['a disc with a cavity that runs around the axis', disc, [hollowCylinder(20, 17, 10)], 0],
    [
      'a disc with grooves around the axis',
      disc,
      [hollowCylinder(12, 10, 60), hollowCylinder(24, 21, 60)],
      0,
    ],
  ] as [string, Body, Body[], number][])('are none in %s', async (_, body, holes, cupping) => {
    expect((await clean(renderScan(body, holes, cupping))).field).toBeNull();
  });

  it('are removed without changing faces that run around the axis', async () => {
    const scan = renderScan(disc, [hollowCylinder(20, 17, 10)]);
    const { field, values } = await clean(addRings(scan, { height: 0.15 }));
    expect(field).not.toBeNull();
    // The cavity's depth in its middle, where no ring is.
    const at = (20 * 72 + 35) * 72 + 35 + 18;
    expect(values[at]).toBeLessThan(24_000);
  });
});
