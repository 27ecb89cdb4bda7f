import { VisuallyHidden } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ViewState, volumeStyles } from '#contract/shapes/view-state.ts';
import type { CurvePoint } from '#kernels/grid/transfer-curve.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { isVolumeShown, readCurve } from '../state/volume-look.ts';
import { CurveEditor } from './CurveEditor.tsx';
import { addPointInGap, maxPoints, movePoint, removePoint } from './edit-curve.ts';
import inputStyles from './inputs.module.css';
import { NumberField } from './NumberField.tsx';
import panelStyles from './panel.module.css';

const styleTitles: Record<ViewState['volume']['style'], string> = {
  surface: 'Surface',
  bone: 'Bone-like',
  xray: 'X-ray',
  maximum: 'Maximum',
};

/** Whether and how 3D shows the volume: a style, and its curve from grey value to opacity and colour. */
export function VolumePanel({ model }: { model: ViewerModel }) {
  const { volume } = useSignal(model.store.signal);
  useSignal(model.revision);
  const histogram = useSignal(model.histogram);
  const curve = readCurve(model);
  const change = (next: CurvePoint[]) => model.store.updateVolume({ curve: next });
  if (!histogram || curve.length === 0) return <p className={panelStyles['panel']}>Loading the volume…</p>;
  const limits = [histogram.minimum, histogram.maximum] as const;
  const isWhole = !/^float/.test(model.volume?.dataType ?? '');
  return (
    <div className={panelStyles['panel']}>
      <div className={panelStyles['panelRow']}>
        <label className={panelStyles['fit']}>
          <input
            type="checkbox"
            checked={isVolumeShown(model)}
            onChange={(event) => model.store.updateVolume({ visible: event.currentTarget.checked })}
          />
          Show the volume
        </label>
        <label>
          Style
          <select
            value={volume.style}
            onChange={(event) =>
              model.store.updateVolume({
                style: event.currentTarget.value as ViewState['volume']['style'],
                curve: null,
              })
            }
          >
            {volumeStyles.map((style) => (
              <option key={style} value={style}>
                {styleTitles[style]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <CurveEditor
        curve={curve}
        histogram={histogram}
        iso={model.volume?.isoValue ?? null}
        onChange={change}
      />
      <CurvePoints
        {...{ curve, limits }}
        step={isWhole ? 1 : 10 ** Math.floor(Math.log10((limits[1] - limits[0]) / 1000))}
        onChange={change}
      />
      <div className={panelStyles['panelRow']}>
        <button
          type="button"
          className={inputStyles['textButton']}
          disabled={curve.length >= maxPoints}
          title={
            curve.length >= maxPoints
              ? `A curve has at most ${maxPoints} points`
              : 'Adds a point in the widest gap'
          }
          onClick={() => change(addPointInGap(curve))}
        >
          Add point
        </button>
        <button
          type="button"
          className={inputStyles['textButton']}
          disabled={volume.curve === null}
          title="Restore the curve of this style"
          onClick={() => model.store.updateVolume({ curve: null })}
        >
          Reset curve
        </button>
      </div>
    </div>
  );
}

interface CurvePointsProps {
  curve: readonly CurvePoint[];
  /** lowest and highest grey value of the scan */
  limits: readonly [number, number];
  /** increment of grey value fields */
  step: number;
  onChange: (curve: CurvePoint[]) => void;
}

/** Number fields for the points of the curve. */
function CurvePoints({ curve, limits, step, onChange }: CurvePointsProps) {
  return (
    <table className={panelStyles['curvePoints']}>
      <thead>
        <tr>
          <th scope="col">Grey value</th>
          <th scope="col">Opacity</th>
          <th scope="col">Colour</th>
          <th scope="col">
            <VisuallyHidden>Remove</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {curve.map((point, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a point is identified by its position; its numbers change
          <tr key={i}>
            <td>
              <NumberField
                label={`Grey value of point ${i + 1}`}
                value={point.value}
                step={step}
                characters={7}
                onChange={(value) => onChange(movePoint(curve, i, { value }, limits))}
              />
            </td>
            <td>
              <NumberField
                label={`Opacity of point ${i + 1}`}
                value={point.opacity * 100}
                step={1}
                minimum={0}
                maximum={100}
                unit="%"
                characters={4}
                onChange={(percent) => onChange(movePoint(curve, i, { opacity: percent / 100 }, limits))}
              />
            </td>
            <td>
              <input
                type="color"
                aria-label={`Colour of point ${i + 1}`}
                value={point.color}
                onChange={(event) =>
                  onChange(movePoint(curve, i, { color: event.currentTarget.value.toLowerCase() }, limits))
                }
              />
            </td>
            <td>
              <button
                type="button"
                className={inputStyles['iconButton']}
                aria-label={`Remove point ${i + 1}`}
                title={curve.length > 2 ? 'Remove the point' : 'A curve has at least two points'}
                disabled={curve.length <= 2}
                onClick={() => onChange(removePoint(curve, i))}
              >
                <IconTrash size={14} />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
