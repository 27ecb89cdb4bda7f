import { describe, expect, it } from 'vitest';
import {
  autoWindow,
  greyHistogram,
  histogramQuantile,
  rebinned,
  toGreyWindow,
  windowLimits,
} from '#kernels/grid/grey-window.ts';
import {
  fitHeightMm,
  gridMmToWorld,
  paneToPlane,
  planeAxes,
  planeToPane,
  sliceIndex,
  slicePositionMm,
  worldToGridMm,
  zoomedAt,
} from '#kernels/grid/plane-transform.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import { CutPlane } from '../data/cut-plane.ts';
import { extractPlane } from '../data/extract-plane.ts';
import { readScroll } from '../state/wheel.ts';
import { drawPlanes, valueAt } from './draw-plane.ts';

/** Value of cell (i, j, k) is 100·i + 10·j + k: every plane and neighbour is distinct. */
const ramp = (): Volume => {
  const dimensions: [number, number, number] = [4, 5, 6];
  const data = new Uint16Array(4 * 5 * 6);
  for (let k = 0; k < 6; k++)
    for (let j = 0; j < 5; j++) for (let i = 0; i < 4; i++) data[(k * 5 + j) * 4 + i] = 100 * i + 10 * j + k;
  return {
    dimensions,
    voxelSizeMm: [0.5, 0.25, 2],
    originMm: [10, -3, 7],
    directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    dataType: 'uint16',
    data,
  };
};

describe('extractPlane', () => {
  it('returns the values of a z slice, x fastest', () => {
    const plane = extractPlane(ramp(), 'z', 7 + 3 * 2, true);
    expect([plane.width, plane.height]).toEqual([4, 5]);
    expect([...plane.values.subarray(0, 6)]).toEqual([3, 103, 203, 303, 13, 113]);
    expect(plane.originMm).toEqual([10, -3]);
    expect(plane.spacingMm).toEqual([0.5, 0.25]);
    expect(plane.exact).toBe(true);
  });

  it('returns y slices with columns along x and rows along z, x slices with columns along y', () => {
    const y = extractPlane(ramp(), 'y', -3 + 2 * 0.25, true);
    expect([y.width, y.height]).toEqual([4, 6]);
    expect([...y.values.subarray(0, 5)]).toEqual([20, 120, 220, 320, 21]);
    const x = extractPlane(ramp(), 'x', 10 + 0.5, true);
    expect([x.width, x.height]).toEqual([5, 6]);
    expect([...x.values.subarray(0, 6)]).toEqual([100, 110, 120, 130, 140, 101]);
  });

  it('is linear between two slices, and then not exact', () => {
    const plane = extractPlane(ramp(), 'x', 10 + 0.25, true);
    expect(plane.values[0]).toBe(50);
    expect(plane.exact).toBe(false);
  });

  it('computes values on first access, and again if its memory was reused', () => {
    const volume = ramp();
    let cuts = 0;
    const cut = { normal: 2, slice: 0, weight: 0, isRounded: true } as const;
    const make = (value: number, former?: CutPlane) =>
      new CutPlane(
        { width: 1, height: 1, originMm: [0, 0], spacingMm: [1, 1], exact: true },
        { volume, cut },
        (kept = new Uint16Array(1)) => {
          cuts++;
          return kept.fill(value);
        },
        former,
      );
    const first = make(7);
    expect(cuts).toBe(0);
    const memory = first.values;
    expect([first.values[0], cuts]).toEqual([7, 1]);
    // The second is never read, so its memory is passed on.
    const third = make(9, make(8, first));
    expect(third.values).toBe(memory);
    expect([third.values[0], first.values[0], cuts]).toEqual([9, 7, 3]);
  });

  it('is clamped to the outermost slice outside the volume', () => {
    expect(extractPlane(ramp(), 'x', -99, true).values[0]).toBe(0);
    expect(extractPlane(ramp(), 'x', 99, true).values[0]).toBe(300);
  });
});

describe('Windows of grey values', () => {
  it('convert to limits and back', () => {
    expect(windowLimits({ center: 100, width: 50 })).toEqual([75, 125]);
    expect(toGreyWindow(125, 75)).toEqual({ center: 100, width: 50 });
    expect(toGreyWindow(5, 5).width).toBeGreaterThan(0);
  });

  it('have quantiles that follow the counts', () => {
    const histogram = { minimum: 0, maximum: 100, counts: [10, 0, 30, 60] };
    expect(histogramQuantile(histogram, 0.1)).toBe(25);
    expect(histogramQuantile(histogram, 0.25)).toBe(62.5);
    expect(histogramQuantile(histogram, 1)).toBe(100);
  });

  it('include air and material in automatic mode, with room above the material', () => {
    const values = new Uint16Array(10_000);
    for (let i = 0; i < values.length; i++) values[i] = (i % 2 ? 1000 : 41_000) + (i % 100);
    values[0] = 65_535;
    const [low, high] = windowLimits(autoWindow(greyHistogram(values)));
    expect(low).toBeGreaterThan(-200);
    expect(low).toBeLessThan(1100);
    expect(high).toBeGreaterThan(48_500);
    expect(high).toBeLessThan(49_800);
  });

  it('exclude NaN from the histogram', () => {
    const histogram = greyHistogram(new Float32Array([Number.NaN, 0, 1, 1]), 2);
    expect(histogram.counts).toEqual([1, 2]);
    expect(greyHistogram(new Float32Array([Number.NaN])).counts.every((count) => count === 0)).toBe(true);
  });
});

describe('A rebinned histogram', () => {
  it('merges bins without losing a count and leaves a small histogram unchanged', () => {
    const fine = { minimum: 0, maximum: 10, counts: [1, 2, 3, 4, 5] };
    expect(rebinned(fine, 2)).toEqual({ minimum: 0, maximum: 12, counts: [6, 9] });
    expect(rebinned(fine, 5)).toBe(fine);
  });
});

describe('Plane transforms', () => {
  const turned = {
    dimensions: [4, 5, 6] as [number, number, number],
    voxelSizeMm: [0.5, 0.25, 2] as [number, number, number],
    originMm: [10, -3, 7] as [number, number, number],
    // i runs along world y, j along −x, k along z
    directions: [0, 1, 0, -1, 0, 0, 0, 0, 1] as Volume['directions'],
  };

  it('convert from grid to world and back in a rotated grid', () => {
    expect(gridMmToWorld(turned, [11, -3, 7])).toEqual([10, -2, 7]);
    expect(gridMmToWorld(turned, [10, -2, 9])).toEqual([9, -3, 9]);
    expect(worldToGridMm(turned, [9, -2, 9])).toEqual([11, -2, 9]);
  });

  it('are the identity in a grid that is not rotated', () => {
    expect(worldToGridMm(ramp(), [1, 2, 3])).toEqual([1, 2, 3]);
  });

  it('return the nearest slice and its position, within the grid', () => {
    expect(sliceIndex(ramp(), 2, 11.9)).toBe(2);
    expect(sliceIndex(ramp(), 2, 12.1)).toBe(3);
    expect(sliceIndex(ramp(), 2, 999)).toBe(5);
    expect(slicePositionMm(ramp(), 2, 3)).toBe(13);
  });

  const view = { centreU: 5, centreV: 8, heightMm: 20, widthPx: 400, heightPx: 200 };
  it('put the centre at the centre, and up is up', () => {
    expect(planeToPane(view, 5, 8)).toEqual([200, 100]);
    expect(planeToPane(view, 6, 9)).toEqual([210, 90]);
    expect(paneToPlane(view, 210, 90)).toEqual([6, 9]);
  });

  it('keep the point under the pointer fixed while zooming', () => {
    const nearer = zoomedAt(view, 4, 300, 20);
    expect(nearer.heightMm).toBe(5);
    expect(paneToPlane(nearer, 300, 20)).toEqual(paneToPlane(view, 300, 20));
  });

  it('fit the whole slice in either direction', () => {
    // 2 mm wide and 1.25 mm high in the XY plane
    expect(fitHeightMm(ramp(), planeAxes.xy, 100, 100)).toBeCloseTo(2 * 1.12);
    expect(fitHeightMm(ramp(), planeAxes.xy, 400, 100)).toBeCloseTo(1.25 * 1.12);
  });
});

describe('drawPlanes', () => {
  const plane = extractPlane(ramp(), 'z', 7, true);
  const view = { centreU: 10.75, centreV: -2.5, heightMm: 1.25, widthPx: 64, heightPx: 40 };
  const draw = (smooth: boolean) => {
    const picture = { widthPx: 64, heightPx: 40, pixels: new Uint32Array(64 * 40) };
    drawPlanes([plane], view, [0, 400], 1, smooth, picture);
    return picture.pixels;
  };

  it('shows the bilinear value at every pixel, windowed, and nothing outside', () => {
    const pixels = draw(true);
    let seen = 0;
    for (let y = 0; y < 40; y++) {
      for (let x = 0; x < 64; x++) {
        const u = (view.centreU + (x + 0.5 - 32) * (1.25 / 40) - 10) / 0.5;
        const v = (view.centreV - (y + 0.5 - 20) * (1.25 / 40) + 3) / 0.25;
        const pixel = pixels[y * 64 + x] ?? Number.NaN;
        if (u < -0.5 || u >= 3.5 || v < -0.5 || v >= 4.5) {
          expect(pixel).toBe(0);
          continue;
        }
        // The ramp is linear, so its bilinear value is known everywhere within the outermost centres.
        const value = 100 * Math.min(3, Math.max(0, u)) + 10 * Math.min(4, Math.max(0, v));
        const grey = Math.floor((value * 255) / 400 + 0.5);
        expect(Math.abs((pixel & 255) - grey)).toBeLessThanOrEqual(
          Math.abs(((value * 255) / 400 + 0.5) % 1) < 1e-6 ? 1 : 0,
        );
        expect(pixel >>> 24).toBe(255);
        seen++;
      }
    }
    expect(seen).toBe(64 * 40);
  });

  it('shows unchanged voxels without smoothing', () => {
    const greys = new Set([...draw(false)].map((pixel) => pixel & 255));
    expect(greys.size).toBe(20);
  });

  it('returns the voxel that contains a point', () => {
    expect(valueAt(plane, 10.3, -2.6)).toBe(120);
    expect(valueAt(plane, 9.7, -3)).toBeNull();
  });
});

it('a sideways swipe scrolls slices only with Shift, when it is a turn of the wheel', () => {
  const scroll = (deltaX: number, deltaY: number, shiftKey: boolean) =>
    readScroll({ deltaX, deltaY, shiftKey } as WheelEvent);
  expect(scroll(100, 0, false)).toBe(0);
  expect(scroll(100, 0, true)).toBe(100);
  expect(scroll(30, -100, false)).toBe(-100);
});
