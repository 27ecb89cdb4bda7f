import { expect, it } from 'vitest';
import { describeLabel, describePlace, describeValue } from '#contract/shapes/label-words.ts';
import { projectPoint, standardView } from '#kernels/grid/camera.ts';
import type { Probe } from '../state/panes.ts';
import { canonicalise } from '../state/view-state.ts';
import { ViewerModel } from '../state/viewer-model.ts';
import { pinLabel, pinNote } from './pin-label.ts';

const probe: Probe = {
  pane: '3d',
  pointWorld: [1.234567891, -2, 0.5],
  value: 2.41812345678,
  title: 'Wall thickness',
  unit: 'mm',
  exact: true,
};

it('a value is pinned with its unit and position, and is stored in the view', () => {
  const model = new ViewerModel(null, () => undefined);
  model.probe.set(probe);
  expect(pinLabel(model, true)).toBe(null);
  const label = model.store.get().labels[0] ?? expect.fail('no label');
  expect(label).toEqual({
    pointMm: [1.23457, -2, 0.5],
    value: 2.41812346,
    title: 'Wall thickness',
    unit: 'mm',
    note: '',
  });
  expect(describeValue(label)).toMatch(/^2\.418\smm$/);
  expect(describePlace(label.pointMm)).toBe('1.23, -2.00, 0.50\u202fmm');
  expect(canonicalise(JSON.parse(JSON.stringify(model.store.get()))).labels).toEqual([label]);
});

it('a note is pinned at the cursor, and added to a value already pinned there', () => {
  const model = new ViewerModel(null, () => undefined);
  model.probe.set(probe);
  pinLabel(model, true);
  model.store.update({ cursorMm: [1.234567891, -2, 0.5] });
  expect(pinNote(model, 'Cold shut?')).toBe(true);
  model.store.update({ cursorMm: [3, 4, 5] });
  expect(pinNote(model, 'Weld starts here')).toBe(true);
  const { labels } = canonicalise(JSON.parse(JSON.stringify(model.store.get())));
  expect(labels.map(({ note, value }) => [note, value])).toEqual([
    ['Cold shut?', 2.41812346],
    ['Weld starts here', null],
  ]);
  expect(labels.map((label) => describeLabel(label)[0])).toEqual(['Cold shut?', 'Weld starts here']);
  expect(labels.map((label) => describeLabel(label)[1])[1]).toBe('3.00, 4.00, 5.00\u202fmm');
});

it('a position is pinned only once, a value of coarse voxels or of nothing never, and says why', () => {
  const model = new ViewerModel(null, () => undefined);
  expect(pinLabel(model, true)).toBe('Nothing under the pointer.');
  model.probe.set({ ...probe, exact: false });
  expect(pinLabel(model, true)).toBe('No exact value under the pointer.');
  model.probe.set({ ...probe, pointWorld: [1.00000001, 2, 3], value: null });
  expect(pinLabel(model, true)).toBe(null);
  expect(pinLabel(model, true)).toBe('The value under the pointer is pinned already.');
  expect(model.store.get().labels.map(describeValue)).toEqual(['not measured']);
});

it.each(['orthographic', 'perspective'] as const)(
  'a label is drawn where its position is visible, %s',
  (projection) => {
    const camera = standardView('front', { min: [-1, -1, -1], max: [1, 1, 1] }, 1, projection);
    expect(projectPoint(camera, camera.target, 400, 300)).toEqual([200, 150]);
    const [right, above] = [
      projectPoint(camera, [0.5, 0, 0], 400, 300),
      projectPoint(camera, [0, 0, 0.5], 400, 300),
    ];
    expect(right?.[0]).toBeGreaterThan(210);
    expect(right?.[1]).toBeCloseTo(150, 6);
    expect(above?.[1]).toBeLessThan(140);
    const [near, far] = [
      projectPoint(camera, [0.5, -1, 0], 400, 300),
      projectPoint(camera, [0.5, 1, 0], 400, 300),
    ];
    const nearer = (near?.[0] ?? 0) - (far?.[0] ?? 0);
    if (projection === 'perspective') expect(nearer).toBeGreaterThan(2);
    else expect(nearer).toBeCloseTo(0, 6);
  },
);
