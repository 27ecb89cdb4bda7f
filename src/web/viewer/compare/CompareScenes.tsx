import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type WheelEvent,
} from 'react';
import {
  type Bounds,
  type Camera,
  fitted,
  orbited,
  panned,
  standardView,
  zoomed,
} from '#kernels/grid/camera.ts';
import type { PaneSize } from '#kernels/overlay/paint.ts';
import { readMessage } from '../data/read-message.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { watchScheme } from '../overlay/scheme.ts';
import classes from './compare.module.css';
import { describeColumns } from './compare-look.ts';
import type { ComparedScan } from './compared-scan.ts';
import { loadCompared } from './load-compared.ts';
import { SceneGrid } from './scene-grid.ts';
import { usePaneAspect } from './use-pane-aspect.ts';

export interface ScenesHandle {
  /** draws the surface of a scan into a picture */
  paint(context: CanvasRenderingContext2D, id: string, size: PaneSize): void;
}

interface CompareScenesProps {
  scans: readonly ComparedScan[];
  isAligned: boolean;
  bounds: Bounds;
  camera: Camera | undefined;
  onCamera: (camera: Camera | undefined) => void;
  /** hears the width of a pane to its height */
  onAspect: (aspect: number) => void;
  ref: RefObject<ScenesHandle | null>;
}

const radiansPerPixel = Math.PI / 450;
const keyAngle = Math.PI / 12;
/** Right and up. */
const arrows: Record<string, readonly [number, number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** The surfaces side by side, seen by one camera. */
export function CompareScenes(props: CompareScenesProps) {
  const { scans, bounds, camera, onCamera } = props;
  const { surfaces, problems } = useSurfaces(scans);
  const { canvas, panes, problem } = useSceneGrid(props, surfaces);
  const { grid } = usePaneAspect(props.onAspect);
  const handlers = useCameraMoves({ bounds, camera, onCamera });

  return (
    <div className={classes.shape}>
      <div className={classes.grid} ref={grid} style={describeColumns(scans.length)}>
        <canvas ref={canvas} className={classes.scenes} aria-hidden />
        {scans.map((scan) => {
          const trouble = problem ?? problems.get(scan.id) ?? null;
          return (
            <section key={scan.id} className={classes.pane} data-scene aria-label={scan.title}>
              <header className={classes.head}>
                <span className={classes.title} title={scan.title}>
                  {scan.title}
                </span>
                {scan.aside}
              </header>
              <div
                className={classes.body}
                data-scene
                // biome-ignore lint/a11y/noNoninteractiveTabindex: the pane is turned by keys
                tabIndex={0}
                role="application"
                aria-label={`${scan.title} in 3D. Arrows turn all parts, Shift and arrows move them, plus and minus zoom, Home fits them.`}
                ref={(element) => {
                  if (element) panes.current.set(scan.id, element);
                  else panes.current.delete(scan.id);
                }}
                {...handlers}
              >
                {trouble !== null ? (
                  <p className={classes.notice}>{trouble}</p>
                ) : scan.surface === null ? (
                  <p className={classes.notice}>No surface yet: run the mesh analysis on it.</p>
                ) : surfaces.has(scan.id) ? null : (
                  <p className={classes.notice}>Loading the surface…</p>
                )}
              </div>
            </section>
          );
        })}
      </div>
    </div>
  );
}

/** One canvas behind all panes, drawn after every change. */
function useSceneGrid(
  { scans, isAligned, bounds, camera, ref }: CompareScenesProps,
  surfaces: ReadonlyMap<string, SurfaceData>,
) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const panes = useRef(new Map<string, HTMLElement>());
  const grid = useRef<SceneGrid | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const draw = useRef<() => void>(() => undefined);
  draw.current = () => {
    const origin = canvas.current?.getBoundingClientRect();
    if (!origin) return;
    for (const { id, pose } of scans) {
      const surface = surfaces.get(id);
      if (surface) grid.current?.setSurface(id, surface, isAligned ? pose : null);
    }
    const boxes = scans.flatMap(({ id }) => {
      const box = panes.current.get(id)?.getBoundingClientRect();
      if (!box) return [];
      const { width, height } = box;
      return [{ id, box: { left: box.left - origin.left, top: box.top - origin.top, width, height } }];
    });
    grid.current?.draw(boxes, { bounds, camera });
  };
  useImperativeHandle(ref, () => ({
    paint: (context, id, size) => {
      grid.current?.paint(context, id, { bounds, camera }, size);
      requestAnimationFrame(() => draw.current());
    },
  }));
  useEffect(() => {
    if (!canvas.current) return;
    try {
      grid.current = new SceneGrid(canvas.current);
    } catch (cause) {
      setProblem(readMessage(cause));
      return;
    }
    const again = () => draw.current();
    const sized = new ResizeObserver(again);
    sized.observe(canvas.current);
    const stop = watchScheme(again);
    return () => {
      stop();
      sized.disconnect();
      grid.current?.dispose();
      grid.current = null;
    };
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => draw.current());
    return () => cancelAnimationFrame(frame);
  });
  return { canvas, panes, problem };
}

/** The pointer, the wheel and the keys turn, move and zoom all parts at once. */
function useCameraMoves({
  bounds,
  camera,
  onCamera,
}: Pick<CompareScenesProps, 'bounds' | 'camera' | 'onCamera'>) {
  const drag = useRef<{ x: number; y: number; moves: boolean } | null>(null);
  const seen = ({ clientWidth, clientHeight }: HTMLElement): Camera =>
    camera ?? standardView('isometric', bounds, clientWidth / Math.max(1, clientHeight));
  const move = (event: PointerEvent<HTMLElement>) => {
    const from = drag.current;
    if (from === null) return;
    const now = seen(event.currentTarget);
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    const mm = now.heightMm / event.currentTarget.clientHeight;
    drag.current = { ...from, x: event.clientX, y: event.clientY };
    onCamera(
      from.moves ? panned(now, dx * mm, -dy * mm) : orbited(now, dx * radiansPerPixel, dy * radiansPerPixel),
    );
  };
  const keys = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = seen(event.currentTarget);
    const [right, up] = arrows[event.key] ?? [0, 0];
    const mm = now.heightMm / 12;
    if (right !== 0 || up !== 0)
      onCamera(
        event.shiftKey ? panned(now, right * mm, up * mm) : orbited(now, right * keyAngle, -up * keyAngle),
      );
    else if (event.key === '+' || event.key === '=') onCamera(zoomed(now, 1.25));
    else if (event.key === '-') onCamera(zoomed(now, 0.8));
    else if (event.key === 'Home')
      onCamera(fitted(now, bounds, event.currentTarget.clientWidth / event.currentTarget.clientHeight));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      const moves = event.shiftKey || event.button !== 0;
      drag.current = { x: event.clientX, y: event.clientY, moves };
    },
    onPointerMove: move,
    onPointerUp: () => {
      drag.current = null;
    },
    onContextMenu: (event: MouseEvent) => event.preventDefault(),
    onWheel: (event: WheelEvent<HTMLElement>) =>
      onCamera(zoomed(seen(event.currentTarget), Math.exp(-Math.sign(event.deltaY) * 0.15))),
    onKeyDown: keys,
  };
}

/** The surfaces of the scans, loaded once each, one after the other: nine at once would read nine files at a time. */
function useSurfaces(scans: readonly ComparedScan[]) {
  const [surfaces, setSurfaces] = useState<ReadonlyMap<string, SurfaceData>>(new Map());
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const latest = useRef(scans);
  latest.current = scans;
  const wanted = scans.map(({ id, surface }) => `${id} ${surface?.id ?? ''}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: which ones are loaded is said by their ids
  useEffect(() => {
    const end = new AbortController();
    const load = async () => {
      for (const { id, surface } of latest.current) {
        if (!surface || surfaces.has(id)) continue;
        try {
          const data = await loadCompared(surface, end.signal);
          setSurfaces((before) => new Map(before).set(id, data));
        } catch (cause) {
          if (end.signal.aborted) return;
          const words = readMessage(cause);
          setProblems((before) => new Map(before).set(id, `The surface cannot be shown: ${words}`));
        }
      }
    };
    void load();
    return () => end.abort();
  }, [wanted]);
  return { surfaces, problems };
}
