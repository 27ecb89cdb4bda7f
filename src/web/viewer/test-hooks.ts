import type { ViewState } from '#contract/shapes/view-state.ts';
import { type CaptureSize, capture } from './panes/capture.ts';
import type { ViewerModel } from './state/viewer-model.ts';

/** Functions of a viewer for browser tests; each uses the code path of the feature. */
export interface ViewerHooks {
  /** resolves when nothing is loading and everything is drawn */
  whenIdle(): Promise<void>;
  /** the state as a bookmark would store it */
  state(): ViewState;
  capture(size: CaptureSize): Promise<Blob>;
}

declare global {
  interface Window {
    __scanwrightViewer?: ViewerHooks;
  }
}

/** Exposes the hooks of the viewer mounted last; returns a function that removes them. */
export function offerHooks(model: ViewerModel): () => void {
  const hooks: ViewerHooks = {
    whenIdle: () => model.scheduler.whenIdle(),
    state: () => model.store.get(),
    capture: (size) => capture(model, size),
  };
  window.__scanwrightViewer = hooks;
  return () => {
    if (window.__scanwrightViewer === hooks) delete window.__scanwrightViewer;
  };
}
