import { describe, expect, it, vi } from 'vitest';
import { gridMmToWorld, type SliceName } from '#kernels/grid/plane-transform.ts';
import { dot } from '#kernels/grid/vectors.ts';
import { identityDirections, type Vector3 } from '#kernels/grid/volume.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import {
  addPlane,
  changeClips,
  fitBox,
  flipPlane,
  isCutAlong,
  movePlane,
  placePlane,
  setBoxSide,
  showPlace,
  tiltPlane,
  toggleCutAlong,
  undoClips,
} from './clips.ts';
import { setOrientation } from './oblique.ts';
import { ViewerModel } from './viewer-model.ts';

vi.stubGlobal('requestAnimationFrame', () => 1);
vi.stubGlobal('cancelAnimationFrame', () => undefined);

const [c, s] = [Math.cos(0.4), Math.sin(0.4)];
const open = (directions: VolumeDescription['directions'] = identityDirections()) => {
  const model = new ViewerModel(null, () => undefined);
  model.setVolume(
    {
      id: '0190c3de-0000-7000-8000-000000000001',
      dimensions: [96, 64, 31],
      voxelSizeMm: [0.1, 0.07, 0.3],
      originMm: [-4.75, 1.3, 2],
      directions,
      dataType: 'uint16',
      range: [0, 1000],
    },
    null,
    null,
  );
  return model;
};
const readClip = (model: ViewerModel) => {
  const [plane] = model.store.get().clips.planes;
  if (!plane) throw new Error('nothing is cut');
  return plane;
};
const listPlanes = (model: ViewerModel) => model.store.get().clips.planes;

describe('A clip along a slice', () => {
  it.each<[SliceName, Vector3]>([
    ['xy', [0, 0, 1]],
    ['xz', [0, -1, 0]],
    ['yz', [1, 0, 0]],
  ])('%s removes what is in front of it', (name, normal) => {
    const model = open();
    model.setSliceIndex(name, 7);
    toggleCutAlong(model, name);
    const clip = readClip(model);
    expect(clip).toMatchObject({ enabled: true, normal });
    const axis = normal.findIndex((value) => value !== 0);
    expect(clip.offsetMm * (normal[axis] ?? 0)).toBeCloseTo(model.slice(name)?.positionMm ?? NaN, 4);
    expect(isCutAlong(model, name)).toBe(true);
    model.setSliceIndex(name, 8);
    expect(isCutAlong(model, name)).toBe(false);
    model.setSliceIndex(name, 7);
    toggleCutAlong(model, name);
    expect(readClip(model).enabled).toBe(false);
  });

  it.each<[string, VolumeDescription['directions']]>([
    ['turned', [c, s, 0, -s, c, 0, 0, 0, 1]],
    ['mirrored', [-1, 0, 0, 0, 1, 0, 0, 0, 1]],
  ])('passes through the slice of a %s scan', (_, directions) => {
    const model = open(directions);
    for (const [count, name] of (['xy', 'xz', 'yz'] as const).entries()) {
      toggleCutAlong(model, name);
      expect(listPlanes(model)).toHaveLength(count + 1);
      const { normal, offsetMm } = listPlanes(model)[count] ?? expect.fail('no plane');
      const { volume } = model;
      const slice = model.slice(name);
      if (!volume || !slice) throw new Error('no scan');
      const axis = { yz: 0, xz: 1, xy: 2 }[name];
      for (const corner of [
        [0, 0, 0],
        [4, 1, 2],
        [-3, 2, 5],
      ] as const) {
        const point: Vector3 = [...corner];
        point[axis] = slice.positionMm;
        expect(dot(normal, gridMmToWorld(volume, point))).toBeCloseTo(offsetMm, 4);
      }
    }
  });

  it('passes through an oblique plane at the cursor', () => {
    const model = open();
    setOrientation(model, { normal: [1, 2, 2], up: [0, 0, 1] });
    toggleCutAlong(model, 'oblique');
    const { normal, offsetMm } = readClip(model);
    for (const [k, value] of [1 / 3, 2 / 3, 2 / 3].entries()) expect(normal[k]).toBeCloseTo(value, 4);
    expect(offsetMm).toBeCloseTo(dot(normal, model.cursorWorld()), 4);
    expect(isCutAlong(model, 'oblique')).toBe(true);
  });

  it('moves to another slice, because a second parallel plane would not be visible', () => {
    const model = open();
    toggleCutAlong(model, 'xy');
    model.setSliceIndex('xy', 3);
    toggleCutAlong(model, 'xy');
    expect(listPlanes(model)).toHaveLength(1);
    expect(isCutAlong(model, 'xy')).toBe(true);
    flipPlane(model, 0);
    toggleCutAlong(model, 'xy');
    expect(listPlanes(model).map(({ normal }) => normal)).toEqual([
      [0, 0, -1],
      [0, 0, 1],
    ]);
  });
});

describe('A dragged clip', () => {
  it('moves along its normal in millimetres, whatever the length of the normal', () => {
    const model = open();
    addPlane(model, { normal: [0, 0, 4], offsetMm: 8 });
    movePlane(model, 0, 0.5);
    expect(placePlane(model, 0)?.middle[2]).toBeCloseTo(2.5, 9);
  });

  it('tilts about its point nearest to the centre of the part', () => {
    const model = open();
    toggleCutAlong(model, 'xy');
    const before = placePlane(model, 0);
    tiltPlane(model, 0, [0, 3, 4]);
    const { normal, offsetMm } = readClip(model);
    expect(normal).toEqual([0, 0.6, 0.8]);
    expect(dot(normal, before?.middle ?? [0, 0, 0])).toBeCloseTo(offsetMm, 4);
    expect(placePlane(model, 0)?.normal).toEqual([0, 0.6, 0.8]);
  });

  it('has no handle while it clips nothing', () => {
    const model = open();
    expect(placePlane(model, 0)).toBeNull();
    toggleCutAlong(model, 'xy');
    toggleCutAlong(model, 'xy');
    expect(placePlane(model, 0)).toBeNull();
  });
});

describe('Several clips', () => {
  it('are limited to six planes', () => {
    const model = open();
    const angles = Array.from({ length: 7 }, (_, i): Vector3 => [Math.cos(i / 3), Math.sin(i / 3), 0]);
    expect(angles.map((normal) => addPlane(model, { normal, offsetMm: 0 }))).toEqual([
      ...Array.from({ length: 6 }, () => true),
      false,
    ]);
    expect(listPlanes(model)).toHaveLength(6);
  });

  it('can include a box, whose sides never cross each other', () => {
    const model = open();
    fitBox(model);
    const { min, max } = model.bounds();
    const read = () => model.store.get().clips.box;
    for (const axis of [0, 1, 2] as const) expect(read()?.minMm[axis]).toBeCloseTo(min[axis], 4);
    setBoxSide(model, 'maxMm', 0, min[0] - 5);
    const { minMm, maxMm } = read() ?? { minMm: min, maxMm: min };
    expect(maxMm[0]).toBeGreaterThan(minMm[0]);
    expect(maxMm[0] - minMm[0]).toBeLessThan(0.02 * (max[0] - min[0]) + 0.1);
  });

  it('are undone one by one, a drag in one step', () => {
    vi.useFakeTimers();
    const model = open();
    toggleCutAlong(model, 'xy');
    const { offsetMm } = readClip(model);
    vi.advanceTimersByTime(5000);
    for (let i = 0; i < 5; i++) {
      movePlane(model, 0, 0.1);
      vi.advanceTimersByTime(50);
    }
    vi.advanceTimersByTime(5000);
    changeClips(model, { section: 'open' });
    expect(undoClips(model)).toBe(true);
    expect(model.store.get().clips.section).toBe('grey');
    expect(readClip(model).offsetMm).toBeCloseTo(offsetMm + 0.5, 4);
    undoClips(model);
    expect(readClip(model).offsetMm).toBeCloseTo(offsetMm, 6);
    undoClips(model);
    expect(listPlanes(model)).toEqual([]);
    expect(undoClips(model)).toBe(false);
    vi.useRealTimers();
  });

  it('are undone by drags, however slow they are and however soon they follow each other', () => {
    vi.useFakeTimers();
    const model = open();
    toggleCutAlong(model, 'xy');
    const { offsetMm } = readClip(model);
    for (const waitMs of [5000, 50]) {
      model.clipHistory.hold();
      for (let i = 0; i < 3; i++) {
        movePlane(model, 0, 0.1);
        vi.advanceTimersByTime(waitMs);
      }
      model.clipHistory.release();
    }
    for (const movedMm of [0.3, 0]) {
      undoClips(model);
      expect(readClip(model).offsetMm).toBeCloseTo(offsetMm + movedMm, 4);
    }
    undoClips(model);
    expect(listPlanes(model)).toEqual([]);
    vi.useRealTimers();
  });

  it('are undone to the state of a link, however soon they follow it', () => {
    vi.useFakeTimers();
    const model = open();
    toggleCutAlong(model, 'xy');
    vi.advanceTimersByTime(100);
    const linked = { ...model.store.get().clips, planes: [], section: 'plain' as const };
    model.store.replace({ ...model.store.get(), clips: linked });
    changeClips(model, { section: 'open' });
    undoClips(model);
    expect(model.store.get().clips).toEqual(linked);
    vi.useRealTimers();
  });

  it('join the undo of the page, in the order of all its changes', () => {
    const model = open();
    const page: string[] = [];
    const undos = new Map<string, () => void>();
    model.clipHistory.remember = (undo) => {
      const name = `cut ${undos.size + 1}`;
      page.push(name);
      undos.set(name, undo);
      return () => void page.splice(page.indexOf(name), 1);
    };
    toggleCutAlong(model, 'xy');
    page.push('measurement');
    model.clipHistory.hold();
    movePlane(model, 0, 0.1);
    movePlane(model, 0, 0.1);
    model.clipHistory.release();
    expect(page).toEqual(['cut 1', 'measurement', 'cut 2']);
    undos.get('cut 2')?.();
    expect(page).toEqual(['cut 1', 'measurement']);
    undoClips(model);
    expect([page, listPlanes(model)]).toEqual([['measurement'], []]);
    toggleCutAlong(model, 'xy');
    model.clipHistory.dispose();
    expect(page).toEqual(['measurement']);
  });

  it('that remove a place are switched off to show it', () => {
    const model = open();
    addPlane(model, { normal: [0, 0, 1], offsetMm: 3 });
    addPlane(model, { normal: [1, 0, 0], offsetMm: 3 });
    const box = { enabled: true, minMm: [0, 0, 0], maxMm: [1, 1, 1], keep: 'outside' } as const;
    changeClips(model, { box: { ...box, minMm: [0, 0, 0], maxMm: [1, 1, 5] } });
    const shown = showPlace(model.store.get().clips, [0.5, 0.5, 4]);
    expect(shown.planes.map(({ enabled }) => enabled)).toEqual([false, true]);
    expect(shown.box?.enabled).toBe(false);
    expect(showPlace(model.store.get().clips, [2, 2, 2])).toEqual(model.store.get().clips);
  });
});
