import type { ViewState } from '#contract/shapes/view-state.ts';
import { type CaptureSize, capture } from './state/capture.ts';
import type { ViewerModel } from './state/viewer-model.ts';

/** What a browser test may use of a viewer; each is the feature's own code path. */
export interface ViewerHooks {
  /** resolves when nothing loads and everything is drawn */
  whenIdle(): Promise<void>;
  /** the state as a bookmark would keep it */
  state(): ViewState;
  capture(size: CaptureSize): Promise<Blob>;
}

declare global {
  interface Window {
    __scanwrightViewer?: ViewerHooks;
  }
}

/** Offers the hooks of the viewer that was mounted last; returns what takes them away. */
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
