import { OrthographicCamera, PerspectiveCamera } from 'three';
import { type Bounds, type Camera, distanceMm, fieldOfView, frame } from '#kernels/grid/camera.ts';

/** The two cameras of a scene; `place` gives the one that a view asks for, where it asks for it. */
export class ScenePlaces {
  readonly #orthographic = new OrthographicCamera();
  readonly #perspective = new PerspectiveCamera();

  /** @param bounds of everything, so that nothing is cut off before or behind */
  place(camera: Camera, { min, max }: Bounds, aspect: number): OrthographicCamera | PerspectiveCamera {
    const { up, towards } = frame(camera);
    const centre = min.map((low, k) => (low + max[k]) / 2);
    const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2 || 1;
    const off = Math.hypot(...centre.map((value, k) => value - camera.target[k]));
    const reach = radius + off;
    const perspective = camera.projection === 'perspective';
    const away = perspective ? distanceMm(camera.heightMm) : reach * 1.01;
    const position = camera.target.map((value, k) => value + towards[k] * away);
    const placed = perspective ? this.#perspective : this.#orthographic;
    placed.position.set(position[0], position[1], position[2]);
    placed.up.set(...up);
    placed.lookAt(...camera.target);
    placed.far = away + reach * 1.01;
    if (placed instanceof PerspectiveCamera) {
      placed.near = Math.max(away - reach, away / 1000);
      placed.fov = (fieldOfView * 180) / Math.PI;
      placed.aspect = aspect;
    } else {
      placed.near = 0;
      placed.top = camera.heightMm / 2;
      placed.bottom = -placed.top;
      placed.right = placed.top * aspect;
      placed.left = -placed.right;
    }
    placed.updateProjectionMatrix();
    placed.updateMatrixWorld();
    return placed;
  }
}
