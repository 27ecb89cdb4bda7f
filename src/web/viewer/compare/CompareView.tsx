import { type RefObject, useEffect, useImperativeHandle, useMemo, useReducer, useRef, useState } from 'react';
import { formatGiven } from '#contract/base/format-number.ts';
import { maxComparedScans } from '#contract/shapes/view-state.ts';
import { plainGround } from '#kernels/color/scene-ground.ts';
import { findVoxel, placePoint, sampleVoxels } from '#kernels/grid/draw-scan.ts';
import { autoWindow, type GreyWindow, greyHistogram } from '#kernels/grid/grey-window.ts';
import { boundScans, fitScans, groupScans, measureBox, readToScan } from '#kernels/grid/place-compared.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { onDark, onLight, type PaneSize } from '#kernels/overlay/paint.ts';
import type { ComparedSlice, DrawnScan, Laid } from '#kernels/overlay/paint-compared-slice.ts';
import { useKeyHints } from '#web/ui/commands.ts';
import { compareKeyHints } from '../controls/key-hints.ts';
import { PlaneCard } from '../engine/plane-card.ts';
import { openOnHardware } from '../engine/software-renderer.ts';
import type { CaptureSize } from '../panes/capture.ts';
import { SliceScratch, sliceGround } from '../slices/paint-slice.ts';
import { ComparePane } from './ComparePane.tsx';
import { CompareScenes, type ScenesHandle } from './CompareScenes.tsx';
import { captureComparison } from './capture-comparison.ts';
import classes from './compare.module.css';
import { type CompareLook, describeColumns } from './compare-look.ts';
import { type ComparedScan, findNotice } from './compared-scan.ts';
import { paintCompared } from './paint-compared.ts';
import { usePaneAspect } from './use-pane-aspect.ts';
import { useSettled } from './use-settled.ts';
import { useVolumes } from './use-volumes.ts';

export interface CompareViewHandle {
  /** the current view as a PNG of a fixed size */
  capture(size: CaptureSize): Promise<Blob>;
}

interface CompareViewProps {
  scans: readonly ComparedScan[];
  look: CompareLook;
  onLook: (change: Partial<CompareLook>) => void;
  /** in blink mode: whether the second scan is visible */
  isOther: boolean;
  /** called with the aspect ratio of a pane (width / height), from which the default view of all scans is derived */
  onAspect: (aspect: number) => void;
  ref?: RefObject<CompareViewHandle | null>;
}

const sceneGround = `rgb(${plainGround.join()})`;
const everywhere = { min: [-1, -1, -1] as Vector3, max: [1, 1, 1] as Vector3 };

/** Scans side by side, or two of them overlaid, with a shared cursor, position, camera and grey window. */
export default function CompareView({ scans, look, onLook, isOther, onAspect, ref }: CompareViewProps) {
  useKeyHints(compareKeyHints);
  const { volumes, problems } = useVolumes(scans);
  const isAligned = look.aligned !== 'no';
  const isScene = look.view === '3d';
  const bounds = useMemo(
    () => boundScans(scans, isAligned, isScene) ?? everywhere,
    [scans, isAligned, isScene],
  );
  const windows = useOwnWindows(scans, volumes);
  const drawn = useMemo(
    () =>
      scans.map(({ id, pose }): DrawnScan | null => {
        const volume = volumes.get(id);
        const window = look.window ?? windows.get(id);
        return volume && window ? { volume, window, toScan: readToScan(pose, isAligned) } : null;
      }),
    [scans, volumes, windows, look.window, isAligned],
  );
  const { view = 'xy', mode = 'side', share = 0.5 } = look;
  const { centre, sizeMm } = measureBox(bounds);
  const cursor = look.cursor ?? centre;
  const { grid, aspect } = usePaneAspect(onAspect);
  const fitMm = fitScans(sizeMm, aspect);
  const stepMm = Math.min(...scans.flatMap(({ volume }) => volume?.voxelSizeMm ?? []), sizeMm / 4);
  const groups = groupScans(scans.length, look.over ?? 1, mode === 'side').map((members) => {
    const shown = members.map((index) => scans[index]).filter((scan) => scan !== undefined);
    const names = shown.map((scan) => scan.title).join(' · ');
    const laid: Laid<string> = { scans: shown.map(({ id }) => id), mode, share, isOther };
    const slice: ComparedSlice = {
      ...laid,
      scans: members.map((index) => drawn[index] ?? null),
      cursor,
      view: {
        plane: view === '3d' ? 'xy' : view,
        centre: look.middle ?? centre,
        heightMm: look.height ?? fitMm,
      },
    };
    const title = nameShown(shown, names, laid);
    const isSwiped = mode === 'swipe' && shown.length > 1;
    const swipe = isSwiped ? { share, onShare: (next: number) => onLook({ share: next }) } : null;
    return { key: members.join(), shown, names, title, laid, slice, swipe };
  });
  const scenes = useRef<ScenesHandle>(null);
  const card = usePlaneCard();
  const settled = useSettled(
    groups.some(({ shown, slice }) =>
      shown.some(({ id, problem }, n) => !slice.scans[n] && problem === null && !problems.has(id)),
    ),
  );
  // While two scans alternate, a picture shows the first, whichever is visible when it is taken.
  const kept = { isOther: look.held === 'other' };
  const drawPicture = (size: CaptureSize) =>
    captureComparison(
      groups.map(({ shown, names, laid, slice }) => ({
        title: nameShown(shown, names, { ...laid, ...kept }),
        ground: isScene ? sceneGround : sliceGround,
        inks: isScene ? onLight : onDark,
        paint: (context, pane) =>
          isScene
            ? scenes.current?.paint(context, { ...laid, ...kept }, pane)
            : paintCompared(
                context,
                fitSlice({ ...slice, ...kept }, look, sizeMm, pane),
                pane,
                [new SliceScratch(), new SliceScratch()],
                null,
              ),
      })),
      size,
    );
  const latest = useRef(drawPicture);
  latest.current = drawPicture;
  useImperativeHandle(ref, () => ({
    // A bookmark saved right after the page opened waits until its picture is complete.
    capture: async (size) => {
      await (scenes.current ?? { whenLoaded: settled }).whenLoaded();
      return latest.current(size);
    },
  }));
  if (isScene)
    return (
      <CompareScenes
        {...{ scans, groups }}
        isAligned={isAligned}
        bounds={bounds}
        camera={look.camera}
        onCamera={(camera) => onLook({ camera })}
        onAspect={onAspect}
        ref={scenes}
      />
    );
  return (
    <div className={classes.shape}>
      <div className={classes.grid} ref={grid} style={describeColumns(groups.length)}>
        {groups.map(({ key, shown, names, title, slice, swipe }) => {
          const notice = findNotice(shown, ({ id, problem }) =>
            volumes.has(id) ? null : (problem ?? problems.get(id) ?? 'Loading the scan…'),
          );
          return (
            <ComparePane
              key={key}
              {...slice}
              card={card}
              {...{ title, notice, swipe }}
              label={`${names}, slice ${view.toUpperCase()}. Arrows move the cursor, page up and down the slice, plus and minus zoom.`}
              aside={
                <>
                  <Values scans={shown} drawn={slice.scans} cursor={cursor} />
                  {mode === 'side' ? shown[0]?.aside : null}
                </>
              }
              stepMm={stepMm}
              onCursor={(next) => onLook({ cursor: next })}
              onView={(middle, height) => onLook({ middle, height })}
              onHome={() => onLook({ middle: undefined, height: undefined })}
            />
          );
        })}
      </div>
    </div>
  );
}

/** In blink mode the title of the scan that is shown. */
const nameShown = (
  shown: readonly ComparedScan[],
  names: string,
  { mode, isOther }: Pick<Laid<string>, 'mode' | 'isOther'>,
): string => (mode === 'blink' && shown[1] ? (shown[isOther ? 1 : 0]?.title ?? names) : names);

/** A single context for the slices of all panes; if it is lost the CPU draws them. */
function usePlaneCard(): PlaneCard {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const [card] = useState(() => new PlaneCard(drawAgain, openOnHardware, maxComparedScans));
  useEffect(() => () => card.dispose(), [card]);
  return card;
}

/** Adapts a slice to a pane of another aspect ratio: without a chosen height all scans remain visible. */
const fitSlice = (
  slice: ComparedSlice,
  { height }: CompareLook,
  sizeMm: number,
  { widthPx, heightPx }: PaneSize,
): ComparedSlice => ({
  ...slice,
  view: { ...slice.view, heightMm: height ?? fitScans(sizeMm, widthPx / heightPx) },
});

/** Grey values at the cursor; rounded values come from the preview, where the scan has a finer resolution. */
function Values({
  scans,
  drawn,
  cursor,
}: {
  scans: readonly ComparedScan[];
  drawn: readonly (DrawnScan | null)[];
  cursor: Vector3;
}) {
  const values = drawn.map((each) => {
    if (each === null) return '–';
    const value = sampleVoxels(each.volume, ...findVoxel(each.volume, placePoint(each.toScan, cursor)));
    return Number.isNaN(value) ? 'outside' : formatGiven(Number(value.toPrecision(5)));
  });
  const factor = Math.max(
    1,
    ...scans.map(({ volume }, index) => {
      const coarse = drawn[index]?.volume.voxelSizeMm[0];
      return volume && coarse ? coarse / volume.voxelSizeMm[0] : 1;
    }),
  );
  return (
    <>
      {factor > 1.01 && (
        <span title="Compared slices are drawn from a preview of at most 256 voxels per edge.">
          {factor.toFixed(factor < 10 ? 1 : 0)}× coarser
        </span>
      )}
      <span title="Grey value at the cursor">{values.join(' | ')}</span>
    </>
  );
}

/** The automatic window of each scan, from its histogram or its voxels. */
function useOwnWindows(
  scans: readonly ComparedScan[],
  volumes: ReadonlyMap<string, Volume>,
): ReadonlyMap<string, GreyWindow> {
  const [windows, setWindows] = useState<ReadonlyMap<string, GreyWindow>>(new Map());
  useEffect(() => {
    setWindows((before) => {
      const next = new Map(before);
      for (const { id, volume } of scans) {
        const data = volumes.get(id);
        if (data && !next.has(id)) next.set(id, autoWindow(volume?.histogram ?? greyHistogram(data.data)));
      }
      return next;
    });
  }, [scans, volumes]);
  return windows;
}
