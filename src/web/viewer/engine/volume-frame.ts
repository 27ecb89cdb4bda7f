import {
  AlwaysDepth,
  type Camera,
  DepthTexture,
  GLSL3,
  LinearFilter,
  Mesh,
  NoBlending,
  type Scene,
  ShaderMaterial,
  Vector4,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three';
import { translucentPass } from './layer.ts';
import type { RaySteps, VolumeLayer } from './volume-layer.ts';
import { joinFragment, wholePictureVertex } from './volume-shader.ts';

/** How much work a frame of the volume may be. */
export interface RayBudget {
  /** longest edge of the texture, in voxels */
  edge: number;
  atRest: RaySteps;
  moving: RaySteps;
  /** rays along each edge of the picture, as a share of its pixels: of what is solid, and of what rays go on through */
  atRestScale: RaySteps;
  /** the same while something moves */
  movingScale: number;
  /** rays a pixel at rest, each through another place in it */
  passes: number;
}

/** For a graphics card, and for a processor that draws in its place. */
export const rayBudgets: Record<'hardware' | 'software', RayBudget> = {
  hardware: {
    edge: 256,
    atRest: { solid: 0.5, translucent: 0.5 },
    moving: { solid: 1.5, translucent: 1.5 },
    atRestScale: { solid: 1, translucent: 1 },
    movingScale: 0.5,
    passes: 4,
  },
  software: {
    edge: 128,
    atRest: { solid: 0.5, translucent: 1 },
    moving: { solid: 1.5, translucent: 2 },
    atRestScale: { solid: 1, translucent: 0.5 },
    movingScale: 0.5,
    passes: 1,
  },
};

/** Places within a pixel that four rays go through, as shares of it from its middle. */
const within = [
  [-0.125, -0.375],
  [0.375, -0.125],
  [-0.375, 0.125],
  [0.125, 0.375],
] as const;

/**
 * A frame with a volume in it: opaque things and their depth, the rays that end there, both joined with the depth of what
 * hides more than half, then the translucent things and lines.
 */
export class VolumeFrame {
  readonly #layer: VolumeLayer;
  readonly #join: Mesh;
  readonly #material: ShaderMaterial;
  #opaque: WebGLRenderTarget | null = null;
  #rays: WebGLRenderTarget | null = null;

  constructor(layer: VolumeLayer) {
    this.#layer = layer;
    this.#material = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: wholePictureVertex,
      fragmentShader: joinFragment,
      depthFunc: AlwaysDepth,
      blending: NoBlending,
      uniforms: {
        opaque: { value: null },
        opaqueDepth: { value: null },
        volume: { value: null },
        volumeDepth: { value: null },
        ground: { value: new Vector4() },
      },
    });
    this.#join = new Mesh(layer.mesh.geometry, this.#material);
    this.#join.frustumCulled = false;
  }

  /** @param size pixels of the target */
  render(
    renderer: WebGLRenderer,
    scene: Scene,
    camera: Camera,
    target: WebGLRenderTarget | null,
    size: readonly [number, number],
    { samples, isAtRest, budget }: { samples: number; isAtRest: boolean; budget: RayBudget },
  ): void {
    const scale = isAtRest ? this.#layer.choose(budget.atRestScale) : budget.movingScale;
    const opaque = resized(this.#opaque, size, samples);
    this.#opaque = opaque;
    const raySize = [Math.ceil(size[0] * scale), Math.ceil(size[1] * scale)] as const;
    const rays = resized(this.#rays, raySize, 0);
    this.#rays = rays;
    camera.layers.set(0);
    renderer.setRenderTarget(opaque);
    renderer.render(scene, camera);

    const passes = isAtRest ? budget.passes : 1;
    const steps = this.#layer.choose(isAtRest ? budget.atRest : budget.moving);
    this.#layer.aim(camera, depthOf(opaque), steps);
    renderer.setRenderTarget(rays);
    renderer.clear();
    renderer.autoClear = false;
    for (let pass = 0; pass < passes; pass++) {
      const [x, y] = passes > 1 ? within[pass % within.length] : [0, 0];
      this.#layer.share([(2 * x) / raySize[0], (2 * y) / raySize[1]], 1 / passes);
      renderer.render(this.#layer.mesh, camera);
    }
    renderer.autoClear = true;

    const { uniforms } = this.#material;
    uniforms['opaque'].value = opaque.texture;
    uniforms['opaqueDepth'].value = opaque.depthTexture;
    uniforms['volume'].value = rays.texture;
    uniforms['volumeDepth'].value = rays.depthTexture;
    uniforms['ground'].value.copy(this.#layer.ground);
    renderer.setRenderTarget(target);
    renderer.render(this.#join, camera);
    renderer.autoClear = false;
    camera.layers.set(translucentPass);
    renderer.render(scene, camera);
    renderer.autoClear = true;
    camera.layers.enableAll();
  }

  dispose(): void {
    this.#opaque?.dispose();
    this.#rays?.dispose();
    this.#material.dispose();
  }
}

const depthOf = ({ depthTexture }: WebGLRenderTarget): DepthTexture => {
  if (!depthTexture) throw new Error('the target has no depth');
  return depthTexture;
};

function resized(
  target: WebGLRenderTarget | null,
  [width, height]: readonly [number, number],
  samples: number,
): WebGLRenderTarget {
  if (target?.width === width && target.height === height && target.samples === samples) return target;
  target?.dispose();
  return new WebGLRenderTarget(width, height, {
    samples,
    magFilter: LinearFilter,
    depthTexture: new DepthTexture(width, height),
  });
}
