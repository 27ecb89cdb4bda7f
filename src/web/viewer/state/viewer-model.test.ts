import { describe, expect, it, vi } from 'vitest';
import { allDefects } from '#contract/shapes/migrate-view-state.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import { identityDirections } from '#kernels/grid/volume.ts';
import { PlaceReader } from '#kernels/places/read-places.ts';
import type { PlaneRequest, VolumeDescription } from '../data/slice-source.ts';
import { stepPlace } from './choose-place.ts';
import { readSceneState } from './scene-state.ts';
import { stateAt } from './state-at.ts';
import { defaultViewState } from './view-state.ts';
import { ViewerModel } from './viewer-model.ts';

vi.stubGlobal('requestAnimationFrame', () => 1);
vi.stubGlobal('cancelAnimationFrame', () => undefined);

const volume = (more: Partial<VolumeDescription> = {}): VolumeDescription => ({
  id: '0190c3de-0000-7000-8000-000000000001',
  dimensions: [96, 64, 31],
  voxelSizeMm: [0.1, 0.07, 0.3],
  originMm: [-4.75, 1.3, 2],
  directions: identityDirections(),
  dataType: 'uint16',
  range: [0, 1000],
  ...more,
});
/** A rotation by 0.4 about z. */
const turned = [
  Math.cos(0.4),
  Math.sin(0.4),
  0,
  -Math.sin(0.4),
  Math.cos(0.4),
  0,
  0,
  0,
  1,
] as VolumeDescription['directions'];

const indices = (model: ViewerModel) => (['xy', 'xz', 'yz'] as const).map((name) => model.slice(name)?.index);

describe('The slices of a volume just opened', () => {
  it.each([
    ['along the axes', volume()],
    ['turned', volume({ directions: turned })],
    ['far from zero', volume({ originMm: [12345.678, -9876.54321, 0.1 + 0.2] })],
  ])('stay in place when another slice is scrolled, %s', (_, description) => {
    const model = new ViewerModel(null, () => undefined);
    model.setVolume(description, null, null);
    const [xy, xz, yz] = indices(model) as [number, number, number];
    for (let step = 1; step < 10; step++) {
      model.setSliceIndex('xy', xy + step);
      expect(indices(model)).toEqual([xy + step, xz, yz]);
    }
    model.setSliceIndex('xz', 3);
    expect(indices(model)).toEqual([xy + 9, 3, yz]);
    model.dispose();
  });
});

it('alone are notified when a tile has loaded', async () => {
  const model = new ViewerModel(null, () => undefined);
  const getPlane = vi.fn(async ({ rect: [left, top, right, bottom] }: PlaneRequest) => ({
    width: right - left,
    height: bottom - top,
    values: new Uint16Array((right - left) * (bottom - top)),
    originMm: [0, 0] as [number, number],
    spacingMm: [1, 1] as [number, number],
    exact: true,
  }));
  model.setVolume(volume(), { getPlane, sample: () => Promise.reject(new Error('not asked for')) }, null);
  const [tiles, revision] = [model.tiles.get(), model.revision.get()];
  const positionMm = model.slice('xy')?.positionMm ?? 0;
  model.loaders.xy?.planes({ positionMm, view: model.planeView('xy', 64, 48), scale: 1 });
  await expect.poll(() => model.tiles.get()).toBeGreaterThan(tiles);
  expect(getPlane).toHaveBeenCalled();
  expect(model.revision.get()).toBe(revision);
  model.dispose();
});

describe('The places of a surface', () => {
  const reader = new PlaceReader();
  reader.push('id,volumeMm3,centerXMm,centerYMm,centerZMm\n1,8,0,0,0\n2,4,5,0,0\n3,1,0,5,0\n');
  const table = reader.finish((title) => ({ title, unit: '', isMinor: title.startsWith('center') }));
  const open = async (state: Partial<ViewState>, meshId: string | null = null) => {
    const initial = { ...defaultViewState(null, meshId, null), ...state };
    const model = new ViewerModel(initial, () => undefined);
    model.setSurface({
      id: 'pores',
      shows: 'defects',
      scalars: [],
      load: () => new Promise(() => undefined),
      places: { title: 'Defects', noun: 'Defect', attribute: 'defectId', load: async () => table },
    });
    await expect.poll(() => model.places.loading.get().status).toBe('ready');
    return model;
  };
  const filter = [{ column: 'volumeMm3', min: 2, max: null }];

  it('are filtered, listed and selected as a link states', async () => {
    const defects = { ...allDefects, filter, order: { column: 'volumeMm3', descending: false } };
    const model = await open({ defects, selectedDefectId: '2' });
    expect([...model.places.rows()]).toEqual([0, 1]);
    expect([...model.places.listed()]).toEqual([1, 0]);
    expect(readSceneState(model, 1).places).toEqual({
      attribute: 'defectId',
      shown: Uint8Array.of(0, 1, 1, 0),
      chosenId: 2,
      chosenBall: null,
    });
    // The objects stay the same while nothing changes.
    expect(readSceneState(model, 1).places).toBe(readSceneState(model, 1).places);
    stepPlace(model, 1);
    expect(model.store.get()).toMatchObject({ selectedDefectId: '1', cursorMm: [0, 0, 0] });
    stepPlace(model, 1);
    expect(model.store.get().selectedDefectId).toBe('1');
    // Home and End apply to the list, whether or not one of its places is selected.
    model.store.update({ selectedDefectId: null });
    stepPlace(model, Infinity);
    expect(model.store.get().selectedDefectId).toBe('1');
    stepPlace(model, -Infinity);
    expect(model.store.get().selectedDefectId).toBe('2');
    model.dispose();
  });

  it('lose their filter with another surface, and keep it if the link names the surface', async () => {
    const own = await open({ defects: { ...allDefects, filter } }, 'pores');
    expect(own.places.rows()).toHaveLength(2);
    own.dispose();
    const other = await open({ defects: { ...allDefects, filter }, selectedDefectId: '2' }, 'another');
    expect(other.places.rows()).toHaveLength(3);
    expect(other.store.get().selectedDefectId).toBeNull();
    other.dispose();
  });

  it('colour their surface by any column, and by its logarithm if it has one', async () => {
    const model = await open({});
    const names = model.scalars().map(({ name }) => name);
    expect(names).toEqual(['volumeMm3', 'log10 volumeMm3']);
    const defectId = Float32Array.of(3, 1, 1, 9);
    model.surfaceData.set({ scalars: { defectId } } as never);
    const readValues = (scalar: string) => {
      model.store.updateSurface({ scalar });
      model.scalar();
      return [...(model.surfaceData.get()?.scalars[scalar] ?? [])];
    };
    expect(readValues('volumeMm3')).toEqual([1, 8, 8, missingValue]);
    expect(readValues('log10 volumeMm3')).toEqual([
      0,
      Math.fround(Math.log10(8)),
      Math.fround(Math.log10(8)),
      missingValue,
    ]);
    model.dispose();
  });

  it('are selected by the point at which they are, without clipping anything', async () => {
    const model = await open({});
    const state = stateAt(model, [5, 0, 0]);
    expect(state).toMatchObject({
      selectedDefectId: '2',
      cursorMm: [5, 0, 0],
      clips: { planes: [], beforePlace: null },
    });
    expect(state.camera?.target).toEqual([5, 0, 0]);
    model.dispose();
  });
});

it('the switch of the reference is part of the view, and another reference is shown again', () => {
  const model = new ViewerModel(null, () => undefined);
  const reference = (id: string) => ({ id, title: 'CAD', load: () => new Promise<never>(() => undefined) });
  model.setReference(reference('one') as never);
  model.store.update({ referenceVisible: false });
  const link = JSON.parse(JSON.stringify(model.store.get()));
  model.dispose();
  const opened = new ViewerModel(link, () => undefined);
  opened.setReference(reference('one') as never);
  expect(readSceneState(opened, 1).referenceVisible).toBe(false);
  opened.setReference(reference('two') as never);
  expect(opened.store.get().referenceVisible).toBe(true);
  opened.dispose();
});

describe('A viewer without a volume', () => {
  it('reports that one is loading until it is known that there is none', () => {
    const model = new ViewerModel(null, () => undefined);
    model.setVolume(undefined, null, null);
    expect(model.volumeLoading.get().status).toBe('loading');
    model.setVolume(null, null, null);
    expect(model.volumeLoading.get().status).toBe('none');
    model.dispose();
  });
});
