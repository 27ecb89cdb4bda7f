import type { Camera, Point } from '#kernels/grid/camera.ts';
import { axisNames } from '#kernels/grid/plane-transform.ts';
import { NumberField } from '../controls/NumberField.tsx';
import { PictureFields } from '../controls/PictureFields.tsx';
import { type CameraNumbers, placeCamera, readCameraNumbers } from '../state/camera-numbers.ts';

const angles = [
  ['azimuth', 'Azimuth', 'Direction of view about Z, from X'],
  ['elevation', 'Elevation', 'Direction of view above the XY plane'],
  ['roll', 'Turn', 'Rotation of the picture'],
] as const;

interface CameraFieldsProps {
  camera: Camera;
  onChange: (camera: Camera) => void;
}

/** Direction, target and height of the camera, which dragging and the wheel also change. */
export function CameraFields({ camera, onChange }: CameraFieldsProps) {
  const numbers = readCameraNumbers(camera);
  const change = (part: Partial<CameraNumbers>) => onChange(placeCamera(camera, { ...numbers, ...part }));
  return (
    <PictureFields
      label="Camera"
      heightMm={numbers.heightMm}
      onHeight={(heightMm) => change({ heightMm })}
      middle={axisNames.map((name, axis) => [name, numbers.target[axis] ?? 0])}
      onMiddle={(at, mm) => {
        const target: Point = [...numbers.target];
        target[at] = mm;
        change({ target });
      }}
    >
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
    </PictureFields>
  );
}
