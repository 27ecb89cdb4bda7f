/** A view state for tests that need an arbitrary one. */
import { allDefects } from '#contract/shapes/migrate-view-state.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';

export const viewState: ViewState = {
  version: 2,
  volumeId: null,
  meshId: null,
  alignmentId: null,
  layout: 'grid',
  camera: null,
  cursorMm: [1, 2, 3],
  planes: null,
  oblique: null,
  window: { center: 10, width: 5 },
  surface: {
    visible: true,
    opacity: 1,
    scalar: null,
    map: 'viridis',
    range: null,
    brush: null,
    shaded: true,
  },
  scene: { edges: false, occlusion: false, gradient: false },
  referenceVisible: true,
  slices: { surface: true, reference: true, whiskers: false, magnification: null, walls: false },
  smooth: true,
  clips: { box: null, planes: [], beforePlace: null, section: 'grey' },
  labels: [],
  measurements: { visible: true, selectedId: null },
  selectedDefectId: null,
  defects: allDefects,
  volume: { visible: null, style: 'surface', curve: null },
  compare: null,
};
