import { describe, expect, it, vi } from 'vitest';
import { gridMmToWorld, type SliceName } from '#kernels/grid/plane-transform.ts';
import { dot } from '#kernels/grid/vectors.ts';
import { identityDirections, type Vector3 } from '#kernels/grid/volume.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import { isCutAlong, moveClip, placeClip, tiltClip, toggleCutAlong } from './clip.ts';
import { setLie } from './oblique.ts';
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
const clipOf = (model: ViewerModel) => {
  const { clip } = model.store.get();
  if (!clip) throw new Error('nothing is cut');
  return clip;
};

describe('a cut along a slice', () => {
  it.each<[SliceName, Vector3]>([
    ['xy', [0, 0, 1]],
    ['xz', [0, -1, 0]],
    ['yz', [1, 0, 0]],
  ])('%s takes away what lies in front of it', (name, normal) => {
    const model = open();
    model.setSliceIndex(name, 7);
    toggleCutAlong(model, name);
    const clip = clipOf(model);
    expect(clip).toMatchObject({ enabled: true, filled: true, normal });
    const axis = normal.findIndex((value) => value !== 0);
    expect(clip.offsetMm * (normal[axis] ?? 0)).toBeCloseTo(model.slice(name)?.positionMm ?? NaN, 4);
    expect(isCutAlong(model, name)).toBe(true);
    model.setSliceIndex(name, 8);
    expect(isCutAlong(model, name)).toBe(false);
    model.setSliceIndex(name, 7);
    toggleCutAlong(model, name);
    expect(clipOf(model).enabled).toBe(false);
  });

  it.each<[string, VolumeDescription['directions']]>([
    ['turned', [c, s, 0, -s, c, 0, 0, 0, 1]],
    ['mirrored', [-1, 0, 0, 0, 1, 0, 0, 0, 1]],
  ])('goes through the slice of a %s scan', (_, directions) => {
    const model = open(directions);
    for (const name of ['xy', 'xz', 'yz'] as const) {
      toggleCutAlong(model, name);
      const { normal, offsetMm } = clipOf(model);
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

  it('goes through an oblique plane at the cursor', () => {
    const model = open();
    setLie(model, { normal: [1, 2, 2], up: [0, 0, 1] });
    toggleCutAlong(model, 'oblique');
    const { normal, offsetMm } = clipOf(model);
    for (const [k, value] of [1 / 3, 2 / 3, 2 / 3].entries()) expect(normal[k]).toBeCloseTo(value, 4);
    expect(offsetMm).toBeCloseTo(dot(normal, model.cursorWorld()), 4);
    expect(isCutAlong(model, 'oblique')).toBe(true);
  });

  it('keeps what fills the section', () => {
    const model = open();
    model.store.update({ clip: { enabled: false, normal: [1, 0, 0], offsetMm: 0, filled: false } });
    toggleCutAlong(model, 'xy');
    expect(clipOf(model).filled).toBe(false);
  });
});

describe('a cut that is held', () => {
  it('moves along its normal by millimetres, however long that is', () => {
    const model = open();
    model.store.update({ clip: { enabled: true, normal: [0, 0, 4], offsetMm: 8 } });
    moveClip(model, 0.5);
    expect(placeClip(model)?.middle[2]).toBeCloseTo(2.5, 9);
  });

  it('tilts about its place nearest to the middle of the part', () => {
    const model = open();
    toggleCutAlong(model, 'xy');
    const before = placeClip(model);
    tiltClip(model, [0, 3, 4]);
    const { normal, offsetMm } = clipOf(model);
    expect(normal).toEqual([0, 0.6, 0.8]);
    expect(dot(normal, before?.middle ?? [0, 0, 0])).toBeCloseTo(offsetMm, 4);
    expect(placeClip(model)?.normal).toEqual([0, 0.6, 0.8]);
  });

  it('is not there while nothing is cut', () => {
    const model = open();
    expect(placeClip(model)).toBeNull();
    toggleCutAlong(model, 'xy');
    toggleCutAlong(model, 'xy');
    expect(placeClip(model)).toBeNull();
  });
});
