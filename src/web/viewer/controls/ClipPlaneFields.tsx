import type { ViewState } from '#contract/shapes/view-state.ts';
import { changePlane, tiltPlane } from '../state/clips.ts';
import { readAngles } from '../state/oblique.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { AngleFields } from './AngleFields.tsx';
import inputStyles from './inputs.module.css';
import { NumberField } from './NumberField.tsx';
import panelStyles from './panel.module.css';

interface ClipPlaneFieldsProps {
  model: ViewerModel;
  index: number;
  plane: ViewState['clips']['planes'][number];
}

export function ClipPlaneFields({ model, index, plane }: ClipPlaneFieldsProps) {
  const { min, max } = model.bounds();
  const { normal, offsetMm } = plane;
  // Range of the plane's position along its normal, from one end of the part to the other.
  const ends = normal.map((each, k) => [each * (min[k] ?? 0), each * (max[k] ?? 0)]);
  const low = ends.reduce((sum, end) => sum + Math.min(...end), 0);
  const high = ends.reduce((sum, end) => sum + Math.max(...end), 0);
  const angles = readAngles({ normal, up: [0, 0, 0] });
  const move = (to: number) => changePlane(model, index, { offsetMm: to });
  return (
    <>
      <div className={panelStyles['panelRow']}>
        <input
          type="range"
          className={inputStyles['slider']}
          aria-label="Position of the cut"
          min={low}
          max={high}
          step={Math.max(1e-4, (high - low) / 500)}
          value={offsetMm}
          onChange={(event) => move(event.currentTarget.valueAsNumber)}
        />
        <NumberField label="Position of the cut" value={offsetMm} step={0.01} unit="mm" onChange={move} />
      </div>
      <AngleFields
        angles={angles}
        shown={['azimuth', 'tilt']}
        plane="the cut’s"
        disabled={!plane.enabled}
        onChange={({ normal: tilted }) => tiltPlane(model, index, tilted)}
      />
    </>
  );
}
