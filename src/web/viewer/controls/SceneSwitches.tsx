import type { ViewState } from '#contract/shapes/view-state.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from './panel.module.css';

const switches = [
  { name: 'edges', title: 'Edges and silhouettes' },
  { name: 'occlusion', title: 'Ambient occlusion' },
  { name: 'gradient', title: 'Gradient background' },
] as const;

/** Shading aids in 3D; disabled while colours have to match the legend exactly. */
export function SceneSwitches({ model }: { model: ViewerModel }) {
  const { scene, surface } = useSignal(model.store.signal);
  const canOcclude = useSignal(model.canOcclude);
  const set = (change: Partial<ViewState['scene']>) =>
    model.store.update({ scene: { ...model.store.get().scene, ...change } });
  return switches.map(({ name, title }) => (
    <label key={name} className={styles['panelRow']}>
      <input
        type="checkbox"
        disabled={!surface.shaded}
        title={surface.shaded ? undefined : 'Not with exact colours'}
        checked={surface.shaded && (scene[name] ?? canOcclude)}
        onChange={(event) => set({ [name]: event.currentTarget.checked })}
      />
      {title}
    </label>
  ));
}
