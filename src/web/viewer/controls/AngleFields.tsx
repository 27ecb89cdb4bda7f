import type { PlaneOrientation } from '#kernels/grid/turned-grid.ts';
import { type OrientationAngles, orientByAngles } from '../state/oblique.ts';
import viewerStyles from '../viewer.module.css';
import { NumberField } from './NumberField.tsx';
import panelStyles from './panel.module.css';

type Angle = keyof OrientationAngles;

const titles: Record<Angle, [title: string, of: (plane: string) => string]> = {
  azimuth: ['Azimuth', (plane) => `Direction of ${plane} normal about Z, from X`],
  tilt: ['Tilt', (plane) => `Angle of ${plane} normal from Z`],
  roll: ['Turn', () => 'Rotation of the picture in the plane'],
};

interface AngleFieldsProps {
  angles: OrientationAngles;
  shown: readonly Angle[];
  /** whose normal it is: “the” or “the cut’s” */
  plane: string;
  disabled?: boolean;
  onChange: (orientation: PlaneOrientation) => void;
}

/** Orientation of a plane, in degrees. */
export const AngleFields = ({ angles, shown, plane, disabled, onChange }: AngleFieldsProps) =>
  shown.map((angle) => {
    const [title, describe] = titles[angle];
    const meaning = describe(plane);
    return (
      <div key={angle} className={panelStyles['panelRow']} title={meaning}>
        <span className={viewerStyles['grow']}>{title}</span>
        <NumberField
          label={meaning}
          value={angles[angle]}
          step={0.1}
          decimals={2}
          unit="°"
          disabled={disabled}
          onChange={(degrees) => onChange(orientByAngles({ ...angles, [angle]: degrees }))}
        />
      </div>
    );
  });
