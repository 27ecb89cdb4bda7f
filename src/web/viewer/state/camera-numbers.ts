import { type Camera, distanceMm, frame, type Point } from '#kernels/grid/camera.ts';
import { orientByAngles, readAngles } from './oblique.ts';

/** Viewpoint of the 3D pane in numbers that an engineer would use. */
export interface CameraNumbers {
  /** of the viewing direction: angle about Z, from X; degrees */
  azimuth: number;
  /** of the viewing direction above the XY plane; degrees, −90 to 90 */
  elevation: number;
  /** rotation of the picture, counterclockwise; 0 where Z is up, or Y when looking along Z; degrees */
  roll: number;
  /** height of the picture in mm */
  heightMm: number;
  /** centre of the picture; mm */
  target: Point;
}

export function readCameraNumbers(camera: Camera): CameraNumbers {
  const { up, towards } = frame(camera);
  const { azimuth, tilt, roll } = readAngles({ normal: towards, up });
  return { azimuth, elevation: 90 - tilt, roll, heightMm: camera.heightMm, target: camera.target };
}

/** The camera described by the numbers, with the projection of the given one. */
export function placeCamera(
  { projection }: Pick<Camera, 'projection'>,
  { azimuth, elevation, roll, heightMm, target }: CameraNumbers,
): Camera {
  const { normal, up } = orientByAngles({ azimuth, tilt: 90 - elevation, roll });
  const away = distanceMm(heightMm);
  const position: Point = [
    target[0] + away * normal[0],
    target[1] + away * normal[1],
    target[2] + away * normal[2],
  ];
  return { position, target: [...target], up, projection, heightMm };
}
