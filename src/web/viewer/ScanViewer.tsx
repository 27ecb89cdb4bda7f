import { notifications } from '@mantine/notifications';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { PaneLayout, PaneName } from '#kernels/grid/pane-layout.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { overlayFont } from '#kernels/overlay/paint.ts';

import { type Command, useCommands } from '#web/ui/commands.ts';
import { saveFile } from '#web/ui/save-file.ts';
import { forgetUndo, rememberUndo } from '#web/ui/undo-toast.tsx';
import inputStyles from './controls/inputs.module.css';
import { hasPanel, PanelDock, type PanelName } from './controls/PanelDock.tsx';
import { StatusLine } from './controls/StatusLine.tsx';
import { Toolbar } from './controls/Toolbar.tsx';
import { readMessage } from './data/read-message.ts';
import type { SliceSource, VolumeDescription } from './data/slice-source.ts';
import { withoutWebGL } from './engine/webgl-missing.ts';
import { feelSurface } from './measure/surface-feeler.ts';
import { watchScheme } from './overlay/scheme.ts';
import { type CaptureSize, capture } from './panes/capture.ts';
import { Panes } from './panes/Panes.tsx';
import { rememberedArrangement, usePaneMemory } from './panes/remembered-panes.ts';
import { useShownLayout } from './panes/shown-layout.ts';
import { PlacesDock, usePlaceKeys } from './places/PlacesDock.tsx';
import { pinLabel, pinNote } from './slices/pin-label.ts';
import type { Loading } from './state/loading.ts';
import type { MeasureProps } from './state/measuring.ts';
import { useSignal } from './state/signal.ts';
import { stateAt } from './state/state-at.ts';
import type { SurfacePlan } from './state/surface-plan.ts';
import type { ReferenceSource, SurfaceSource } from './state/surface-source.ts';
import { defaultViewState } from './state/view-state.ts';
import { ViewerModel } from './state/viewer-model.ts';
import { offerHooks } from './test-hooks.ts';
import styles from './viewer.module.css';

/** A view that can be saved as a bookmark. */
export interface KeptView {
  /** the current view as a PNG of a fixed size, with legend and scale bars */
  capture(size: CaptureSize): Promise<Blob>;
  /** the current state, canonical */
  state(): ViewState;
}

export interface ScanViewerHandle extends KeptView {
  /** changes which measurements are shown; the slices move to the given point */
  showMeasurements(change: Partial<ViewState['measurements']>, pointMm?: Vector3): void;
  /** the current state, but with this point (mm) at the centre of every pane and under the cursor */
  stateAt(pointMm: Vector3): ViewState;
  /** moves points (mm) to the nearest place on the part's visible surface; null if none is shown */
  snapToSurface(points: readonly Vector3[]): { points: Vector3[]; surfaceId: string } | null;
}

export interface ScanViewerProps {
  /**
   * null = there is no volume; undefined = its description is still loading. Another `id` loads a new volume; another
   * object with the same `id` changes nothing.
   */
  volume: VolumeDescription | null | undefined;
  /** planes at full resolution; null = only the preview is available */
  slices: SliceSource | null;
  /** a volume of at most 256³ voxels, drawn at once */
  preview: ((signal: AbortSignal) => Promise<Volume>) | null;
  /** null = no surface (yet); another `id` loads a new one */
  surface: SurfaceSource | null;
  /** drawn together with the surface aligned to it; another `id` loads a new one */
  reference?: ReferenceSource | null;
  /** the alignment shown, which is part of the view; null = none */
  alignmentId?: string | null;
  /** a planned surface, previewed on the slices in place of the current one */
  plan?: SurfacePlan | null;
  /** state from a link or a bookmark; applied whenever it differs from the last one passed */
  viewState?: ViewState | null;
  /** called with the state once nothing has moved for a quarter of a second */
  onViewStateChange?: (state: ViewState) => void;
  /** called at once with every change of the state, also during movements */
  onMove?: (state: ViewState) => void;
  /** the presenter's view, applied as it arrives */
  followed?: Pick<ViewState, 'camera' | 'cursorMm' | 'planes'> | null;
  /** saved measurements, and the one in progress */
  measure?: MeasureProps;
  /** the page's own buttons in the viewer's toolbar */
  actions?: ReactNode;
  /** where panels and the table of places open, so that the panes keep their room; null = they stay closed */
  panelHolder?: HTMLElement | null;
  listHolder?: HTMLElement | null;
  /** name of saved pictures, without extension */
  pictureName?: string;
  ref?: RefObject<ScanViewerHandle | null>;
}

let cuts = 0;
/** Adds the change of a cut to what Ctrl+Z undoes on the page. */
function rememberCut(undo: () => void): () => void {
  const about = `cut ${cuts++}`;
  rememberUndo('change of a cut', undo, about);
  return () => forgetUndo(about);
}

/**
 * The part in 3D and three linked slices. Independent of the service: all data comes in through its properties. Meant
 * to be loaded lazily: `lazy(() => import('#web/viewer/ScanViewer.tsx'))`.
 */
export default function ScanViewer(props: ScanViewerProps) {
  const latest = useRef(props);
  latest.current = props;
  const [model, setModel] = useState<ViewerModel | null>(null);
  useEffect(() => {
    const initial = latest.current.viewState ?? {
      ...defaultViewState(null, null, null),
      layout: rememberedArrangement(),
    };
    const made = new ViewerModel(initial, (state) => latest.current.onViewStateChange?.(state));
    setModel(made);
    made.clipHistory.remember = rememberCut;
    const stops = [
      offerHooks(made),
      made.store.signal.subscribe(() => latest.current.onMove?.(made.store.get())),
      watchScheme(() => made.scheme.set(made.scheme.get() + 1)),
    ];
    // Canvases are redrawn once the dashboard's font has loaded.
    void document.fonts.load(overlayFont(12)).then(() => made.scheme.set(made.scheme.get() + 1));
    return () => {
      for (const stop of stops) stop();
      made.dispose();
    };
  }, []);
  return <div className={styles['frame']}>{model ? <Viewer {...props} model={model} /> : null}</div>;
}

/** Passes the properties to the model; data with another id is loaded. */
function useInputs(model: ViewerModel, props: ScanViewerProps) {
  const { volume, surface, reference, viewState } = props;
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (viewState) model.store.replace(viewState);
  }, [model, viewState]);
  const { measure, followed, plan, alignmentId = null } = props;
  useKeptAlignment(model, alignmentId, viewState);
  useEffect(() => model.plan.set(plan ?? null), [model, plan]);
  useEffect(() => {
    if (followed) model.store.update(followed);
  }, [model, followed]);
  useEffect(() => model.measuring.props.set(measure ?? null), [model, measure]);
  useEffect(() => feelSurface(model), [model]);
  const volumeId = volume === null ? null : volume?.id;
  const loadVolume = useCallback(() => {
    const { volume, slices, preview } = latest.current;
    model.setVolume(volume, slices, preview);
  }, [model]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id identifies the volume, not the object
  useEffect(loadVolume, [loadVolume, volumeId]);
  const surfaceId = surface?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id identifies the surface, not the object
  useEffect(() => {
    model.setSurface(latest.current.surface);
  }, [model, surfaceId]);
  const referenceId = reference?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id identifies the reference, not the object
  useEffect(() => {
    model.setReference(latest.current.reference ?? null);
  }, [model, referenceId]);
  return { loadVolume, latest };
}

/** Keeps the alignment shown in the state, even if a restored view names another one. */
function useKeptAlignment(model: ViewerModel, alignmentId: string | null, viewState: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a restored view may name another alignment
  useEffect(() => {
    if (model.store.get().alignmentId !== alignmentId) model.store.update({ alignmentId });
  }, [model, alignmentId, viewState]);
}

interface Arrangement {
  layout: PaneLayout;
  /** whether only one pane is shown at a time */
  isSmall: boolean;
  /** maximizes a pane, or restores all */
  toggle: (pane: PaneName) => void;
}

/** Works wherever the focus is. */
const pinByKey = (model: ViewerModel): Command => ({
  keys: 'p',
  label: 'Pin the value under the pointer, or at the cursor',
  group: 'Viewer',
  run: () => {
    const isPointing = document.querySelector('[data-pane] canvas:hover') !== null;
    const problem = pinLabel(model, isPointing);
    if (problem !== null) notifications.show({ message: problem });
  },
});

/** Keys of the viewer as a whole; each pane handles its own keys. */
function pressKey(model: ViewerModel, event: KeyboardEvent, { layout, isSmall, toggle }: Arrangement): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!(event.target instanceof HTMLCanvasElement)) return;
  const pane = event.target.closest<HTMLElement>('[data-pane]')?.dataset['pane'] as PaneName;
  const isAlone = !isSmall && layout !== 'main' && layout !== 'grid';
  if (event.key === 'Escape') {
    if (isAlone) toggle(layout);
    else event.target.blur();
  } else if ((event.key === 'f' || event.key === 'F') && !isSmall) toggle(pane);
  else if (event.key === '1') model.tool.set('cursor');
  else if (event.key === '2') model.tool.set('pan');
  else if (event.key === '3') model.tool.set('window');
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function Viewer(props: ScanViewerProps & { model: ViewerModel }) {
  const { model } = props;
  const root = useRef<HTMLDivElement>(null);
  const { layout, hasScene, isSmall, show, toggle } = useShownLayout(model);
  const { shares, keepShares } = usePaneMemory();
  const volumeLoading = useSignal(model.volumeLoading);
  const volumeDrawn = useSignal(model.volumeDrawn);
  const surfaceLoading = useSignal(model.surfaceLoading);
  const referenceLoading = useSignal(model.referenceLoading);
  const webgl = useSignal(model.webgl);
  const placesLoading = useSignal(model.places.loading);
  const [problem, setProblem] = useState<string | null>(null);
  // A link with anything chosen in the table opens with it.
  const [isListRequested, setListed] = useState(() => {
    const { selectedDefectId, defects } = model.store.get();
    const { filter, order, histogram } = defects;
    return (selectedDefectId ?? order ?? histogram.column) !== null || filter.length > 0 || !histogram.log;
  });
  const [requestedPanel, setPanel] = useState<PanelName | null>(null);
  useSignal(model.revision);
  usePlaceKeys(model);
  useCommands([pinByKey(model)]);
  const panel = requestedPanel && hasPanel(model, requestedPanel) ? requestedPanel : null;
  const isListed = model.places.source !== null && isListRequested;

  const { loadVolume, latest } = useInputs(model, props);
  useImperativeHandle(
    props.ref,
    () => ({
      capture: (size) => capture(model, size),
      showMeasurements: (change, pointMm) => {
        model.store.update({ measurements: { ...model.store.get().measurements, ...change } });
        if (pointMm) model.setCursorWorld(pointMm);
      },
      state: () => model.store.get(),
      stateAt: (pointMm) => stateAt(model, pointMm),
      snapToSurface: (points) => {
        const snapped = model.measuring.snap(points);
        return snapped && model.surface ? { points: snapped, surfaceId: model.surface.id } : null;
      },
    }),
    [model],
  );

  const save = async () => {
    setProblem(null);
    const box = root.current?.getBoundingClientRect();
    const aspect = box ? box.width / box.height : 16 / 9;
    try {
      const blob = await capture(model, { width: 1920, height: Math.round(1920 / aspect) });
      saveFile(blob, `${latest.current.pictureName ?? 'view'}.png`);
    } catch (cause) {
      setProblem(readMessage(cause));
    }
  };
  const keys = (event: KeyboardEvent) => pressKey(model, event, { layout, isSmall, toggle });
  const done = ({ status }: { status: string }) => status !== 'loading';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the canvases inside, which carry the role
    <div
      ref={root}
      className={styles['viewer']}
      data-testid="scan-viewer"
      data-ready={[volumeLoading, volumeDrawn, surfaceLoading, referenceLoading, placesLoading].every(done)}
      data-webgl={webgl}
      onKeyDown={keys}
    >
      <Toolbar
        model={model}
        layout={layout}
        hasScene={hasScene}
        isSmall={isSmall}
        onLayout={show}
        isListed={isListed}
        onList={setListed}
        actions={props.actions}
        onCapture={() => void save()}
        panel={panel}
        onPanel={setPanel}
      />
      {problem ? (
        <p role="alert" className={styles['problem']}>
          The picture could not be saved: {problem}
        </p>
      ) : null}
      <LoadProblem what="preview" loading={volumeLoading} onRetry={loadVolume} />
      <LoadProblem what="surface" loading={surfaceLoading} onRetry={() => model.shownSurface.retry()} />
      {webgl === 'no' ? <p className={styles['problem']}>{withoutWebGL}</p> : null}
      <Panes
        model={model}
        layout={layout}
        hasScene={hasScene}
        shares={shares}
        onShares={keepShares}
        onMaximise={isSmall ? null : toggle}
      />
      <StatusLine model={model} />
      {panel &&
        props.panelHolder &&
        createPortal(
          <PanelDock
            key={panel}
            model={model}
            name={panel}
            onClose={() => setPanel(null)}
            onNote={(note) => pinNote(model, note)}
          />,
          props.panelHolder,
        )}
      {isListed &&
        props.listHolder &&
        createPortal(
          <div className={styles['frame']}>
            <PlacesDock model={model} onClose={() => setListed(false)} />
          </div>,
          props.listHolder,
        )}
    </div>
  );
}

interface LoadProblemProps {
  what: string;
  loading: Loading;
  onRetry: () => void;
}

/** Above the panes, which may be too small for the message, or may show other data. */
function LoadProblem({ what, loading, onRetry }: LoadProblemProps) {
  if (loading.status !== 'failed') return null;
  return (
    <p role="alert" className={styles['problem']}>
      The {what} could not be loaded.{' '}
      <button type="button" className={inputStyles['linkButton']} onClick={onRetry}>
        Retry
      </button>{' '}
      {loading.problem}
    </p>
  );
}
