import { useEffect, useMemo, useState } from 'react';
import { autoWindow, type GreyWindow, greyHistogram } from '#kernels/grid/grey-window.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { ComparePane, type DrawnScan } from './ComparePane.tsx';
import { CompareScenes } from './CompareScenes.tsx';
import classes from './compare.module.css';
import { boundScans, type CompareLook, countColumns, readToScan } from './compare-look.ts';
import type { ComparedScan } from './compared-scan.ts';
import { findVoxel, placePoint, sampleVoxels } from './draw-scan.ts';
import { useVolumes } from './use-volumes.ts';

interface CompareViewProps {
  scans: readonly ComparedScan[];
  look: CompareLook;
  onLook: (change: Partial<CompareLook>) => void;
  /** of two that blink: whether the second is seen */
  isOther: boolean;
}

const everywhere = { min: [-1, -1, -1] as Vector3, max: [1, 1, 1] as Vector3 };

/** Scans side by side, or two of them over each other, all with one cursor, one place, one camera and one grey window. */
export default function CompareView({ scans, look, onLook, isOther }: CompareViewProps) {
  const { volumes, problems } = useVolumes(scans);
  const isAligned = look.aligned !== 'no';
  const bounds = useMemo(() => boundScans(scans, isAligned) ?? everywhere, [scans, isAligned]);
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
  const centre: Vector3 = [0, 1, 2].map(
    (axis) => ((bounds.min[axis] ?? 0) + (bounds.max[axis] ?? 0)) / 2,
  ) as Vector3;
  const columns = countColumns(view === '3d' || mode === 'side' ? scans.length : 1);
  if (view === '3d')
    return (
      <CompareScenes
        scans={scans}
        columns={columns}
        isAligned={isAligned}
        bounds={bounds}
        camera={look.camera}
        onCamera={(camera) => onLook({ camera })}
      />
    );

  const cursor = look.cursor ?? centre;
  const size = Math.max(...[0, 1, 2].map((axis) => (bounds.max[axis] ?? 0) - (bounds.min[axis] ?? 0)));
  const over = Math.min(scans.length - 1, look.over ?? 1);
  const groups = mode === 'side' || scans.length < 2 ? scans.map((_, index) => [index]) : [[0, over]];
  const stepMm = Math.min(...scans.flatMap(({ volume }) => volume?.voxelSizeMm ?? []), size / 4);
  return (
    <div className={classes.grid} style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      {groups.map((members) => {
        const shown = members.map((index) => scans[index]).filter((scan) => scan !== undefined);
        const title = shown.map((scan) => scan.title).join(' · ');
        const missing = shown.find(({ id }) => !volumes.has(id));
        return (
          <ComparePane
            key={members.join()}
            title={mode === 'blink' && shown[1] ? (shown[isOther ? 1 : 0]?.title ?? title) : title}
            label={`${title}, slice ${view.toUpperCase()}. Arrows move the cursor, page up and down the slice, plus and minus zoom.`}
            aside={
              <>
                <Values scans={shown} drawn={members.map((index) => drawn[index] ?? null)} cursor={cursor} />
                {mode === 'side' ? shown[0]?.aside : null}
              </>
            }
            scans={members.map((index) => drawn[index] ?? null)}
            mode={mode}
            share={share}
            isOther={isOther}
            view={{
              plane: view,
              centre: look.middle ?? centre,
              heightMm: look.height ?? size * 1.1,
            }}
            cursor={cursor}
            stepMm={stepMm}
            notice={missing ? (missing.problem ?? problems.get(missing.id) ?? 'Loading the scan…') : null}
            onCursor={(next) => onLook({ cursor: next })}
            onView={(middle, height) => onLook({ middle, height })}
            onHome={() => onLook({ middle: undefined, height: undefined })}
          />
        );
      })}
    </div>
  );
}

/** Grey values at the cursor; rounded ones of the preview where the scan is finer. */
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
    return Number.isNaN(value) ? 'outside' : String(Number(value.toPrecision(5)));
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
        <span title="Slices of a comparison are drawn from the preview of at most 256 voxels an edge.">
          {factor.toFixed(factor < 10 ? 1 : 0)}× coarser
        </span>
      )}
      <span title="Grey value at the cursor">{values.join(' | ')}</span>
    </>
  );
}

/** The window of each scan by itself, from its histogram or from its voxels. */
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
