import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import type { PaneLayout, PaneName } from '#kernels/grid/pane-layout.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { rememberedArrangement, usePaneMemory } from './remembered-panes.ts';

/** Phones and tablets in portrait, where the page puts the results below the viewer. */
const smallScreen = '(max-width: 1023px)';

interface ShownLayout {
  layout: PaneLayout;
  /** false if the browser has no WebGL: slices are shown in place of 3D */
  hasScene: boolean;
  /** whether there is space for only one pane */
  isSmall: boolean;
  show: (layout: PaneLayout) => void;
  /** maximizes a pane, or restores all */
  toggle: (name: PaneName) => void;
}

/** The layout of the view state, as far as this screen and this browser can show it. */
export function useShownLayout(model: ViewerModel): ShownLayout {
  const { layout: wanted } = useSignal(model.store.signal);
  const hasScene = useSignal(model.webgl) !== 'no';
  const isSmall = useMediaQuery(smallScreen, false, { getInitialValueInEffect: false }) === true;
  const { keepArrangement } = usePaneMemory();
  const arrangement = useRef(rememberedArrangement());
  useEffect(() => {
    if (wanted === 'main' || wanted === 'grid') arrangement.current = wanted;
  }, [wanted]);
  const first = hasScene ? '3d' : 'xy';
  const isMissing = !hasScene && (wanted === '3d' || wanted === 'grid');
  const possible = isMissing ? 'main' : wanted;
  const layout = isSmall && (possible === 'main' || possible === 'grid') ? first : possible;
  const show = (next: PaneLayout) => {
    model.store.update({ layout: next });
    if (next === 'main' || next === 'grid') keepArrangement(next);
  };
  const toggle = (name: PaneName) =>
    model.store.update({ layout: wanted === name ? arrangement.current : name });
  return { layout, hasScene, isSmall, show, toggle };
}
