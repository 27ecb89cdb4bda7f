import { OrthographicCamera, PerspectiveCamera, Vector3 } from 'three';
import { type Bounds, type Camera, distanceMm, fieldOfView, frame } from '#kernels/grid/camera.ts';

/** The two cameras of a scene; `place` returns the one for a view, positioned. */
export class ScenePlaces {
  readonly #orthographic = new OrthographicCamera();
  readonly #perspective = new PerspectiveCamera();

  /** @param bounds of all objects, so that the near and far planes clip nothing */
  place(camera: Camera, { min, max }: Bounds, aspect: number): OrthographicCamera | PerspectiveCamera {
    const { up, towards } = frame(camera);
    const [low, high, target] = [new Vector3(...min), new Vector3(...max), new Vector3(...camera.target)];
    const radius = low.distanceTo(high) / 2 || 1;
    const reach = radius + low.clone().lerp(high, 0.5).distanceTo(target);
    const perspective = camera.projection === 'perspective';
    const away = perspective ? distanceMm(camera.heightMm) : reach * 1.01;
    const placed = perspective ? this.#perspective : this.#orthographic;
    placed.position.copy(target).addScaledVector(new Vector3(...towards), away);
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
