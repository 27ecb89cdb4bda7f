import { describe, expect, it } from 'vitest';
import { ViewState } from './view-state.ts';

const id = '0190c3de-0000-7000-8000-000000000001';
/** Version 1 as first released, without the fields added to it later. */
const first = {
  v: 1,
  volumeId: null,
  meshId: id,
  camera: null,
  cursorMm: [1, 2, 3],
  planes: null,
  window: { center: 20_000, width: 30_000 },
  surface: { visible: true, opacity: 1, scalar: null, map: 'viridis', range: null },
  clip: null,
};
const plane = { centerMm: [0, 0, 0], heightMm: 10 };
/** Version 1 with all fields that it had in the end. */
const last = {
  ...first,
  layout: 'main',
  planes: { xy: plane, xz: plane, yz: plane, oblique: plane },
  oblique: { normal: [0, 0, 1], up: [0, 1, 0] },
  surface: { ...first.surface, brush: [1, 2], shaded: false },
  scene: { edges: true, occlusion: null, gradient: true },
  referenceVisible: false,
  slices: { surface: true, reference: false, whiskers: true, magnification: 20, walls: true },
  smooth: false,
  clip: { enabled: true, normal: [0, 0, 2], offsetMm: 4, filled: true },
  labels: [{ pointMm: [1, 1, 1], title: 'Grey value', value: 3, unit: '', note: 'crack' }],
  measurements: { visible: false, selectedId: id },
  selectedDefectId: '7',
  defects: { filter: [{ column: 'volumeMm3', min: 1, max: null }], order: null },
  volume: { visible: true, style: 'xray', curve: null },
};

describe('a view of version 1', () => {
  it('looks as before, with defaults for the fields it lacks', () => {
    expect(ViewState.parse(first)).toEqual({
      version: 2,
      volumeId: null,
      meshId: id,
      layout: 'grid',
      camera: null,
      cursorMm: [1, 2, 3],
      planes: null,
      oblique: null,
      window: { center: 20_000, width: 30_000 },
      surface: { ...first.surface, brush: null, shaded: true },
      scene: { edges: false, occlusion: false, gradient: false },
      referenceVisible: true,
      slices: { surface: true, reference: true, whiskers: false, magnification: null, walls: false },
      smooth: true,
      clips: { box: null, planes: [], beforePlace: null, section: 'grey' },
      labels: [],
      measurements: { visible: true, selectedId: null },
      selectedDefectId: null,
      defects: { filter: [], order: null, histogram: { column: null, log: true } },
      volume: { visible: null, style: 'surface', curve: null },
      compare: null,
      alignmentId: null,
    });
  });

  it('keeps all its fields; its one cut becomes the first clip plane', () => {
    const { v: _, clip: __, ...same } = last;
    const cut = { enabled: true, normal: [0, 0, 2], offsetMm: 4 };
    expect(ViewState.parse(last)).toEqual({
      ...same,
      version: 2,
      clips: { box: null, planes: [cut], beforePlace: null, section: 'grey' },
      defects: { ...last.defects, histogram: { column: null, log: true } },
      compare: null,
      alignmentId: null,
    });
  });

  it('keeps an unfilled section open, and fills in fields missing within its parts', () => {
    const { filled: _, ...cut } = last.clip;
    const { oblique: __, ...planes } = last.planes;
    const slices = { surface: false, reference: true };
    const labels = [{ pointMm: [1, 1, 1], title: 'Wall', value: null, unit: 'mm' }];
    expect(ViewState.parse({ ...last, clip: cut, planes, slices, labels })).toMatchObject({
      clips: { section: 'open' },
      planes: { oblique: null },
      slices: { ...slices, whiskers: false },
      labels: [{ note: '' }],
    });
  });

  it.each<[string, unknown]>([
    ['of a later version', { ...first, v: 3 }],
    ['with an unknown field', { ...first, speed: 1 }],
    ['with an unknown field of the cut', { ...last, clip: { ...last.clip, depth: 1 } }],
    ['with a cut without a direction', { ...last, clip: { ...last.clip, normal: [0, 0, 0] } }],
    ['with a string as its cut', { ...last, clip: 'yes' }],
    ['with a cut whose `filled` is a string', { ...last, clip: { ...last.clip, filled: 'yes' } }],
    ['without its cut', { ...first, clip: undefined }],
    ['with a string as labels', { ...last, labels: 'none' }],
    ['with a number as slices', { ...last, slices: 4 }],
    ['without a camera', { ...first, camera: undefined }],
    ['that is a string', 'view'],
    ['that is null', null],
  ])('%s is refused', (_, state) => {
    expect(ViewState.safeParse(state).success).toBe(false);
  });
});

describe('a view of version 2', () => {
  const state = ViewState.parse(last);

  it('is read unchanged', () => {
    expect(ViewState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it('stored before a field existed gets its default', () => {
    const { compare: _, alignmentId: __, ...earlier } = state;
    const { histogram: ___, ...defects } = earlier.defects;
    expect(ViewState.parse({ ...earlier, defects })).toEqual({ ...state, compare: null, alignmentId: null });
  });

  it('compares two to nine scans and never a scan with itself', () => {
    const compare = (count: number, over = 1) => ({
      scans: Array.from({ length: count }, () => ({ projectId: id, volumeId: null })),
      view: 'xy',
      mode: 'swipe',
      over,
      share: 0.3,
      held: null,
      aligned: true,
      middleMm: null,
      heightMm: null,
    });
    const accepts = (...of: Parameters<typeof compare>) =>
      ViewState.safeParse({ ...state, compare: compare(...of) }).success;
    expect([accepts(1), accepts(2), accepts(9, 8), accepts(10)]).toEqual([false, true, true, false]);
    expect([accepts(2, 0), accepts(3, 2), accepts(3, 3)]).toEqual([false, true, false]);
    const { held: _, ...earlier } = compare(2);
    expect(ViewState.parse({ ...state, compare: earlier })).toEqual({ ...state, compare: compare(2) });
  });

  const box = { enabled: true, minMm: [0, 0, 0], maxMm: [1, 1, 1], keep: 'inside' };
  it.each<[string, object, boolean]>([
    ['a box', { box }, true],
    ['a box whose minimum exceeds its maximum', { box: { ...box, maxMm: [1, 0, 1] } }, false],
    ['seven planes', { planes: Array.from({ length: 7 }, () => state.clips.planes[0]) }, false],
    ['a section of another kind', { section: 'red' }, false],
  ])('with %s', (_, change, isAccepted) => {
    expect(ViewState.safeParse({ ...state, clips: { ...state.clips, ...change } }).success).toBe(isAccepted);
  });

  it.each(Object.keys(state))('is refused without %s', (name) => {
    expect(ViewState.safeParse({ ...state, [name]: undefined }).success).toBe(false);
  });
});
