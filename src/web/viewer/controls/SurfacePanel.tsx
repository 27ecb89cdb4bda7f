import { useId } from 'react';
import { frame, type Point } from '#kernels/grid/camera.ts';
import { useSignal } from '../state/signal.ts';
import { mapFor, type ViewerModel } from '../state/viewer-model.ts';
import styles from '../viewer.module.css';
import { MarkSwitches } from './MarkSwitches.tsx';
import { NumberField } from './NumberField.tsx';
import { SceneSwitches } from './SceneSwitches.tsx';

const axes3 = [0, 1, 2] as const;

/** What the surface is coloured by, how it is lit, and the plane that cuts it open. */
export function SurfacePanel({ model }: { model: ViewerModel }) {
  const state = useSignal(model.store.signal);
  useSignal(model.revision);
  const { surface, clip } = state;
  const opacityId = useId();
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
  const step = Math.max(1e-4, (high - low) / 500);
  return (
    <div className={styles['panel']}>
      <label className={styles['panelRow']}>
        Colour by
        <select
          value={surface.scalar ?? ''}
          onChange={(event) => {
            const scalar = model.scalars().find(({ name }) => name === event.currentTarget.value);
            model.store.updateSurface({
              scalar: scalar?.name ?? null,
              range: null,
              brush: null,
              ...(scalar ? { map: mapFor(scalar) } : {}),
            });
          }}
        >
          <option value="">Nothing</option>
          {model.scalars().map(({ name, title }) => (
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
      <MarkSwitches model={model} />
      <SceneSwitches model={model} />
      <div className={styles['panelRow']}>
        <label htmlFor={opacityId}>Opacity</label>
        <input
          id={opacityId}
          type="range"
          className={styles['slider']}
          min={0.1}
          max={1}
          step={0.05}
          value={surface.opacity}
          onChange={(event) => model.store.updateSurface({ opacity: event.currentTarget.valueAsNumber })}
        />
        <NumberField
          label="Opacity"
          value={surface.opacity * 100}
          step={1}
          unit="%"
          minimum={10}
          maximum={100}
          characters={4}
          onChange={(percent) => model.store.updateSurface({ opacity: percent / 100 })}
        />
      </div>
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
    </div>
  );
}
