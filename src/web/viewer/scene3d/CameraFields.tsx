import type { Camera, Point } from '#kernels/grid/camera.ts';
import { axisNames } from '#kernels/grid/plane-transform.ts';
import { NumberField } from '../controls/NumberField.tsx';
import { type CameraNumbers, placeCamera, readCameraNumbers } from '../state/camera-numbers.ts';
import styles from '../viewer.module.css';

const angles = [
  ['azimuth', 'Azimuth', 'Direction of view about Z, from X'],
  ['elevation', 'Elevation', 'Direction of view above the XY plane'],
  ['roll', 'Turn', 'Turn of the picture'],
] as const;

interface CameraFieldsProps {
  camera: Camera;
  onChange: (camera: Camera) => void;
}

/** Where the camera looks from and at, and how much it shows: what a drag and the wheel change. */
export function CameraFields({ camera, onChange }: CameraFieldsProps) {
  const numbers = readCameraNumbers(camera);
  const change = (part: Partial<CameraNumbers>) => onChange(placeCamera(camera, { ...numbers, ...part }));
  return (
    <fieldset className={styles['cameraFields']} aria-label="Camera">
      {angles.map(([name, title, meaning]) => (
        <span key={name}>
          {title}
          <NumberField
            label={meaning}
            value={numbers[name]}
            step={1}
            decimals={1}
            unit="°"
            characters={6}
            {...(name === 'elevation' ? { minimum: -90, maximum: 90 } : {})}
            onChange={(value) => change({ [name]: value })}
          />
        </span>
      ))}
      <span>
        Height
        <NumberField
          label="Height of the picture"
          value={numbers.heightMm}
          step={0.1}
          decimals={3}
          unit="mm"
          minimum={0.001}
          onChange={(heightMm) => change({ heightMm })}
        />
      </span>
      {([0, 1, 2] as const).map((axis) => (
        <span key={axis}>
          {axisNames[axis]}
          <NumberField
            label={`${axisNames[axis]} of the middle of the picture`}
            value={numbers.target[axis]}
            step={0.1}
            decimals={3}
            unit="mm"
            onChange={(value) => {
              const target: Point = [...numbers.target];
              target[axis] = value;
              change({ target });
            }}
          />
        </span>
      ))}
    </fieldset>
  );
}
