import { expect, it } from 'vitest';
import type { Bounds } from '../grid/camera.ts';
import type { PlanePicture } from '../grid/draw-scan.ts';
import { boundScans, groupScans, placeCompared } from '../grid/place-compared.ts';
import type { Volume } from '../grid/volume.ts';
import { type ComparedSlice, drawCompared } from './paint-compared-slice.ts';

/** 4 mm of one grey value, around the zero of its frame. */
const even = (grey: number): Volume => ({
  dimensions: [4, 4, 4],
  voxelSizeMm: [1, 1, 1],
  originMm: [-1.5, -1.5, -1.5],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  dataType: 'uint8',
  data: new Uint8Array(64).fill(grey),
});

const window = { center: 127.5, width: 255 };
const ground = '0b0d10';

/** Colours along the middle row of a pane of 8 by 8 mm, a pixel each. */
function drawRow(change: Partial<ComparedSlice>): string[] {
  const [picture, scratch] = [0, 1].map((): PlanePicture => {
    return { widthPx: 8, heightPx: 8, pixels: new Uint32Array(64) };
  });
  const slice: ComparedSlice = {
    scans: [100, 200].map((grey) => ({ volume: even(grey), toScan: null, window })),
    ...{ mode: 'side', share: 0.5, isOther: false, cursor: [0, 0, 0] },
    view: { plane: 'xy', centre: [0, 0, 0], heightMm: 8 },
    ...change,
  };
  drawCompared(slice, picture, scratch);
  return Array.from(picture.pixels.subarray(32, 40), (pixel) =>
    [0, 8, 16].map((shift) => ((pixel >> shift) & 0xff).toString(16).padStart(2, '0')).join(''),
  );
}

const aside = [ground, ground];
const [one, other, mixed] = ['646464', 'c8c8c8', '7d7d7d'];

it('shows the first scan side by side, and the current one when blinking', () => {
  expect(drawRow({})).toEqual([...aside, one, one, one, one, ...aside]);
  expect(drawRow({ mode: 'blink' })).toEqual(drawRow({}));
  expect(drawRow({ mode: 'blink', isOther: true })).toEqual([...aside, other, other, other, other, ...aside]);
});

it('blends the second scan with its share, and only where it has data', () => {
  expect(drawRow({ mode: 'blend', share: 0.25 })).toEqual([...aside, mixed, mixed, mixed, mixed, ...aside]);
  // Moved by two voxels: what lies beyond the first stands on the ground alone.
  const toScan = [1, 0, 0, -2, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const scans = [
    { volume: even(100), toScan: null, window },
    { volume: even(200), toScan, window },
  ];
  const [, , , , , , beyond] = drawRow({ mode: 'blend', share: 0.25, scans });
  expect(beyond).toBe('3a3c3e');
});

it('starts the second scan at its share of the width when swiping, loaded or not', () => {
  expect(drawRow({ mode: 'swipe' })).toEqual([...aside, one, one, other, other, ...aside]);
  const scans = [{ volume: even(100), toScan: null, window }, null];
  expect(drawRow({ mode: 'swipe', scans })).toEqual([...aside, one, one, ground, ground, ...aside]);
});

it('fills the picture with panes that are separated only by gaps', () => {
  expect(placeCompared(2, 100, 50, 2)).toEqual([
    { x: 0, y: 0, width: 49, height: 50 },
    { x: 51, y: 0, width: 49, height: 50 },
  ]);
  expect(placeCompared(5, 100, 50, 2).map(({ x, y }) => [x, y])).toEqual([
    [0, 0],
    [34, 0],
    [68, 0],
    [0, 26],
    [34, 26],
  ]);
  expect(groupScans(3, 2, true)).toEqual([[0], [1], [2]]);
  expect(groupScans(3, 2, false)).toEqual([[0, 2]]);
  expect(groupScans(2, 8, false)).toEqual([[0, 1]]);
});

it('3D fits the surfaces as aligned, slices fit the scans', () => {
  const part: Bounds = { min: [-1, -1, -1], max: [1, 1, 1] };
  const moved = [1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const scans = [
    { volume: even(100), surfaceBounds: part, pose: null },
    { volume: even(200), surfaceBounds: part, pose: moved },
    { volume: even(200), surfaceBounds: null, pose: null },
  ];
  expect(boundScans(scans, true, true)).toEqual({ min: [-1, -1, -1], max: [4, 1, 1] });
  expect(boundScans(scans, false, true)).toEqual(part);
  expect(boundScans(scans, true, false)?.max).toEqual([5, 2, 2]);
  expect(boundScans(scans.slice(2), true, true)?.max).toEqual([2, 2, 2]);
});
