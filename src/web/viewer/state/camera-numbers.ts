import { type Camera, distanceMm, frame, type Point } from '#kernels/grid/camera.ts';
import { layByAngles, readAngles } from './oblique.ts';

/** Where the camera of the 3D pane looks from, as an engineer would say it. */
export interface CameraNumbers {
  /** direction that it looks from, about Z, from X; degrees */
  azimuth: number;
  /** of that direction above the XY plane; degrees, −90 to 90 */
  elevation: number;
  /** of the picture, counterclockwise; 0 where Z is up, or Y where it looks along Z; degrees */
  roll: number;
  /** mm that the height of the picture shows */
  heightMm: number;
  /** what is in the middle of the picture; mm */
  target: Point;
}

export function readCameraNumbers(camera: Camera): CameraNumbers {
  const { up, towards } = frame(camera);
  const { azimuth, tilt, roll } = readAngles({ normal: towards, up });
  return { azimuth, elevation: 90 - tilt, roll, heightMm: camera.heightMm, target: camera.target };
}

/** The camera that the numbers describe, in the projection of the one before. */
export function placeCamera(
  { projection }: Pick<Camera, 'projection'>,
  { azimuth, elevation, roll, heightMm, target }: CameraNumbers,
): Camera {
  const { normal, up } = layByAngles({ azimuth, tilt: 90 - elevation, roll });
  const away = distanceMm(heightMm);
  const position: Point = [
    target[0] + away * normal[0],
    target[1] + away * normal[1],
    target[2] + away * normal[2],
  ];
  return { position, target: [...target], up, projection, heightMm };
}
