import { type CSSProperties, Fragment } from 'react';
import { referenceColour } from '#kernels/color/scene-ground.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { isVolumeShown } from '../state/volume-look.ts';
import styles from './scene.module.css';

const referenceSwatch = {
  background: `rgb(${referenceColour.map((share) => Math.round(255 * share)).join(' ')})`,
};

interface Switch {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

interface LayerRow {
  layer: 'surface' | 'reference' | 'volume';
  title: string;
  /** shown after the title */
  state?: string;
  swatch?: CSSProperties;
  inScene?: Switch;
  onSlices?: Switch;
}

/** Switches for the layers that 3D and slices can show; nothing if there is only one. */
export function LayerSwitches({ model }: { model: ViewerModel }) {
  useSignal(model.store.signal);
  useSignal(model.revision);
  useSignal(model.referenceLoading);
  const rows = listLayers(model);
  if (rows.length < 2) return null;
  return (
    <fieldset className={styles['switches']} aria-label="Layers">
      <span aria-hidden>3D</span>
      <span aria-hidden>Slices</span>
      <span />
      {rows.map(({ layer, title, state, swatch, inScene, onSlices }) => (
        <Fragment key={layer}>
          {inScene ? <Checkbox label={title} {...inScene} /> : <span />}
          {onSlices ? <Checkbox label={`${title} on slices`} {...onSlices} /> : <span />}
          <span data-title>
            {swatch && <i aria-hidden style={swatch} />}
            {title}
            {state}
          </span>
        </Fragment>
      ))}
    </fieldset>
  );
}

const Checkbox = ({ label, isOn, onChange }: Switch & { label: string }) => (
  <input
    type="checkbox"
    aria-label={label}
    title={label}
    checked={isOn}
    onChange={(event) => onChange(event.currentTarget.checked)}
  />
);

/** The layers that 3D and slices can show. */
export function listLayers(model: ViewerModel): LayerRow[] {
  const { store, surface, reference, volume } = model;
  const state = store.get();
  const onSlices = (layer: 'surface' | 'reference'): Switch | undefined =>
    volume
      ? {
          isOn: state.slices[layer],
          onChange: (isOn) => store.update({ slices: { ...state.slices, [layer]: isOn } }),
        }
      : undefined;
  const rows: LayerRow[] = [];
  if (surface)
    rows.push({
      layer: 'surface',
      title: (reference && surface.title) ?? 'Surface',
      swatch: reference ? {} : undefined,
      inScene: { isOn: state.surface.visible, onChange: (visible) => store.updateSurface({ visible }) },
      onSlices: onSlices('surface'),
    });
  if (reference) {
    const loading = model.referenceLoading.get();
    rows.push({
      layer: 'reference',
      title: reference.title,
      state:
        loading.status === 'loading'
          ? ', loading…'
          : loading.status === 'failed'
            ? ` cannot be shown: ${loading.problem}`
            : '',
      swatch: reference.isPart ? {} : referenceSwatch,
      inScene: reference.onSlicesOnly
        ? undefined
        : {
            isOn: state.referenceVisible,
            onChange: (referenceVisible) => store.update({ referenceVisible }),
          },
      onSlices: onSlices('reference'),
    });
  }
  if (volume)
    rows.push({
      layer: 'volume',
      title: 'Volume',
      inScene: { isOn: isVolumeShown(model), onChange: (visible) => store.updateVolume({ visible }) },
    });
  return rows;
}
