import { describe, expect, it, vi } from 'vitest';
import { boundsOf } from '#kernels/color/vertex-areas.ts';
import { frame, standardView } from '#kernels/grid/camera.ts';
import { identityDirections } from '#kernels/grid/volume.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { stateAt } from './state-at.ts';
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
/** A turn by 0.4 about z. */
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

describe('the slices of a volume that was just opened', () => {
  it.each([
    ['along the axes', volume()],
    ['turned', volume({ directions: turned })],
    ['far from zero', volume({ originMm: [12345.678, -9876.54321, 0.1 + 0.2] })],
  ])('stay where they are when another one is scrolled, %s', (_, description) => {
    const model = new ViewerModel(null, () => undefined);
    model.setVolume(description, null, null);
    const [xy, xz, yz] = indices(model) as number[];
    for (let step = 1; step < 10; step++) {
      model.setSliceIndex('xy', xy + step);
      expect(indices(model)).toEqual([xy + step, xz, yz]);
    }
    model.setSliceIndex('xz', 3);
    expect(indices(model)).toEqual([xy + 9, 3, yz]);
    model.dispose();
  });
});

/** An octahedron around a point, as the reader of surfaces hands it over. */
function balls(...all: [number, number, number, number][]): SurfaceData {
  const positions = all.flatMap(([x, y, z, r]) => [
    ...[x + r, y, z, x - r, y, z, x, y + r, z],
    ...[x, y - r, z, x, y, z + r, x, y, z - r],
  ]);
  const sides = [0, 2, 2, 1, 1, 3, 3, 0];
  const indices = all.flatMap((_, ball) =>
    [0, 2, 4, 6].flatMap((side) => {
      const [a, b] = [6 * ball + sides[side], 6 * ball + sides[side + 1]];
      return [a, b, 6 * ball + 4, b, a, 6 * ball + 5];
    }),
  );
  return {
    positions: Float32Array.from(positions),
    normals: new Float32Array(positions.length),
    indices: Uint32Array.from(indices),
    scalars: {},
    texture: null,
    vertexAreasMm2: new Float32Array(positions.length / 3),
    areaMm2: 1,
    bounds: boundsOf(Float32Array.from(positions)),
    bvhRoots: [],
  };
}

describe('a pore that was chosen', () => {
  const chosen: [number, number, number] = [0, 0, 0];
  const ends = [20, -20].flatMap((x) => [[x, 20, 20, 0.1] as const, [x, -20, -20, 0.1] as const]);
  const stateAround = (...pores: [number, number, number, number][]) => {
    const model = new ViewerModel(null, () => undefined);
    model.surface = { id: 'pores', shows: 'defects', scalars: [], load: () => Promise.reject() };
    model.surfaceData.set(
      balls(...pores, ...ends.map(([...ball]) => ball as [number, number, number, number])),
    );
    const state = stateAt(model, chosen);
    model.dispose();
    return state;
  };
  const towards = frame(standardView('isometric', { min: [-1, -1, -1], max: [1, 1, 1] }, 1)).towards;

  it('is not cut open, however large it is', () => {
    expect(stateAround([0, 0, 0, 9]).clip?.enabled ?? false).toBe(false);
  });

  it('is uncovered by a cut that takes away what is before it and nothing of itself', () => {
    const before = towards.map((value) => value * 15) as [number, number, number];
    const { clip } = stateAround([0, 0, 0, 6], [...before, 4]);
    const along = (...point: number[]) => point.reduce((sum, value, k) => sum + value * towards[k], 0);
    expect(clip?.enabled).toBe(true);
    const corners = [
      [6, 0, 0],
      [-6, 0, 0],
      [0, 6, 0],
      [0, -6, 0],
      [0, 0, 6],
      [0, 0, -6],
    ];
    for (const corner of corners) expect(along(...corner)).toBeLessThan(clip?.offsetMm ?? 0);
    expect(clip?.offsetMm).toBeLessThan(15 - 4);
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
  expect(opened.sceneState(1).referenceVisible).toBe(false);
  opened.setReference(reference('two') as never);
  expect(opened.store.get().referenceVisible).toBe(true);
  opened.dispose();
});

describe('a viewer without a volume', () => {
  it('says that one is on its way until it is known that there is none', () => {
    const model = new ViewerModel(null, () => undefined);
    model.setVolume(undefined, null, null);
    expect(model.volumeLoading.get().status).toBe('loading');
    model.setVolume(null, null, null);
    expect(model.volumeLoading.get().status).toBe('none');
    model.dispose();
  });
});
