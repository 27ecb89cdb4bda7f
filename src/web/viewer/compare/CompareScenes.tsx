import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { PaneSize } from '#kernels/overlay/paint.ts';
import type { Laid } from '#kernels/overlay/paint-compared-slice.ts';
import { readMessage } from '../data/read-message.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { contextLost } from '../engine/webgl-missing.ts';
import { chooseInks, watchScheme } from '../overlay/scheme.ts';
import classes from './compare.module.css';
import { describeColumns } from './compare-look.ts';
import { type ComparedScan, findNotice } from './compared-scan.ts';
import { loadCompared } from './load-compared.ts';
import { PaneFrame, type PaneFrameProps } from './PaneFrame.tsx';
import { SceneArea, type SceneAreaProps } from './SceneArea.tsx';
import { paintSceneMarks, SceneGrid, type ScenePlace, type SceneView } from './scene-grid.ts';
import { usePaneAspect } from './use-pane-aspect.ts';
import { useSettled } from './use-settled.ts';

export interface ScenesHandle {
  /** draws the surfaces of a pane into a picture */
  paint(context: CanvasRenderingContext2D, laid: Laid<string>, size: PaneSize): void;
  /** resolves once all available surfaces are loaded */
  whenLoaded(): Promise<void>;
}

/** The content of a pane. */
interface SceneGroup extends Pick<PaneFrameProps, 'title' | 'swipe'> {
  key: string;
  shown: readonly ComparedScan[];
  /** names of all visible parts */
  names: string;
  laid: Laid<string>;
}

interface CompareScenesProps extends Pick<SceneAreaProps, 'bounds' | 'camera' | 'onCamera'> {
  scans: readonly ComparedScan[];
  groups: readonly SceneGroup[];
  isAligned: boolean;
  /** called with the aspect ratio of a pane (width / height) */
  onAspect: (aspect: number) => void;
  ref: RefObject<ScenesHandle | null>;
}

/** The surfaces side by side, or two of them overlaid, seen by a shared camera. */
export function CompareScenes(props: CompareScenesProps) {
  const { scans, groups, bounds, camera, onCamera } = props;
  const { surfaces, problems } = useSurfaces(
    scans,
    groups.flatMap(({ shown }) => shown),
  );
  const isAwaited = ({ id, volume, surface, problem: why }: ComparedScan) =>
    why === null && !problems.has(id) && (volume === null || (surface !== null && !surfaces.has(id)));
  const settled = useSettled(groups.some(({ shown }) => shown.some(isAwaited)));
  const { canvas, marks, panes, problem } = useSceneGrid(props, surfaces, settled);
  const { grid } = usePaneAspect(props.onAspect);
  const describeSurface = ({ id, volume, surface, problem: why }: ComparedScan): string | null =>
    why ??
    problems.get(id) ??
    (volume === null
      ? 'Loading the scan…'
      : surface === null
        ? 'No surface yet: run the mesh analysis on it.'
        : surfaces.has(id)
          ? null
          : 'Loading the surface…');

  return (
    <div className={classes.shape}>
      <div className={classes.grid} ref={grid} style={describeColumns(groups.length)}>
        <canvas ref={canvas} className={classes.scenes} aria-hidden />
        <canvas ref={marks} className={classes.scenes} aria-hidden />
        {groups.map(({ key, shown, names, title, swipe }) => (
          <PaneFrame
            key={key}
            isScene
            {...{ title, swipe }}
            aside={shown.length === 1 ? shown[0]?.aside : null}
            notice={problem ?? findNotice(shown, describeSurface)}
          >
            <SceneArea
              label={`${names} in 3D. Arrows turn all parts, Shift and arrows move them, plus and minus zoom, Home fits them.`}
              {...{ bounds, camera, onCamera }}
              onElement={(element) => {
                if (element) panes.current.set(key, element);
                else panes.current.delete(key);
              }}
            />
          </PaneFrame>
        ))}
      </div>
    </div>
  );
}

/** Draws the marks of the panes that show a surface, on a canvas of their own over all panes. */
function drawMarks(canvas: HTMLCanvasElement, places: readonly ScenePlace[], view: SceneView): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  const context = canvas.getContext('2d');
  if (!context) return;
  const inks = chooseInks(canvas);
  for (const { box } of places) {
    context.setTransform(ratio, 0, 0, ratio, box.left * ratio, box.top * ratio);
    paintSceneMarks(context, box, view, inks);
  }
}

/** One canvas behind all panes, redrawn after every change, and one for their marks. */
function useSceneGrid(
  { groups, isAligned, bounds, camera, ref }: CompareScenesProps,
  surfaces: ReadonlyMap<string, SurfaceData>,
  whenLoaded: () => Promise<void>,
) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const panes = useRef(new Map<string, HTMLElement>());
  const grid = useRef<SceneGrid | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const draw = useRef<() => void>(() => undefined);
  draw.current = () => {
    const origin = canvas.current?.getBoundingClientRect();
    if (!origin) return;
    grid.current?.keep(surfaces);
    for (const { id, pose } of groups.flatMap(({ shown }) => shown)) {
      const surface = surfaces.get(id);
      if (surface) grid.current?.setSurface(id, surface, isAligned ? pose : null);
    }
    const boxes = groups.flatMap(({ key, laid }) => {
      const box = panes.current.get(key)?.getBoundingClientRect();
      if (!box) return [];
      const { width, height } = box;
      return [{ laid, box: { left: box.left - origin.left, top: box.top - origin.top, width, height } }];
    });
    grid.current?.draw(boxes, { bounds, camera });
    const isShown = ({ laid, box }: ScenePlace) =>
      grid.current !== null && box.width > 0 && laid.scans.some((id) => surfaces.has(id));
    if (marks.current) drawMarks(marks.current, boxes.filter(isShown), { bounds, camera });
  };
  useImperativeHandle(ref, () => ({
    whenLoaded,
    paint: (context, laid, size) => {
      draw.current();
      grid.current?.paint(context, laid, { bounds, camera }, size);
      requestAnimationFrame(() => draw.current());
    },
  }));
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const open = () => {
      try {
        grid.current = new SceneGrid(element);
        setProblem(null);
      } catch (cause) {
        setProblem(readMessage(cause));
      }
      draw.current();
    };
    const close = () => {
      grid.current?.dispose();
      grid.current = null;
    };
    const lost = (event: Event) => {
      // Otherwise the browser does not restore the context.
      event.preventDefault();
      close();
      setProblem(contextLost);
    };
    open();
    const again = () => draw.current();
    const sized = new ResizeObserver(again);
    sized.observe(element);
    const stop = watchScheme(again);
    element.addEventListener('webglcontextlost', lost);
    element.addEventListener('webglcontextrestored', open);
    return () => {
      element.removeEventListener('webglcontextlost', lost);
      element.removeEventListener('webglcontextrestored', open);
      stop();
      sized.disconnect();
      close();
    };
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => draw.current());
    return () => cancelAnimationFrame(frame);
  });
  return { canvas, marks, panes, problem };
}

/**
 * The visible scans' surfaces, each loaded once, one after the other: nine at once would read nine files at a time.
 * Each is kept while its scan is compared.
 */
function useSurfaces(scans: readonly ComparedScan[], shown: readonly ComparedScan[]) {
  const [surfaces, setSurfaces] = useState<ReadonlyMap<string, SurfaceData>>(new Map());
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const latest = useRef({ scans, shown });
  latest.current = { scans, shown };
  /** id of the loaded surface by scan: a later analysis replaces it */
  const loaded = useRef(new Map<string, string>());
  const wanted = shown.map(({ id, surface }) => `${id} ${surface?.id ?? ''}`).join();
  const compared = scans.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids identify the compared scans
  useEffect(() => {
    const ids = new Set(latest.current.scans.map(({ id }) => id));
    setSurfaces((before) => new Map([...before].filter(([id]) => ids.has(id))));
  }, [compared]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids identify the surfaces to load
  useEffect(() => {
    const end = new AbortController();
    const load = async () => {
      for (const { id, surface } of latest.current.shown) {
        if (!surface || (surfaces.has(id) && loaded.current.get(id) === surface.id)) continue;
        try {
          const data = await loadCompared(surface, end.signal);
          loaded.current.set(id, surface.id);
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
