import { referenceColour } from '../engine/reference-layer.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { isVolumeShown } from '../state/volume-look.ts';
import styles from '../viewer.module.css';

const swatch = { background: `rgb(${referenceColour.map((share) => Math.round(255 * share)).join(' ')})` };

/** What 3D can show, with a switch for each; nothing where there is only one. */
export function LayerSwitches({ model }: { model: ViewerModel }) {
  const { surface, referenceVisible } = useSignal(model.store.signal);
  useSignal(model.revision);
  const loading = useSignal(model.referenceLoading);
  if ([model.surface, model.reference, model.volume].filter((each) => each !== null).length < 2) return null;
  return (
    <fieldset className={styles['switches']} aria-label="Layers">
      {model.surface && (
        <label>
          <input
            type="checkbox"
            checked={surface.visible}
            onChange={(event) => model.store.updateSurface({ visible: event.currentTarget.checked })}
          />
          {model.reference && <i aria-hidden />}
          {(model.reference && model.surface.title) ?? 'Surface'}
        </label>
      )}
      {model.reference && (
        <label>
          <input
            type="checkbox"
            checked={referenceVisible}
            onChange={(event) => model.store.update({ referenceVisible: event.currentTarget.checked })}
          />
          <i aria-hidden style={swatch} />
          {model.reference.title}
          {loading.status === 'loading' && ', loading…'}
          {loading.status === 'failed' && ` cannot be shown: ${loading.problem}`}
        </label>
      )}
      {model.volume && (
        <label>
          <input
            type="checkbox"
            checked={isVolumeShown(model)}
            onChange={(event) => model.store.updateVolume({ visible: event.currentTarget.checked })}
          />
          Volume
        </label>
      )}
    </fieldset>
  );
}
