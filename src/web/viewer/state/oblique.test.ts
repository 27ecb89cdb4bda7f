import { describe, expect, it, vi } from 'vitest';
import { windowLimits } from '#kernels/grid/grey-window.ts';
import {
  centreGridMm,
  extentMm,
  gridMmToWorld,
  paneToPlane,
  worldToGridMm,
} from '#kernels/grid/plane-transform.ts';
import { makePlaneFrame } from '#kernels/grid/turned-grid.ts';
import { dot } from '#kernels/grid/vectors.ts';
import { identityDirections, type Vector3, type Volume } from '#kernels/grid/volume.ts';
import { cutOblique } from '../data/cut-oblique.ts';
import { drawPlanes } from '../slices/draw-plane.ts';
import { readTrace } from '../slices/oblique-trace.ts';
import {
  moveAlongNormal,
  orientByAngles,
  readAngles,
  readOffsetMm,
  readOrientation,
  setOrientation,
  turnOrientation,
} from './oblique.ts';
import { canonicalise } from './view-state.ts';
import { ViewerModel } from './viewer-model.ts';

vi.stubGlobal('requestAnimationFrame', () => 1);
vi.stubGlobal('cancelAnimationFrame', () => undefined);

const greyAt = ([x, y, z]: Vector3) => 1000 + 90 * x - 60 * y + 130 * z;

function ramp(): Volume {
  const dimensions: Vector3 = [24, 20, 18];
  const voxelSizeMm: Vector3 = [0.25, 0.3, 0.4];
  const originMm: Vector3 = [-2.875, -2.85, -3.4];
  const data = new Float32Array(24 * 20 * 18);
  for (let i = 0; i < data.length; i++) {
    const cell = [i % 24, Math.floor(i / 24) % 20, Math.floor(i / 480)];
    data[i] = greyAt(cell.map((n, k) => (originMm[k] ?? 0) + n * (voxelSizeMm[k] ?? 0)) as Vector3);
  }
  return { dimensions, voxelSizeMm, originMm, directions: identityDirections(), dataType: 'float32', data };
}

const id = '0190c3de-0000-7000-8000-000000000001';

function open(normal: Vector3 = [0.4, -0.7, 0.5]): { model: ViewerModel; volume: Volume } {
  const model = new ViewerModel(null, () => undefined);
  const volume = ramp();
  model.setVolume({ ...volume, id, range: [0, 2000] }, null, null);
  setOrientation(model, { normal, up: [0, 0, 1] });
  return { model, volume };
}

describe('An oblique plane', () => {
  it('shows at each pixel the grey value of that world point, interpolated once', () => {
    const { model, volume } = open();
    const view = { ...model.planeView('oblique', 90, 70), heightMm: 6 };
    const slice = model.slice('oblique');
    const grid = model.grid('oblique');
    if (!slice || !grid) throw new Error('no plane');
    const plane = cutOblique(() => grid).cut(volume, { positionMm: slice.positionMm, view, scale: 2 }, true);
    const picture = { widthPx: 180, heightPx: 140, pixels: new Uint32Array(180 * 140) };
    const limits = windowLimits({ center: 1000, width: 1600 });
    drawPlanes([plane], view, limits, 2, true, picture);
    let inside = 0;
    for (const [at, pixel] of picture.pixels.entries()) {
      const [u, v] = paneToPlane(view, ((at % 180) + 0.5) / 2, (Math.floor(at / 180) + 0.5) / 2);
      const point = gridMmToWorld(grid, [u, v, slice.positionMm]);
      const own = worldToGridMm(volume, point);
      const isWithin = (by: number) =>
        own.every((mm, axis) => {
          const [from, to] = extentMm(volume, axis as 0 | 1 | 2);
          const half = (volume.voxelSizeMm[axis] ?? 0) / 2;
          return mm > from + by * half && mm < to - by * half;
        });
      if (!isWithin(-1e-6)) expect(pixel).toBe(0);
      if (!isWithin(1 + 1e-6)) continue;
      inside++;
      const grey = ((greyAt(point) - limits[0]) / (limits[1] - limits[0])) * 255;
      expect(Math.abs((pixel & 255) - grey)).toBeLessThanOrEqual(0.51);
    }
    expect(inside).toBeGreaterThan(5000);
    model.dispose();
  });

  it('passes through the cursor, and stays in the volume however far it is moved', () => {
    const { model, volume } = open();
    const { towards } = makePlaneFrame(readOrientation(model.store.get()));
    expect(readOffsetMm(model)).toBeCloseTo(dot(towards, model.cursorWorld()), 9);
    const before = readOffsetMm(model);
    moveAlongNormal(model, 0.7);
    expect(readOffsetMm(model)).toBeCloseTo(before + 0.7, 4);
    model.setCursorGridMm([2.9, -2.9, centreGridMm(volume)[2]]);
    const { count } = model.slice('oblique') ?? { count: 0 };
    for (let index = 0; index < count; index++) {
      model.setSliceIndex('oblique', index);
      expect(model.slice('oblique')?.index).toBe(index);
      for (const axis of [0, 1, 2] as const) {
        const [from, to] = extentMm(volume, axis);
        expect(model.cursorGridMm()[axis]).toBeGreaterThanOrEqual(from - 1e-4);
        expect(model.cursorGridMm()[axis]).toBeLessThanOrEqual(to + 1e-4);
      }
    }
    model.dispose();
  });

  it('crosses the slices along lines that lie in both', () => {
    const { model } = open();
    const { towards } = makePlaneFrame(readOrientation(model.store.get()));
    for (const [name, place] of [
      ['xy', (u: number, v: number, w: number): Vector3 => [u, v, w]],
      ['xz', (u: number, v: number, w: number): Vector3 => [u, w, v]],
      ['yz', (u: number, v: number, w: number): Vector3 => [w, u, v]],
    ] as const) {
      const trace = readTrace(model, name);
      const { positionMm } = model.slice(name) ?? { positionMm: 0 };
      if (!trace) throw new Error('no trace');
      for (const far of [-3, 0, 5]) {
        const [u, v] = [0, 1].map((k) => (trace.point[k] ?? 0) + far * (trace.direction[k] ?? 0));
        expect(dot(towards, place(u ?? 0, v ?? 0, positionMm))).toBeCloseTo(readOffsetMm(model), 4);
      }
    }
    setOrientation(model, { normal: [0, 0, 1], up: [0, 1, 0] });
    expect(readTrace(model, 'xy')).toBeNull();
    model.dispose();
  });

  it('is rotated by angles that read back unchanged', () => {
    const { model } = open();
    for (const angles of [
      { azimuth: 30, tilt: 50, roll: 0 },
      { azimuth: -120, tilt: 110, roll: 25 },
      { azimuth: 0, tilt: 0, roll: -40 },
    ]) {
      setOrientation(model, orientByAngles(angles));
      const read = readAngles(readOrientation(model.store.get()));
      for (const key of ['azimuth', 'tilt', 'roll'] as const) expect(read[key]).toBeCloseTo(angles[key], 5);
    }
    setOrientation(model, { normal: [1, 0, 0], up: [0, 0, 1] });
    turnOrientation(model, [0, 0, 1], Math.PI / 6);
    expect(readAngles(readOrientation(model.store.get())).azimuth).toBeCloseTo(30, 5);
    model.dispose();
  });

  it('is stored in a link together with its view', () => {
    const { model } = open();
    const view = model.planeView('oblique', 100, 80);
    model.setPlaneView('oblique', { ...view, centreU: view.centreU + 1, heightMm: 3 });
    const state = model.store.get();
    expect(canonicalise(JSON.parse(JSON.stringify(state)))).toEqual(state);
    const again = model.planeView('oblique', 100, 80);
    expect(again.centreU).toBeCloseTo(view.centreU + 1, 4);
    expect(again.heightMm).toBe(3);
    model.dispose();
  });
});
