import { referenceColour } from '../engine/reference-layer.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from '../viewer.module.css';

const swatch = { background: `rgb(${referenceColour.map((share) => Math.round(255 * share)).join(' ')})` };

/** Which of two surfaces is which, and a switch for each; nothing where there is only one. */
export function ReferenceSwitches({ model }: { model: ViewerModel }) {
  const { surface } = useSignal(model.store.signal);
  useSignal(model.revision);
  const visible = useSignal(model.referenceVisible);
  const loading = useSignal(model.referenceLoading);
  if (!model.reference) return null;
  return (
    <fieldset className={styles['switches']} aria-label="Surfaces">
      {model.surface && (
        <label>
          <input
            type="checkbox"
            checked={surface.visible}
            onChange={(event) => model.store.updateSurface({ visible: event.currentTarget.checked })}
          />
          <i aria-hidden />
          {model.surface.title ?? 'Surface'}
        </label>
      )}
      <label>
        <input
          type="checkbox"
          checked={visible}
          onChange={(event) => model.referenceVisible.set(event.currentTarget.checked)}
        />
        <i aria-hidden style={swatch} />
        {model.reference.title}
        {loading.status === 'loading' && ', loading…'}
        {loading.status === 'failed' && ` cannot be shown: ${loading.problem}`}
      </label>
    </fieldset>
  );
}
