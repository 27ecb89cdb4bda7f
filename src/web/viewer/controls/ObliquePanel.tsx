import { frame } from '#kernels/grid/camera.ts';
import { axisNames } from '#kernels/grid/plane-transform.ts';
import { defaultOrientation, type PlaneOrientation } from '#kernels/grid/turned-grid.ts';
import { cross, minus } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { isCutAlong, toggleCutAlong } from '../state/clips.ts';
import type { ShownMeasurement } from '../state/measuring.ts';
import { readAngles, readOrientation, setOrientation } from '../state/oblique.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { AngleFields } from './AngleFields.tsx';
import inputStyles from './inputs.module.css';
import { NumberField } from './NumberField.tsx';
import panelStyles from './panel.module.css';

const noUp: Vector3 = [0, 0, 0];
const axes: readonly Vector3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
/** Orientation of the oblique plane: as numbers, from a measurement, and as a clipping plane. */
export function ObliquePanel({ model }: { model: ViewerModel }) {
  const state = useSignal(model.store.signal);
  const measured = useSignal(model.measuring.props);
  const orientation = readOrientation(state);
  const angles = readAngles(orientation);
  const cursor = model.cursorWorld();
  const stepMm = Math.min(...(model.volume?.voxelSizeMm ?? [0.01]));
  const put = (next: PlaneOrientation, through?: Vector3) => {
    setOrientation(model, next);
    if (through) model.setCursorWorld(through);
  };
  const show = (isShown: boolean) => {
    if (isShown) setOrientation(model, defaultOrientation);
    else model.store.update({ oblique: null, ...(state.layout === 'oblique' ? { layout: 'main' } : {}) });
  };
  const across = (measured?.shown ?? []).flatMap((each) => {
    const found = findOrientation(each);
    return found ? [{ ...each, ...found }] : [];
  });
  return (
    <div className={panelStyles['panel']}>
      <label className={panelStyles['panelRow']}>
        <input
          type="checkbox"
          checked={state.oblique !== null}
          onChange={(event) => show(event.currentTarget.checked)}
        />
        Show an oblique plane through the cursor
      </label>
      {state.oblique ? (
        <>
          <fieldset className={panelStyles['panelRow']}>
            <legend>Across</legend>
            {axes.map((axis, k) => (
              <button
                key={axisNames[k]}
                type="button"
                className={inputStyles['textButton']}
                title={`Perpendicular to ${axisNames[k]}`}
                onClick={() => put({ normal: axis, up: noUp })}
              >
                {axisNames[k]}
              </button>
            ))}
            <button
              type="button"
              className={inputStyles['textButton']}
              title="Perpendicular to the view direction in 3D"
              onClick={() => {
                const seen = frame(model.camera(1));
                put({ normal: seen.towards, up: seen.up });
              }}
            >
              View
            </button>
          </fieldset>
          {across.length > 0 ? (
            <label className={panelStyles['panelRow']}>
              Align to
              <select
                value=""
                onChange={(event) => {
                  const found = across.find(({ id }) => id === event.currentTarget.value);
                  if (found) put({ normal: found.normal, up: noUp }, found.through);
                }}
              >
                <option value="" disabled>
                  a measurement
                </option>
                {across.map(({ id, name, how }) => (
                  <option key={id} value={id}>
                    {how} {name}
                  </option>
                ))}
              </select>
            </label>
          ) : (
            <p className={panelStyles['hint']}>
              Measured planes, axes, lines, angles and areas can be chosen here, too.
            </p>
          )}
          <AngleFields angles={angles} shown={['azimuth', 'tilt', 'roll']} plane="the" onChange={put} />
          <fieldset className={panelStyles['panelRow']}>
            <legend>Through</legend>
            {axisNames.map((name, k) => (
              <NumberField
                key={name}
                label={`Cursor ${name}`}
                value={cursor[k] ?? 0}
                step={stepMm}
                decimals={3}
                characters={6}
                onChange={(mm) =>
                  model.setCursorWorld(cursor.map((own, i) => (i === k ? mm : own)) as Vector3)
                }
              />
            ))}
            <span>mm</span>
          </fieldset>
          <button
            type="button"
            className={inputStyles['textButton']}
            title="Cut the part open along this plane in 3D"
            aria-pressed={isCutAlong(model, 'oblique')}
            onClick={() => toggleCutAlong(model, 'oblique')}
          >
            Cut here
          </button>
        </>
      ) : null}
    </div>
  );
}

/** Planes and three points define the plane itself; axes and lines its normal. */
function findOrientation({
  kind,
  points,
  feature,
}: ShownMeasurement): { normal: Vector3; through: Vector3; how: 'through' | 'across' } | null {
  if (feature?.direction)
    return {
      normal: feature.direction,
      through: feature.centerMm,
      how: kind === 'plane' || kind === 'circle' ? 'through' : 'across',
    };
  const [a, b, c] = points;
  if (!a || !b) return null;
  if (!c) return { normal: minus(b, a), through: a, how: 'across' };
  const normal = cross(minus(b, a), minus(c, a));
  return Math.hypot(...normal) > 0 ? { normal, through: a, how: 'through' } : null;
}
