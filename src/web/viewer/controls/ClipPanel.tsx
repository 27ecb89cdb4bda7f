import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { maxClipPlanes, type ViewState } from '#contract/shapes/view-state.ts';
import { frame } from '#kernels/grid/camera.ts';
import { axisNames } from '#kernels/grid/plane-transform.ts';
import { dot } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import {
  addPlane,
  changeClips,
  changePlane,
  flipPlane,
  hasClips,
  removePlane,
  undoClips,
} from '../state/clips.ts';
import { useSignal } from '../state/signal.ts';
import { noClips } from '../state/view-state.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import viewerStyles from '../viewer.module.css';
import { ClipBoxFields } from './ClipBoxFields.tsx';
import { ClipPlaneFields } from './ClipPlaneFields.tsx';
import { IconButton } from './IconButton.tsx';
import inputStyles from './inputs.module.css';
import panelStyles from './panel.module.css';

const axes: readonly Vector3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
type Clips = ViewState['clips'];

/** Clipping in 3D: planes and a box, each with a switch, and the content of the sections. */
export function ClipPanel({ model }: { model: ViewerModel }) {
  const { clips, surface, referenceVisible } = useSignal(model.store.signal);
  useSignal(model.revision);
  const hasSurface =
    (model.surface !== null && surface.visible) || (model.reference !== null && referenceVisible);
  const [chosen, setChosen] = useState<number | null>(null);
  const { planes, beforePlace, section } = clips;
  const cut = (normal: Vector3) => {
    if (addPlane(model, { normal, offsetMm: dot(normal, model.cursorWorld()) }))
      setChosen(model.store.get().clips.planes.length - 1);
  };
  return (
    <div className={panelStyles['panel']}>
      <AddPlane isFull={planes.length >= maxClipPlanes} onAdd={cut} model={model} />
      {planes.map((plane, index) => {
        const name = `Plane ${index + 1}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plane is identified by its position in the list
          <fieldset key={index} className={panelStyles['panelGroup']} aria-label={name}>
            <div className={panelStyles['panelRow']}>
              <label className={viewerStyles['grow']}>
                <input
                  type="checkbox"
                  checked={plane.enabled}
                  onChange={(event) => changePlane(model, index, { enabled: event.currentTarget.checked })}
                />{' '}
                {name}, across {nameDirection(plane.normal)}
              </label>
              <button
                type="button"
                className={inputStyles['textButton']}
                aria-expanded={chosen === index}
                onClick={() => setChosen(chosen === index ? null : index)}
              >
                Edit
              </button>
              <button
                type="button"
                className={inputStyles['textButton']}
                title="Keep the other side"
                onClick={() => flipPlane(model, index)}
              >
                Flip
              </button>
              <IconButton label={`Remove ${name.toLowerCase()}`} onClick={() => removePlane(model, index)}>
                <IconTrash size={15} />
              </IconButton>
            </div>
            {chosen === index ? <ClipPlaneFields model={model} index={index} plane={plane} /> : null}
          </fieldset>
        );
      })}
      {beforePlace ? (
        <div className={panelStyles['panelRow']}>
          <span className={viewerStyles['grow']}>Cut in front of the selection</span>
          <IconButton label="Remove this cut" onClick={() => changeClips(model, { beforePlace: null })}>
            <IconTrash size={15} />
          </IconButton>
        </div>
      ) : null}
      <ClipBoxFields model={model} />
      <label className={panelStyles['panelRow']}>
        <span className={viewerStyles['grow']}>Section fill</span>
        <select
          value={section}
          onChange={(event) => changeClips(model, { section: event.currentTarget.value as Clips['section'] })}
        >
          {model.volume ? <option value="grey">Grey values</option> : null}
          <option value={model.volume ? 'plain' : section === 'grey' ? 'grey' : 'plain'}>One colour</option>
          <option value="open" disabled={!hasSurface}>
            None (hollow){hasSurface ? '' : ', for surfaces'}
          </option>
        </select>
      </label>
      <div className={panelStyles['panelRow']}>
        <span className={viewerStyles['grow']} />
        <button
          type="button"
          className={inputStyles['textButton']}
          disabled={model.clipHistory.isEmpty}
          title="Undo the last change of a cut (Ctrl + Z)"
          onClick={() => undoClips(model)}
        >
          Undo
        </button>
        <button
          type="button"
          className={inputStyles['textButton']}
          disabled={!hasClips(clips)}
          onClick={() => changeClips(model, { ...noClips, section })}
        >
          Clear all
        </button>
      </div>
    </div>
  );
}

interface AddPlaneProps {
  model: ViewerModel;
  isFull: boolean;
  onAdd: (normal: Vector3) => void;
}

function AddPlane({ model, isFull, onAdd }: AddPlaneProps) {
  const title = (direction: string) =>
    isFull ? `At most ${maxClipPlanes} planes: remove one first` : `Cut at the cursor, across ${direction}`;
  return (
    <fieldset className={panelStyles['panelRow']}>
      <legend>Add plane across</legend>
      {axes.map((axis, k) => (
        <button
          key={axisNames[k]}
          type="button"
          className={inputStyles['textButton']}
          disabled={isFull}
          title={title('XYZ'.charAt(k))}
          onClick={() => onAdd(axis)}
        >
          {'XYZ'.charAt(k)}
        </button>
      ))}
      <button
        type="button"
        className={inputStyles['textButton']}
        disabled={isFull}
        title={title('the line of sight')}
        onClick={() => onAdd(frame(model.camera(1)).towards)}
      >
        View
      </button>
    </fieldset>
  );
}

/** `X`, `−Z`, or `(0.58, 0.58, 0.58)` */
function nameDirection(normal: Vector3): string {
  const length = Math.hypot(...normal);
  const axis = normal.findIndex((each) => Math.abs(each) > 0.999999 * length);
  if (axis >= 0) return `${(normal[axis] ?? 0) < 0 ? '−' : ''}${'XYZ'.charAt(axis)}`;
  return `(${normal.map((each) => (each / length).toFixed(2).replace('-', '−')).join(', ')})`;
}
