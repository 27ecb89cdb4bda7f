import { describe, expect, it, vi } from 'vitest';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { decodeViewState, encodeViewState } from './url-codec.ts';
import { canonicalise, defaultViewState } from './view-state.ts';
import { settleMs, ViewStore } from './view-store.ts';

const id = '0190c3de-0000-7000-8000-000000000001';
const busy = (): ViewState => ({
  ...defaultViewState(id, id, 'thicknessMm'),
  camera: {
    position: [12.345678901, -0.0000001, 99.999999],
    target: [0.1 + 0.2, 0, 0],
    up: [0, 0.6000000000001, 0.8],
    projection: 'orthographic',
    heightMm: 33.333333333,
  },
  cursorMm: [1 / 3, 2 / 3, -1e-9],
  window: { center: 12345.678912345, width: 1e-7 / 3 },
  surface: { ...defaultViewState(null, null, 'thicknessMm').surface, range: [0.1 + 0.2, 9.87654321987] },
  clips: {
    box: { enabled: true, minMm: [-1 / 3, 0, 0], maxMm: [1 / 3, 1, 1], keep: 'outside' },
    planes: [{ enabled: true, normal: [1, 0, 0], offsetMm: 1 / 7 }],
    beforePlace: { normal: [0, 0.6000000000001, 0.8], offsetMm: 2 / 3 },
    section: 'plain',
  },
});

/** Created before the state had a volume. */
const olderLink =
  'lVG7bsMwDPyXm5lCthu01dylQ74gyKBKjKVWtgRJdhAE-feCSYPO5UDgjq8jecEK3RHWFJeJPxw0VPem7OB4o5RSmxdxr-LUn3Ug' +
  'TFz9f_KjOaelQWNwIFgzcTHQF-RUQwtpht4r2jwr6tSB0EwZud24X2bJD3Qg5JK-2N7LkErzaSwm-2BB8BxG33YTdL-9EuxSaioC' +
  '9x31NEh1NDNX6HmJkXAKs0snkWJ5blyge9EsAdc89CDoSqhLORrLkriGGj4jQ7eyMCFlY0M73w5ZrYmmQKP5YL9nrnU3ybVMhsYa' +
  'SnChglDMPLIs9LSl_kCo3jh294Yya0pJZt_72xjyQ23lyLaxe-cj2yYPEP76Aw';

describe('Canonical view states', () => {
  it('are a fixed point: canonicalising twice changes nothing', () => {
    const once = canonicalise(busy());
    expect(canonicalise(once)).toEqual(once);
    expect(JSON.stringify(canonicalise(JSON.parse(JSON.stringify(once))))).toBe(JSON.stringify(once));
  });

  it('round lengths to 10 nm and grey values to nine digits, and contain no −0', () => {
    const state = canonicalise(busy());
    expect(state.camera?.target[0]).toBe(0.3);
    expect(state.cursorMm).toEqual([0.33333, 0.66667, 0]);
    expect(Object.is(state.cursorMm?.[2], 0)).toBe(true);
    expect(state.window?.center).toBe(12345.6789);
    expect(state.window?.width).toBeGreaterThan(0);
  });

  it('round the points of a curve like other grey values, in their order', () => {
    const curve = [
      { value: 12345.678912345, opacity: 0.12345, color: '#c3c8ce' },
      { value: 1 / 3, opacity: 1, color: '#000000' },
    ];
    const { volume } = canonicalise({ ...busy(), volume: { visible: true, style: 'bone', curve } });
    expect(volume.curve).toEqual([
      { value: 12345.6789, opacity: 0.123, color: '#c3c8ce' },
      { value: 0.333333333, opacity: 1, color: '#000000' },
    ]);
  });

  it('round the clips', () => {
    const { clips } = canonicalise(busy());
    expect(clips.planes).toEqual([{ enabled: true, normal: [1, 0, 0], offsetMm: 0.14286 }]);
    expect(clips.box).toMatchObject({ minMm: [-0.33333, 0, 0], maxMm: [0.33333, 1, 1] });
    expect(clips.beforePlace).toEqual({ normal: [0, 0.6, 0.8], offsetMm: 0.66667 });
  });
});

describe('View states in addresses', () => {
  it('are restored unchanged, from characters that need no escaping', async () => {
    const text = await encodeViewState(busy());
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(text.length).toBeLessThan(900);
    expect(await decodeViewState(text)).toEqual(canonicalise(busy()));
  });

  it('from before slices had marks open without them; later ones contain them', async () => {
    expect((await decodeViewState(olderLink))?.slices).toEqual({
      surface: true,
      reference: true,
      whiskers: false,
      magnification: null,
      walls: false,
    });
    const slices = { surface: true, reference: false, whiskers: true, magnification: 50, walls: true };
    expect((await decodeViewState(await encodeViewState({ ...busy(), slices })))?.slices).toEqual(slices);
    expect(() => canonicalise({ ...busy(), slices: { ...slices, magnification: 0 } })).toThrow();
  });

  it('are the same text for states that are drawn the same', async () => {
    const state = busy();
    expect(await encodeViewState({ ...state, cursorMm: [0.333334, 0.666667, 0] })).toBe(
      await encodeViewState(state),
    );
    expect(await encodeViewState({ ...state, cursorMm: [0.3334, 0.66667, 0] })).not.toBe(
      await encodeViewState(state),
    );
  });

  it('from before 3D showed volumes open as they were, with the volume where there is no surface', async () => {
    const state = await decodeViewState(olderLink);
    expect(state).toMatchObject({
      layout: '3d',
      cursorMm: [1, 2, 3],
      window: { center: 20000, width: 30000 },
    });
    expect(state?.volume).toEqual({ visible: null, style: 'surface', curve: null });
    expect(state?.surface.brush).toBeNull();
  });

  it('are rejected if the link is truncated or invalid', async () => {
    const text = await encodeViewState(busy());
    expect(await decodeViewState(text.slice(0, 60))).toBeNull();
    expect(await decodeViewState('%%%')).toBeNull();
    expect(await decodeViewState('')).toBeNull();
  });
});

describe('The view store', () => {
  it('notifies the panes at once, and the owner once when nothing moves any more', () => {
    vi.useFakeTimers();
    const settled: ViewState[] = [];
    const store = new ViewStore(defaultViewState(null, null, null), (state) => settled.push(state));
    let heard = 0;
    store.signal.subscribe(() => heard++);
    for (let i = 1; i <= 5; i++) {
      store.update({ cursorMm: [i, 0, 0] });
      vi.advanceTimersByTime(settleMs - 1);
    }
    expect(heard).toBe(5);
    expect(settled).toHaveLength(0);
    vi.advanceTimersByTime(settleMs);
    expect(settled.map(({ cursorMm }) => cursorMm)).toEqual([[5, 0, 0]]);
    vi.useRealTimers();
  });

  it('does not report a state that was passed in, nor one that returned to its start', () => {
    vi.useFakeTimers();
    const settled: ViewState[] = [];
    const store = new ViewStore(defaultViewState(null, null, null), (state) => settled.push(state));
    store.replace({ ...store.get(), cursorMm: [1, 2, 3] });
    store.update({ layout: '3d' });
    store.update({ layout: 'main' });
    vi.advanceTimersByTime(10 * settleMs);
    expect(settled).toHaveLength(0);
    expect(store.get().cursorMm).toEqual([1, 2, 3]);
    vi.useRealTimers();
  });

  it('ignores its own report when it comes back late, but accepts an older state', () => {
    vi.useFakeTimers();
    const settled: ViewState[] = [];
    const store = new ViewStore(defaultViewState(null, null, null), (state) => settled.push(state));
    store.update({ cursorMm: [1, 0, 0] });
    vi.advanceTimersByTime(settleMs);
    store.update({ cursorMm: [2, 0, 0] });
    const own = settled[0] ?? expect.fail('no report');
    store.replace(own);
    expect(store.get().cursorMm).toEqual([2, 0, 0]);
    vi.advanceTimersByTime(10_000);
    store.replace(own);
    expect(store.get().cursorMm).toEqual([1, 0, 0]);
    vi.useRealTimers();
  });
});
