import type { Camera, DepthTexture, WebGLRenderer, WebGLRenderTarget } from 'three';
import type { FrameBudget } from './frame-budget.ts';
import { resizeTarget } from './resize-target.ts';
import type { VolumeLayer } from './volume-layer.ts';

/** Positions of four rays within a pixel, as fractions of it from its centre. */
const within = [
  [-0.125, -0.375],
  [0.375, -0.125],
  [-0.375, 0.125],
  [0.125, 0.375],
] as const;

/** Renders the rays of the volume into a picture of their own, smaller than the frame during movements. */
export class VolumeRays {
  readonly #layer: VolumeLayer;
  #rays: WebGLRenderTarget | null = null;

  constructor(layer: VolumeLayer) {
    this.#layer = layer;
  }

  /**
   * @param before depth of the opaque objects, at which rays end
   * @param size pixels of the frame
   * @returns colour, and the depth at which more than half of the light is blocked
   */
  render(
    renderer: WebGLRenderer,
    camera: Camera,
    before: DepthTexture,
    size: readonly [number, number],
    { isAtRest, budget }: { isAtRest: boolean; budget: FrameBudget },
  ): WebGLRenderTarget {
    const scale = isAtRest ? this.#layer.choose(budget.atRestScale) : budget.movingScale;
    const raySize = [Math.ceil(size[0] * scale), Math.ceil(size[1] * scale)] as const;
    const rays = resizeTarget(this.#rays, raySize, { depth: true });
    this.#rays = rays;
    const passes = isAtRest ? budget.passes : 1;
    const steps = this.#layer.choose(isAtRest ? budget.atRest : budget.moving);
    this.#layer.aim(camera, before, steps);
    renderer.setRenderTarget(rays);
    renderer.clear();
    renderer.autoClear = false;
    for (let pass = 0; pass < passes; pass++) {
      const [x, y] = within[passes > 1 ? pass % within.length : -1] ?? [0, 0];
      this.#layer.share([(2 * x) / raySize[0], (2 * y) / raySize[1]], 1 / passes);
      renderer.render(this.#layer.mesh, camera);
    }
    renderer.autoClear = true;
    return rays;
  }

  dispose(): void {
    this.#rays?.dispose();
  }
}
