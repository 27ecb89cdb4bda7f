import { frame } from '#kernels/grid/camera.ts';
import { useSignal } from '../state/signal.ts';
import { mapFor, type ViewerModel } from '../state/viewer-model.ts';
import styles from '../viewer.module.css';
import { NumberField } from './NumberField.tsx';

/** What the surface is coloured by, how it is lit, and the plane that cuts it open. */
export function SurfacePanel({ model }: { model: ViewerModel }) {
  const state = useSignal(model.store.signal);
  useSignal(model.revision);
  const { surface, clip } = state;
  const { min, max } = model.bounds();
  const axes = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ] as const;
  const clipAxis = clip
    ? axes.findIndex((axis) => axis.every((value, k) => value === Math.abs(clip.normal[k])))
    : -1;
  /** the plane's place along its own normal, from one end of the part to the other */
  const reach = (normal: readonly number[]): [number, number] => {
    const ends = [0, 1, 2].map((k) => [min[k] * normal[k], max[k] * normal[k]].sort((a, b) => a - b));
    return [ends.reduce((sum, [low]) => sum + low, 0), ends.reduce((sum, [, high]) => sum + high, 0)];
  };
  const cut = (normal: [number, number, number]) => {
    const cursor = model.cursorWorld();
    model.store.update({
      clip: { enabled: true, normal, offsetMm: normal.reduce((sum, value, k) => sum + value * cursor[k], 0) },
    });
  };
  const [low, high] = clip ? reach(clip.normal) : [0, 1];
  const step = Math.max(1e-4, (high - low) / 500);
  return (
    <div className={styles['panel']}>
      <label className={styles['panelRow']}>
        Colour by
        <select
          value={surface.scalar ?? ''}
          onChange={(event) => {
            const scalar = model.surface?.scalars.find(({ name }) => name === event.currentTarget.value);
            model.store.updateSurface({
              scalar: scalar?.name ?? null,
              range: null,
              ...(scalar ? { map: mapFor(scalar) } : {}),
            });
          }}
        >
          <option value="">Nothing</option>
          {model.surface?.scalars.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label className={styles['panelRow']}>
        <input
          type="checkbox"
          checked={surface.visible}
          onChange={(event) => model.store.updateSurface({ visible: event.currentTarget.checked })}
        />
        Show the surface
      </label>
      <label className={styles['panelRow']}>
        <input
          type="checkbox"
          checked={!surface.shaded}
          onChange={(event) => model.store.updateSurface({ shaded: !event.currentTarget.checked })}
        />
        Exact colours (no shading)
      </label>
      <label className={styles['panelRow']}>
        Opacity
        <input
          type="range"
          className={styles['slider']}
          min={0.1}
          max={1}
          step={0.05}
          value={surface.opacity}
          onChange={(event) => model.store.updateSurface({ opacity: event.currentTarget.valueAsNumber })}
        />
        <span className={styles['count']}>{Math.round(surface.opacity * 100)} %</span>
      </label>
      <fieldset className={styles['panelRow']}>
        <legend>Cut open</legend>
        <button
          type="button"
          className={styles['textButton']}
          aria-pressed={!clip?.enabled}
          onClick={() => model.store.update({ clip: clip && { ...clip, enabled: false } })}
        >
          Off
        </button>
        {(['X', 'Y', 'Z'] as const).map((name, axis) => (
          <button
            key={name}
            type="button"
            className={styles['textButton']}
            aria-pressed={Boolean(clip?.enabled) && clipAxis === axis}
            title={`Cut at the cursor, across ${name}`}
            onClick={() => cut([...axes[axis]])}
          >
            {name}
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
    </div>
  );
}
