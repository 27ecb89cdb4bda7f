import { changeClips, fitBox, setBoxSide, toggleBox } from '../state/clips.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from '../viewer.module.css';
import { NumberField } from './NumberField.tsx';

/** The clipping box: position of its six sides, and whether its inside or outside is kept. */
export function ClipBoxFields({ model }: { model: ViewerModel }) {
  const { box } = useSignal(model.store.signal).clips;
  return (
    <fieldset className={styles['panelGroup']} aria-label="Clip box">
      <div className={styles['panelRow']}>
        <label className={styles['grow']}>
          <input type="checkbox" checked={box?.enabled ?? false} onChange={() => toggleBox(model)} /> Box
        </label>
        {box ? (
          <>
            <select
              aria-label="What the box keeps"
              value={box.keep}
              onChange={(event) =>
                changeClips(model, { box: { ...box, keep: event.currentTarget.value as typeof box.keep } })
              }
            >
              <option value="inside">Keep inside</option>
              <option value="outside">Keep outside</option>
            </select>
            <button
              type="button"
              className={styles['textButton']}
              title="Around the whole part"
              onClick={() => fitBox(model)}
            >
              Fit
            </button>
          </>
        ) : null}
      </div>
      {box?.enabled
        ? ([0, 1, 2] as const).map((axis) => {
            const name = 'XYZ'.charAt(axis);
            return (
              <div key={axis} className={styles['panelRow']}>
                <span className={styles['grow']}>{name}</span>
                {(['minMm', 'maxMm'] as const).map((side) => (
                  <NumberField
                    key={side}
                    label={`Box ${side === 'minMm' ? 'from' : 'to'} ${name}`}
                    value={box[side][axis]}
                    step={0.01}
                    unit="mm"
                    onChange={(mm) => setBoxSide(model, side, axis, mm)}
                  />
                ))}
              </div>
            );
          })
        : null}
    </fieldset>
  );
}
