import { expect, it } from 'vitest';
import { nothingCut } from '#kernels/grid/cut-away.ts';
import { defaultViewState } from '../state/view-state.ts';
import type { SceneState } from './layer.ts';
import { type Frame, ShownFrame } from './shown-frame.ts';

const { surface, scene } = defaultViewState(null, null, null);
const state: SceneState = {
  camera: {
    position: [0, -30, 0],
    target: [0, 0, 0],
    up: [0, 0, 1],
    projection: 'orthographic',
    heightMm: 10,
  },
  cursorWorld: [0, 0, 0],
  surface,
  scene,
  referenceVisible: true,
  places: null,
  range: [0, 1],
  lut: new Uint8Array(3),
  section: null,
  cuts: nothingCut,
  volume: {
    visible: false,
    style: 'surface',
    curve: [],
    greyLimits: [0, 1],
    cutColour: null,
    contrast: 1,
    isOnDark: false,
  },
  boxCorners: null,
  cursorLines: [],
};
const frame = {
  state,
  dataVersion: 1,
  widthPx: 300,
  heightPx: 200,
  pixelRatio: 1,
  isOnDark: false,
  isFine: true,
};

it('draws a frame once, and again only finer', () => {
  const shown = new ShownFrame();
  const coarse = { ...frame, isFine: false };
  expect([coarse, coarse, frame, frame, coarse].map((each) => shown.isNew(each))).toEqual([
    true,
    false,
    true,
    false,
    false,
  ]);
  // Equal content in another object is the same frame.
  expect(shown.isNew({ ...frame, state: { ...state, camera: structuredClone(state.camera) } })).toBe(false);
  shown.forget();
  expect(shown.isNew(coarse)).toBe(true);
});

it.each<[string, Partial<Frame>]>([
  ['the camera', { state: { ...state, camera: { ...state.camera, heightMm: 9 } } }],
  ['the cursor', { state: { ...state, cursorWorld: [0, 0, 1] } }],
  ['the colour map', { state: { ...state, lut: new Uint8Array(3) } }],
  [
    'the places shown',
    { state: { ...state, places: { attribute: 'id', shown: null, chosenId: 1, chosenBall: null } } },
  ],
  ['the data', { dataVersion: 2 }],
  ['the size', { widthPx: 301 }],
  ['the resolution of the screen', { pixelRatio: 2 }],
])('draws again when %s has changed', (_, change) => {
  const shown = new ShownFrame();
  shown.isNew(frame);
  expect(shown.isNew({ ...frame, ...change })).toBe(true);
});
