import { changeClips, fitBox, setBoxSide, toggleBox } from '../state/clips.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import viewerStyles from '../viewer.module.css';
import inputStyles from './inputs.module.css';
import { NumberField } from './NumberField.tsx';
import panelStyles from './panel.module.css';

/** The clipping box: position of its six sides, and whether its inside or outside is kept. */
export function ClipBoxFields({ model }: { model: ViewerModel }) {
  const { box } = useSignal(model.store.signal).clips;
  return (
    <fieldset className={panelStyles['panelGroup']} aria-label="Clip box">
      <div className={panelStyles['panelRow']}>
        <label className={viewerStyles['grow']}>
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
              className={inputStyles['textButton']}
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
              <div key={axis} className={panelStyles['panelRow']}>
                <span className={viewerStyles['grow']}>{name}</span>
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
