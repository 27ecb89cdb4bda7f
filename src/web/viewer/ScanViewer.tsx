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
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { StatusLine } from './controls/StatusLine.tsx';
import { Toolbar } from './controls/Toolbar.tsx';
import type { SliceSource, VolumeDescription } from './data/slice-source.ts';
import { overlayFont } from './overlay/paint.ts';
import { watchScheme } from './overlay/scheme.ts';
import { ScenePane } from './scene3d/ScenePane.tsx';
import { SlicePane } from './slices/SlicePane.tsx';
import { type CaptureSize, capture } from './state/capture.ts';
import { useSignal } from './state/signal.ts';
import { stateAt } from './state/state-at.ts';
import { type Probe, type ReferenceSource, type SurfaceSource, ViewerModel } from './state/viewer-model.ts';
import { offerHooks } from './test-hooks.ts';
import styles from './viewer.module.css';

export interface ScanViewerHandle {
  /** what is shown as a PNG of a fixed size, with legend and scale bars */
  capture(size: CaptureSize): Promise<Blob>;
  /** the state now, canonical */
  state(): ViewState;
  /** the state now, but with that place (mm) in the middle of every pane and under the cursor */
  stateAt(pointMm: Vector3): ViewState;
}

export interface ScanViewerProps {
  /**
   * null = there is no volume; undefined = there is one, and what is known of it is on its way. Another `id` loads anew,
   * other objects with the same `id` change nothing.
   */
  volume: VolumeDescription | null | undefined;
  /** planes in full resolution; null = the preview is all there is */
  slices: SliceSource | null;
  /** a volume of at most 256³ voxels, drawn at once */
  preview: ((signal: AbortSignal) => Promise<Volume>) | null;
  /** stands over the panes until the preview is there; `retry` asks for it again */
  preparing?: (retry: () => void) => ReactNode;
  /** null = no surface (yet); another `id` loads anew */
  surface: SurfaceSource | null;
  /** drawn over the surface that is laid on it; another `id` loads anew */
  reference?: ReferenceSource | null;
  /** state from a link or a bookmark; taken over whenever it differs from the last one handed in */
  viewState?: ViewState | null;
  /** hears of the state when nothing has moved for a quarter of a second */
  onViewStateChange?: (state: ViewState) => void;
  /** hears what lies under the pointer */
  onProbe?: (probe: Probe | null) => void;
  /** the page's own buttons in the viewer's toolbar */
  actions?: ReactNode;
  /** name of saved pictures, without ending */
  pictureName?: string;
  ref?: RefObject<ScanViewerHandle | null>;
}

/**
 * Three linked slices and the surface. Knows nothing of the service: what it shows comes through its properties. Meant
 * to be loaded lazily: `lazy(() => import('#web/viewer/ScanViewer.tsx'))`.
 */
export default function ScanViewer(props: ScanViewerProps) {
  const latest = useRef(props);
  latest.current = props;
  const [model, setModel] = useState<ViewerModel | null>(null);
  useEffect(() => {
    const made = new ViewerModel(latest.current.viewState ?? null, (state) =>
      latest.current.onViewStateChange?.(state),
    );
    setModel(made);
    const stops = [
      offerHooks(made),
      watchScheme(() => made.scheme.set(made.scheme.get() + 1)),
      made.probe.subscribe(() => latest.current.onProbe?.(made.probe.get())),
    ];
    // Text on canvases is drawn once the dashboard's own typeface is there.
    void document.fonts.load(overlayFont(12)).then(() => made.scheme.set(made.scheme.get() + 1));
    return () => {
      for (const stop of stops) stop();
      made.dispose();
    };
  }, []);
  return <div className={styles['frame']}>{model ? <Viewer {...props} model={model} /> : null}</div>;
}

function Viewer(props: ScanViewerProps & { model: ViewerModel }) {
  const { model, volume, surface, reference, viewState } = props;
  const latest = useRef(props);
  latest.current = props;
  const root = useRef<HTMLDivElement>(null);
  const { layout } = useSignal(model.store.signal);
  const volumeLoading = useSignal(model.volumeLoading);
  const volumeDrawn = useSignal(model.volumeDrawn);
  const surfaceLoading = useSignal(model.surfaceLoading);
  const referenceLoading = useSignal(model.referenceLoading);
  const webgl = useSignal(model.webgl);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    if (viewState) model.store.replace(viewState);
  }, [model, viewState]);
  const volumeId = volume === null ? null : volume?.id;
  const loadVolume = useCallback(() => {
    const { volume, slices, preview } = latest.current;
    model.setVolume(volume, slices, preview);
  }, [model]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id says when there is another volume, not the object
  useEffect(loadVolume, [loadVolume, volumeId]);
  const surfaceId = surface?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id says when there is another surface, not the object
  useEffect(() => {
    model.setSurface(latest.current.surface);
  }, [model, surfaceId]);
  const referenceId = reference?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id says when there is another reference, not the object
  useEffect(() => {
    model.setReference(latest.current.reference ?? null);
  }, [model, referenceId]);
  useImperativeHandle(
    props.ref,
    () => ({
      capture: (size) => capture(model, size),
      state: () => model.store.get(),
      stateAt: (pointMm) => stateAt(model, pointMm),
    }),
    [model],
  );

  const maximise = (name: ViewState['layout']) => () =>
    model.store.update({ layout: layout === name ? 'grid' : name });
  const save = async () => {
    setProblem(null);
    const box = root.current?.getBoundingClientRect();
    const aspect = box ? box.width / box.height : 16 / 9;
    try {
      const blob = await capture(model, { width: 1920, height: Math.round(1920 / aspect) });
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `${latest.current.pictureName ?? 'view'}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (cause) {
      setProblem(cause instanceof Error ? cause.message : String(cause));
    }
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target instanceof HTMLCanvasElement)) return;
    const pane = event.target.closest<HTMLElement>('[data-pane]')?.dataset['pane'] as ViewState['layout'];
    if (event.key === 'Escape') {
      if (layout !== 'grid') model.store.update({ layout: 'grid' });
      else event.target.blur();
    } else if (event.key === 'm' || event.key === 'M') maximise(pane)();
    else if (event.key === '1') model.tool.set('cursor');
    else if (event.key === '2') model.tool.set('pan');
    else if (event.key === '3') model.tool.set('window');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const done = ({ status }: { status: string }) => status !== 'loading';
  const isPreviewMissing = volumeLoading.status === 'loading' || volumeLoading.status === 'failed';
  const only = (name: ViewState['layout']) => layout !== 'grid' && layout !== name;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the canvases inside, which carry the role
    <div
      ref={root}
      className={styles['viewer']}
      data-testid="scan-viewer"
      data-ready={[volumeLoading, volumeDrawn, surfaceLoading, referenceLoading].every(done)}
      data-webgl={webgl}
      onKeyDown={keys}
    >
      <Toolbar model={model} actions={props.actions} onCapture={() => void save()} />
      {problem ? (
        <p role="alert" className={styles['problem']}>
          The picture could not be saved: {problem}
        </p>
      ) : null}
      {volume && isPreviewMissing ? props.preparing?.(loadVolume) : null}
      <div className={styles['grid']} data-layout={layout}>
        <div data-pane="xy" className={styles['cell']} hidden={only('xy')}>
          <SlicePane model={model} name="xy" maximised={layout === 'xy'} onMaximise={maximise('xy')} />
        </div>
        <div data-pane="3d" className={styles['cell']} hidden={only('3d')}>
          <ScenePane model={model} maximised={layout === '3d'} onMaximise={maximise('3d')} />
        </div>
        <div data-pane="xz" className={styles['cell']} hidden={only('xz')}>
          <SlicePane model={model} name="xz" maximised={layout === 'xz'} onMaximise={maximise('xz')} />
        </div>
        <div data-pane="yz" className={styles['cell']} hidden={only('yz')}>
          <SlicePane model={model} name="yz" maximised={layout === 'yz'} onMaximise={maximise('yz')} />
        </div>
      </div>
      <StatusLine model={model} />
    </div>
  );
}
