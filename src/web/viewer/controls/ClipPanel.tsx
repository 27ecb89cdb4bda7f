import { frame, type Point } from '#kernels/grid/camera.ts';
import { tiltClip } from '../state/clip.ts';
import { layByAngles, readAngles } from '../state/oblique.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from '../viewer.module.css';
import { NumberField } from './NumberField.tsx';

const axes3 = [0, 1, 2] as const;
const angleNames = [
  ['azimuth', 'Azimuth', 'Direction of the cut’s normal about Z, from X'],
  ['tilt', 'Tilt', 'Angle of the cut’s normal from Z'],
] as const;

/** Whether and where the part is cut open in 3D. */
export function ClipPanel({ model }: { model: ViewerModel }) {
  const { clip } = useSignal(model.store.signal);
  useSignal(model.revision);
  const { min, max } = model.bounds();
  const axes = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ] as const;
  const clipAxis = clip
    ? axes.findIndex((axis) => axes3.every((k) => axis[k] === Math.abs(clip.normal[k])))
    : -1;
  /** the plane's place along its own normal, from one end of the part to the other */
  const reach = (normal: Point): [number, number] => {
    const ends = axes3.map((k) => [min[k] * normal[k], max[k] * normal[k]]);
    const add = (pick: (...values: number[]) => number) => ends.reduce((sum, end) => sum + pick(...end), 0);
    return [add(Math.min), add(Math.max)];
  };
  const cut = (normal: [number, number, number]) => {
    const cursor = model.cursorWorld();
    model.store.update({
      clip: {
        enabled: true,
        normal,
        offsetMm: axes3.reduce<number>((sum, k) => sum + normal[k] * cursor[k], 0),
        filled: clip?.filled ?? true,
      },
    });
  };
  const [low, high] = clip ? reach(clip.normal) : [0, 1];
  const angles = readAngles({ normal: clip?.normal ?? [0, 0, 1], up: [0, 0, 0] });
  const step = Math.max(1e-4, (high - low) / 500);
  return (
    <div className={styles['panel']}>
      <fieldset className={styles['panelRow']}>
        <legend>Across</legend>
        <button
          type="button"
          className={styles['textButton']}
          aria-pressed={!clip?.enabled}
          onClick={() => model.store.update({ clip: clip && { ...clip, enabled: false } })}
        >
          Off
        </button>
        {axes3.map((axis) => (
          <button
            key={axis}
            type="button"
            className={styles['textButton']}
            aria-pressed={Boolean(clip?.enabled) && clipAxis === axis}
            title={`Cut at the cursor, across ${'XYZ'.charAt(axis)}`}
            onClick={() => cut([...axes[axis]])}
          >
            {'XYZ'.charAt(axis)}
          </button>
        ))}
        <button
          type="button"
          className={styles['textButton']}
          title="Cut at the cursor, across the line of sight"
          onClick={() => cut(frame(model.camera(1)).towards)}
        >
          View
        </button>
        <button
          type="button"
          className={styles['textButton']}
          disabled={!clip?.enabled}
          title="Keep the other side"
          onClick={() => {
            if (!clip) return;
            const [x, y, z] = clip.normal;
            model.store.update({ clip: { ...clip, normal: [-x, -y, -z], offsetMm: -clip.offsetMm } });
          }}
        >
          Flip
        </button>
      </fieldset>
      {clip?.enabled && model.volume ? (
        <label className={styles['panelRow']}>
          <input
            type="checkbox"
            checked={clip.filled ?? false}
            onChange={(event) =>
              model.store.update({ clip: { ...clip, filled: event.currentTarget.checked } })
            }
          />
          Grey values on the section
        </label>
      ) : null}
      {clip?.enabled ? (
        <div className={styles['panelRow']}>
          <input
            type="range"
            className={styles['slider']}
            aria-label="Place of the cut"
            min={low}
            max={high}
            step={step}
            value={clip.offsetMm}
            onChange={(event) =>
              model.store.update({ clip: { ...clip, offsetMm: event.currentTarget.valueAsNumber } })
            }
          />
          <NumberField
            label="Place of the cut"
            value={clip.offsetMm}
            step={0.01}
            unit="mm"
            onChange={(offsetMm) => model.store.update({ clip: { ...clip, offsetMm } })}
          />
        </div>
      ) : null}
      {clip?.enabled
        ? angleNames.map(([angle, title, meaning]) => (
            <div key={angle} className={styles['panelRow']} title={meaning}>
              <span className={styles['grow']}>{title}</span>
              <NumberField
                label={meaning}
                value={angles[angle]}
                step={0.1}
                decimals={2}
                unit="°"
                onChange={(degrees) => tiltClip(model, layByAngles({ ...angles, [angle]: degrees }).normal)}
              />
            </div>
          ))
        : null}
    </div>
  );
}
