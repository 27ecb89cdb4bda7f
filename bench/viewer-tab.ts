/** The viewer in a plain tab: views are opened by links, slices are scrolled with keys. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { SliceName } from '#kernels/grid/plane-transform.ts';
import { encodeViewState } from '#web/viewer/state/url-codec.ts';
import { canonicalise } from '#web/viewer/state/view-state.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import type { PlainTab } from './plain-tab.ts';

declare const window: EventTarget & {
  __scanwrightViewer?: ViewerHooks;
  __watchedPane?: { end(): Steps };
};

export interface Session {
  token: string;
  expiresAt: string;
}

export const waitUntilIdle = (tab: PlainTab) =>
  tab.run(() => window.__scanwrightViewer?.whenIdle().then(() => true), undefined);

const waitUntilReady = async (tab: PlainTab) => {
  await tab.waitFor(
    () =>
      document.querySelector('[data-testid=scan-viewer]')?.getAttribute('data-ready') === 'true' &&
      window.__scanwrightViewer !== undefined,
    undefined,
  );
  await waitUntilIdle(tab);
};

/** Signs in without the form. */
export async function storeSession(tab: PlainTab, url: string, session: Session): Promise<void> {
  await tab.goto(`${url}/livez`);
  await tab.waitFor((origin) => location.origin === origin && document.readyState === 'complete', url);
  await tab.run(
    (said) => localStorage.setItem('scanwright.session:same-origin', said),
    JSON.stringify(session),
  );
}

export async function openProjectPage(tab: PlainTab, address: string): Promise<void> {
  await tab.goto(address);
  await tab.waitFor((wanted) => location.href.split('#')[0] === wanted, address);
  await waitUntilReady(tab);
}

export const nameCanvas = (name: SliceName) => `canvas[aria-label^="Slice ${name.toUpperCase()}"]`;

/** Opens a view as a link does, and waits for its picture. @returns the size of its pane */
export async function openView(
  tab: PlainTab,
  address: string,
  state: ViewState,
): Promise<{ width: number; height: number }> {
  await tab.goto(`${address}#view=${await encodeViewState(state)}`);
  await tab.waitFor(
    (wanted) => JSON.stringify(window.__scanwrightViewer?.state().planes) === wanted,
    JSON.stringify(canonicalise(state).planes),
  );
  await waitUntilReady(tab);
  return tab.run(
    (pane) => {
      const { width, height } = document.querySelector(pane) as HTMLCanvasElement;
      return { width, height };
    },
    nameCanvas(state.layout as SliceName),
  );
}

export interface Steps {
  /** from the key to a changed picture, and to the sharp one; milliseconds */
  firstMs: number[];
  sharpMs: number[];
  /** pictures that never became sharp before the next key */
  passed: number;
  /** for the last picture of each key: mean difference of neighbouring pixels, as a share of that before the first key */
  contrasts: number[];
}

/** Runs in the page: samples a region of a pane after each frame. */
function watchPane(pane: string): void {
  const canvas = document.querySelector(pane) as HTMLCanvasElement;
  canvas.focus();
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const [left, top, width, height] = [0.3, 0.35, 0.2, 0.02].map((share, k) =>
    Math.round(share * (k % 2 === 0 ? canvas.width : canvas.height)),
  ) as [number, number, number, number];
  const look = () => {
    const { data } = context.getImageData(left, top, width, height);
    let [contrast, hash] = [0, 0];
    for (let at = 4; at < data.length; at += 4) {
      const off = Math.abs((data[at] as number) - (data[at - 4] as number));
      // An edge of the part is visible in a blurred picture, too.
      if (off < 40) contrast += off;
      hash = (31 * hash + (data[at] as number)) | 0;
    }
    return { contrast, hash };
  };
  const before = look();
  let shown = before.hash;
  interface Step {
    start: number;
    from: number;
    firstMs: number | null;
    sharpMs: number | null;
    contrast: number | null;
  }
  const steps: Step[] = [];
  const press = ({ timeStamp }: Event) =>
    steps.push({ start: timeStamp, from: shown, firstMs: null, sharpMs: null, contrast: null });
  window.addEventListener('keydown', press, { capture: true });
  let isOver = false;
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    const { contrast, hash } = look();
    const now = performance.now();
    const step = steps.at(-1);
    shown = hash;
    if (step && hash !== step.from) {
      step.firstMs ??= now - step.start;
      step.contrast = contrast / before.contrast;
      if (contrast > before.contrast / 2) step.sharpMs ??= now - step.start;
    }
  };
  const frame = () => {
    // After the frame, whichever code draws in it.
    channel.port2.postMessage(null);
    if (!isOver) requestAnimationFrame(frame);
  };
  frame();
  window.__watchedPane = {
    end: () => {
      isOver = true;
      window.removeEventListener('keydown', press, { capture: true });
      const known = (all: (number | null)[]) => all.filter((each) => each !== null);
      return {
        firstMs: known(steps.map(({ firstMs }) => firstMs)),
        sharpMs: known(steps.map(({ sharpMs }) => sharpMs)),
        contrasts: known(steps.map(({ contrast }) => contrast)),
        passed: steps.filter(({ sharpMs }) => sharpMs === null).length,
      };
    },
  };
}

/**
 * Presses a key repeatedly and watches the pane. A picture is sharp when its neighbouring pixels differ as much as
 * those of the picture before the first key, which is at full resolution.
 *
 * @param everyMs between two keys; null waits for the sharp picture, and a moment for prefetching
 */
export async function stepSlices(
  tab: PlainTab,
  name: SliceName,
  { far, times, everyMs }: { far: boolean; times: number; everyMs: number | null },
): Promise<Steps> {
  await waitUntilIdle(tab);
  await tab.run(watchPane, nameCanvas(name));
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await tab.press('PageUp', far ? 8 : 0);
    if (everyMs !== null) await delay(Math.max(0, everyMs - (performance.now() - start)));
    else {
      await waitUntilIdle(tab);
      await delay(250);
    }
  }
  await waitUntilIdle(tab);
  await delay(250);
  const steps = await tab.run(() => window.__watchedPane?.end(), undefined);
  if (!steps) throw new Error('nobody watched the pane');
  return steps;
}
