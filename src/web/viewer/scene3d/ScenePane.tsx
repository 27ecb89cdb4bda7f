import { useElementSize } from '@mantine/hooks';
import {
  IconCube,
  IconListNumbers,
  IconMaximize,
  IconMinimize,
  IconPerspective,
  IconStack2,
  IconViewportWide,
} from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { formatCount, formatLength } from '#contract/base/format-number.ts';
import { listLabels } from '#contract/shapes/label-words.ts';
import { fitted, type StandardView, standardView, standardViews } from '#kernels/grid/camera.ts';
import { onDark } from '#kernels/overlay/paint.ts';
import { paintChosenRing } from '#kernels/overlay/paint-chosen-place.ts';
import { paintGizmos } from '#kernels/overlay/paint-gizmos.ts';
import { paintSceneLabels } from '#kernels/overlay/paint-labels.ts';
import { paintSceneOverlay } from '#kernels/overlay/paint-scene.ts';
import { IconButton } from '../controls/IconButton.tsx';
import inputStyles from '../controls/inputs.module.css';
import { Engine } from '../engine/engine.ts';
import { ShownFrame } from '../engine/shown-frame.ts';
import { contextLost, WebGLMissing } from '../engine/webgl-missing.ts';
import { paintSceneMeasurements } from '../measure/paint-measurements.ts';
import { chooseInks } from '../overlay/scheme.ts';
import paneStyles from '../pane.module.css';
import { Legend } from '../scalars/Legend.tsx';
import { LegendSource } from '../scalars/legend-model.ts';
import { readSceneState } from '../state/scene-state.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { isVolumeShown } from '../state/volume-look.ts';
import viewerStyles from '../viewer.module.css';
import { CameraFields } from './CameraFields.tsx';
import { feedVolume } from './feed-volume.ts';
import { listGizmos } from './gizmos.ts';
import { HoverLabel } from './HoverLabel.tsx';
import { LayerSwitches, listLayers } from './LayerSwitches.tsx';
import sceneStyles from './scene.module.css';
import { attachSceneGestures } from './scene-gestures.ts';
import { paintScenePicture } from './scene-picture.ts';

/** In a lower pane the layer switches would cover the part; its header opens them. */
const roomForLayersPx = 280;

/** Time without movement before edges are antialiased. */
const restMs = 160;

interface ScenePaneProps {
  model: ViewerModel;
  maximised: boolean;
  onMaximise: (() => void) | null;
}

/** Surface and volume in 3D with the legend. */
export function ScenePane({ model, maximised, onMaximise }: ScenePaneProps) {
  const state = useSignal(model.store.signal);
  useSignal(model.revision);
  const loading = useSignal(model.surfaceLoading);
  const holder = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [hasNumbers, setNumbers] = useState(false);
  const { ref: pane, height: paneHeightPx } = useElementSize();
  const [layersWanted, setLayersWanted] = useState<boolean | null>(null);
  const hasLayers = layersWanted ?? paneHeightPx > roomForLayersPx;
  useEffect(() => {
    const parent = holder.current;
    if (!parent) return;
    try {
      return keepScene(parent, model, setProblem);
    } catch (cause) {
      if (!(cause instanceof WebGLMissing)) throw cause;
      // Slices are shown in its place.
      model.webgl.set('no');
    }
  }, [model]);

  const aspect = () => (holder.current?.clientWidth ?? 1) / Math.max(1, holder.current?.clientHeight ?? 1);
  const look = (view: StandardView) =>
    model.store.update({
      camera: standardView(view, model.bounds(), aspect(), state.camera?.projection ?? 'orthographic'),
    });
  const perspective = state.camera?.projection === 'perspective';
  return (
    <section ref={pane} className={paneStyles['pane']} aria-label="3D">
      <header className={paneStyles['paneHeader']}>
        <span className={paneStyles['paneTitle']}>3D</span>
        <span className={viewerStyles['grow']} />
        <label className={sceneStyles['inlineSelect']}>
          <IconCube size={15} aria-hidden="true" />
          <select
            aria-label="Look from"
            value=""
            onChange={(event) => look(event.currentTarget.value as StandardView)}
          >
            <option value="" disabled>
              View
            </option>
            {standardViews.map((view) => (
              <option key={view} value={view}>
                {view.charAt(0).toUpperCase() + view.slice(1)}
              </option>
            ))}
          </select>
        </label>
        {listLayers(model).length > 1 && (
          <IconButton label="Layers" pressed={hasLayers} onClick={() => setLayersWanted(!hasLayers)}>
            <IconStack2 size={15} />
          </IconButton>
        )}
        <IconButton label="Camera in numbers" pressed={hasNumbers} onClick={() => setNumbers(!hasNumbers)}>
          <IconListNumbers size={15} />
        </IconButton>
        <IconButton
          label={perspective ? 'Parallel projection, with scale bar' : 'Perspective'}
          pressed={perspective}
          onClick={() =>
            model.store.update({
              camera: { ...model.camera(aspect()), projection: perspective ? 'orthographic' : 'perspective' },
            })
          }
        >
          <IconPerspective size={15} />
        </IconButton>
        <IconButton
          label="Fit the part"
          keys="Home"
          onClick={() =>
            model.store.update({ camera: fitted(model.camera(aspect()), model.bounds(), aspect()) })
          }
        >
          <IconViewportWide size={15} />
        </IconButton>
        {onMaximise ? (
          <IconButton label={maximised ? 'Show all panes' : 'Show 3D alone'} keys="F" onClick={onMaximise}>
            {maximised ? <IconMinimize size={15} /> : <IconMaximize size={15} />}
          </IconButton>
        ) : null}
      </header>
      {hasNumbers && (
        <CameraFields camera={model.camera(aspect())} onChange={(camera) => model.store.update({ camera })} />
      )}
      <div
        className={paneStyles['paneBody']}
        data-kind="scene"
        data-gradient={state.scene.gradient && state.surface.shaded}
      >
        <div className={sceneStyles['picture']}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the canvas inside carries role and keys */}
          <div ref={holder} className={paneStyles['holder']} onDoubleClick={onMaximise ?? undefined} />
          {problem ? (
            <p className={paneStyles['notice']} data-problem>
              {problem}
            </p>
          ) : null}
          {!problem && loading.status === 'loading' && !model.shownSurface.isSimplified() ? (
            <p className={paneStyles['notice']}>{loading.stage}…</p>
          ) : null}
          {problem ? null : <SimplifiedNotice model={model} />}
          {!problem && loading.status === 'none' ? <VolumeNotice model={model} /> : null}
          {problem ? null : <HoverLabel model={model} />}
          {!problem && hasLayers ? <LayerSwitches model={model} /> : null}
        </div>
        {problem ? null : <Legend model={model} />}
      </div>
    </section>
  );
}

/** Notice that a simplified surface is shown: while the original loads, or permanently if it is very large. */
function SimplifiedNotice({ model }: { model: ViewerModel }) {
  const shown = model.shownSurface;
  const whole = useSignal(shown.whole);
  const simplified = useSignal(shown.simplified);
  const loading = useSignal(shown.loading);
  if (!simplified || whole || loading.status === 'failed') return null;
  const all = formatCount(simplified.wholeTriangles);
  return (
    <p className={sceneStyles['simplified']}>
      Simplified surface
      {loading.status === 'loading' ? (
        `, loading all ${all} triangles…`
      ) : (
        <button type="button" className={inputStyles['linkButton']} onClick={() => shown.bringWhole()}>
          Load all {all} triangles
        </button>
      )}
    </p>
  );
}

/** Loading state of the volume, if there is no surface to show. */
function VolumeNotice({ model }: { model: ViewerModel }) {
  const volume = useSignal(model.volumeLoading);
  const drawn = useSignal(model.volumeDrawn);
  if (drawn.status === 'failed')
    return (
      <p className={paneStyles['notice']} data-problem>
        The volume cannot be shown in 3D: {drawn.problem}
      </p>
    );
  if (volume.status === 'none') return <p className={paneStyles['notice']}>No volume and no surface yet.</p>;
  if (volume.status === 'failed') return null;
  if (!isVolumeShown(model))
    return <p className={paneStyles['notice']}>The volume is hidden; “Volume” above shows it.</p>;
  return drawn.status === 'ready' ? null : <p className={paneStyles['notice']}>Loading the volume…</p>;
}

/** Whether everything to be shown is still loading; each of these triggers a frame when it arrives. */
function isAwaited({ shownSurface, shownReference, volumeLoading, volumeDrawn }: ViewerModel): boolean {
  if (shownSurface.drawn() || shownReference.drawn()) return false;
  const loads = [shownSurface.loading, shownReference.loading, volumeLoading, volumeDrawn];
  return loads.some((signal) => signal.get().status === 'loading');
}

/**
 * Recreates the scene when a lost graphics context is restored: its resources are gone, and each attempt to delete one
 * later would be an error.
 *
 * @throws WebGLMissing
 */
function keepScene(
  parent: HTMLDivElement,
  model: ViewerModel,
  setProblem: (problem: string | null) => void,
): () => void {
  const canvas = document.createElement('canvas');
  let end = mountScene(parent, canvas, model);
  setProblem(null);
  const lost = (event: Event) => {
    event.preventDefault();
    end();
    end = () => undefined;
    setProblem(contextLost);
  };
  const restored = () => {
    end = mountScene(parent, canvas, model);
    setProblem(null);
  };
  canvas.addEventListener('webglcontextlost', lost);
  canvas.addEventListener('webglcontextrestored', restored);
  return () => {
    canvas.removeEventListener('webglcontextlost', lost);
    canvas.removeEventListener('webglcontextrestored', restored);
    end();
  };
}

/** Makes the canvas focusable, and names the keys that it handles. */
function nameKeys(canvas: HTMLCanvasElement): void {
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute(
    'aria-label',
    'Part in 3D. Arrows turn it, Shift and arrows move it, plus and minus zoom, Home fits the part.',
  );
}

/** @throws WebGLMissing */
function mountScene(parent: HTMLDivElement, canvas: HTMLCanvasElement, model: ViewerModel): () => void {
  const engine = new Engine(canvas);
  const overlay = document.createElement('canvas');
  overlay.setAttribute('aria-hidden', 'true');
  overlay.style.pointerEvents = 'none';
  nameKeys(canvas);
  parent.append(canvas, overlay);
  model.webgl.set('yes');
  model.canOcclude.set(engine.budget.occlusion);
  const setSurface = () => {
    const { whole, simplified } = model.shownSurface;
    engine.setSurface(whole.get(), simplified.get()?.data);
  };
  setSurface();
  const setReference = () => {
    const { reference, shownReference } = model;
    engine.setReference(shownReference.drawn(), reference?.matrix ?? [], reference?.isPart ?? false);
  };
  setReference();
  const legend = new LegendSource(model);

  let moving = false;
  let drawn = { widthPx: 0, heightPx: 0 };
  const shown = new ShownFrame();
  let rest: ReturnType<typeof setTimeout> | null = null;
  let finish: (() => void) | null = null;
  const draw = () => {
    const [width, height] = [parent.clientWidth, parent.clientHeight];
    drawn = { widthPx: width, heightPx: height };
    if (width < 1 || height < 1) return shown.forget();
    const scale = window.devicePixelRatio || 1;
    for (const { style } of [canvas, overlay]) {
      style.width = `${width}px`;
      style.height = `${height}px`;
    }
    const state = readSceneState(model, width / height);
    const isFine = !moving && !isAwaited(model);
    engine.apply(state);
    const isOnDark = chooseInks(parent) === onDark;
    engine.isOnDark = isOnDark;
    const { dataVersion } = engine;
    if (shown.isNew({ state, dataVersion, ...drawn, pixelRatio: scale, isOnDark, isFine }))
      engine.draw(width, height, scale, isFine);
    paintOverlay();
  };
  /** Draws the overlay of the scene separately, so that measuring does not redraw the scene, which may take long. */
  const paintOverlay = () => {
    const { widthPx: width, heightPx: height } = drawn;
    if (width < 1 || height < 1) return;
    const scale = window.devicePixelRatio || 1;
    const state = readSceneState(model, width / height);
    overlay.width = Math.round(width * scale);
    overlay.height = Math.round(height * scale);
    const context = overlay.getContext('2d');
    if (!context) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const inks = state.volume.isOnDark ? onDark : chooseInks(parent);
    paintGizmos(listGizmos(model), context, state.camera, [width, height], inks);
    const texts = paintSceneMeasurements(model, context, state.camera, [width, height], inks);
    paintSceneOverlay(context, state.camera, [width, height], inks, formatLength);
    paintChosenRing(context, state.places?.chosenBall ?? null, state.camera, [width, height], inks);
    const labels = listLabels(model.store.get().labels);
    const switches = [...(parent.parentElement?.querySelectorAll('fieldset') ?? [])].map((each) => ({
      ...{ left: each.offsetLeft, width: each.offsetWidth },
      ...{ y: each.offsetTop + each.offsetHeight, height: each.offsetHeight },
    }));
    paintSceneLabels(context, labels, state.camera, [width, height], inks, [...texts, ...switches]);
  };
  const request = () => model.scheduler.request(draw);
  const drawAfter = (set: () => void) => () => {
    set();
    request();
  };
  const move = () => {
    moving = true;
    finish ??= model.scheduler.begin();
    if (rest) clearTimeout(rest);
    rest = setTimeout(() => {
      moving = false;
      request();
      finish?.();
      finish = null;
    }, restMs);
  };
  const change = () => {
    move();
    request();
  };
  const detach = attachSceneGestures(canvas, model, () => engine, move);
  const sized = new ResizeObserver(() => {
    const size = { widthPx: parent.clientWidth, heightPx: parent.clientHeight };
    model.paneSizes.set('3d', size);
    // The observer also reports the initial size, which the first frame already has.
    if (size.widthPx !== drawn.widthPx || size.heightPx !== drawn.heightPx) request();
  });
  sized.observe(parent);
  const switched = new MutationObserver(() => model.scheduler.request(paintOverlay));
  if (parent.parentElement) switched.observe(parent.parentElement, { childList: true });
  const stops = [
    model.store.signal.subscribe(change),
    model.revision.subscribe(request),
    model.volumeDrawn.subscribe(request),
    model.scheme.subscribe(request),
    model.measuring.props.subscribe(() => model.scheduler.request(paintOverlay)),
    model.measuring.next.subscribe(() => model.scheduler.request(paintOverlay)),
    ...[model.shownSurface.whole, model.shownSurface.simplified].map((signal) =>
      signal.subscribe(drawAfter(setSurface)),
    ),
    ...[model.shownReference.whole, model.shownReference.simplified].map((signal) =>
      signal.subscribe(drawAfter(setReference)),
    ),
  ];
  const starve = feedVolume(model, engine);
  model.painters.set('3d', (context, width, height, scale) =>
    paintScenePicture(context, engine, model, legend.get(), { widthPx: width, heightPx: height, scale }),
  );
  request();
  return () => {
    for (const stop of stops) stop();
    sized.disconnect();
    switched.disconnect();
    detach();
    starve();
    if (rest) clearTimeout(rest);
    finish?.();
    model.painters.delete('3d');
    model.scheduler.cancel(draw);
    model.scheduler.cancel(paintOverlay);
    engine.dispose();
    canvas.remove();
    overlay.remove();
  };
}
