import { useId } from 'react';
import { useSignal } from '../state/signal.ts';
import { mapFor } from '../state/surface-source.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import inputStyles from './inputs.module.css';
import { MarkSwitches } from './MarkSwitches.tsx';
import { NumberField } from './NumberField.tsx';
import panelStyles from './panel.module.css';
import { SceneSwitches } from './SceneSwitches.tsx';

/** Colouring and lighting of the surface, and its clipping plane. */
export function SurfacePanel({ model }: { model: ViewerModel }) {
  const state = useSignal(model.store.signal);
  useSignal(model.revision);
  const { surface } = state;
  const opacityId = useId();
  return (
    <div className={panelStyles['panel']}>
      <label className={panelStyles['panelRow']}>
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
      <label className={panelStyles['panelRow']}>
        <input
          type="checkbox"
          checked={surface.visible}
          onChange={(event) => model.store.updateSurface({ visible: event.currentTarget.checked })}
        />
        Show the surface
      </label>
      <label className={panelStyles['panelRow']}>
        <input
          type="checkbox"
          checked={!surface.shaded}
          onChange={(event) => model.store.updateSurface({ shaded: !event.currentTarget.checked })}
        />
        Exact colours (no shading)
      </label>
      <MarkSwitches model={model} />
      <SceneSwitches model={model} />
      <div className={panelStyles['panelRow']}>
        <label htmlFor={opacityId}>Opacity</label>
        <input
          id={opacityId}
          type="range"
          className={inputStyles['slider']}
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
    </div>
  );
}
