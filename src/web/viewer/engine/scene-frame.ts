import {
  AlwaysDepth,
  BufferAttribute,
  BufferGeometry,
  CustomBlending,
  GLSL3,
  HalfFloatType,
  type IUniform,
  Mesh,
  NoBlending,
  OneFactor,
  OneMinusSrcAlphaFactor,
  OrthographicCamera,
  type PerspectiveCamera,
  type Scene,
  Vector2,
  Vector4,
  type WebGLRenderer,
  type WebGLRenderTarget,
} from 'three';
import type { FrameBudget } from './frame-budget.ts';
import {
  blurFragment,
  composeFragment,
  emptySumFragment,
  occlusionFragment,
  resolveFragment,
} from './frame-shaders.ts';
import { opaquePass, overPass, translucentPass } from './layer.ts';
import { resizeTarget } from './resize-target.ts';
import { createShader, type ShaderWith } from './shader-material.ts';
import type { VolumeLayer } from './volume-layer.ts';
import { VolumeRays } from './volume-rays.ts';
import { wholePictureVertex } from './volume-shader.ts';

export interface FrameOptions {
  /** pixels of the target */
  size: readonly [number, number];
  samples: number;
  isAtRest: boolean;
  budget: FrameBudget;
  hasEdges: boolean;
  /** lines around dark objects are light */
  isOnDark: boolean;
  hasOcclusion: boolean;
  /** whether any object is translucent */
  hasTranslucent: boolean;
  /** radius of ambient occlusion */
  radiusMm: number;
  /** line width in device pixels */
  lineWidthPx: number;
}

/**
 * Renders one frame in passes: opaque objects with normals and depth; their ambient occlusion; the rays of the volume,
 * which end at that depth; the combination of all, with edges. Then translucent objects in any order by weighted
 * blending (M. McGuire, L. Bavoil (2013), Journal of Computer Graphics Techniques 2 (2), 122–141), then lines and
 * objects visible through everything. Passes without effect are skipped.
 */
export class SceneFrame {
  readonly #volume: VolumeLayer;
  readonly #rays: VolumeRays;
  readonly #occlude = wholePicture(occlusionFragment, {
    normals: { value: null },
    radiusMm: { value: 1 },
    ...distanceUniforms(),
  });
  readonly #blur = wholePicture(blurFragment, { occlusion: { value: null }, ...distanceUniforms() });
  readonly #compose = wholePicture(composeFragment, {
    opaque: { value: null },
    normals: { value: null },
    occlusion: { value: null },
    volume: { value: null },
    volumeDepth: { value: null },
    ground: { value: new Vector4() },
    hasEdges: { value: false },
    isOnDark: { value: false },
    hasOcclusion: { value: false },
    hasVolume: { value: false },
    widthPx: { value: 1 },
    ...distanceUniforms(),
  });
  readonly #emptySum = wholePicture(emptySumFragment, {
    depth: { value: null },
    volumeDepth: { value: null },
    hasVolume: { value: false },
  });
  readonly #resolve = wholePicture(resolveFragment, { sum: { value: null }, weights: { value: null } });
  #opaque: WebGLRenderTarget | null = null;
  #occlusion: WebGLRenderTarget | null = null;
  #blurred: WebGLRenderTarget | null = null;
  #sum: WebGLRenderTarget | null = null;

  constructor(volume: VolumeLayer) {
    this.#volume = volume;
    this.#rays = new VolumeRays(volume);
    this.#resolve.material.depthTest = false;
    this.#resolve.material.depthWrite = false;
    this.#resolve.material.blending = CustomBlending;
    this.#resolve.material.blendSrc = OneFactor;
    this.#resolve.material.blendDst = OneMinusSrcAlphaFactor;
  }

  render(
    renderer: WebGLRenderer,
    scene: Scene,
    camera: OrthographicCamera | PerspectiveCamera,
    target: WebGLRenderTarget | null,
    options: FrameOptions,
  ): void {
    const { size, samples, hasEdges, hasOcclusion, hasTranslucent } = options;
    const hasVolume = this.#volume.visible;
    if (!hasVolume && !hasEdges && !hasOcclusion && !hasTranslucent) {
      camera.layers.enableAll();
      renderer.setRenderTarget(target);
      renderer.render(scene, camera);
      return;
    }
    const count = hasEdges || hasOcclusion ? 2 : 1;
    const opaque = resizeTarget(this.#opaque, size, { samples, count, depth: true });
    this.#opaque = opaque;
    camera.layers.set(opaquePass);
    renderer.setRenderTarget(opaque);
    renderer.render(scene, camera);
    const { uniforms } = this.#compose.material;
    uniforms.opaque.value = opaque.textures[0];
    uniforms.normals.value = opaque.textures[1] ?? opaque.textures[0];
    if (hasOcclusion) uniforms.occlusion.value = this.#findHollows(renderer, camera, opaque, options);
    if (hasVolume && opaque.depthTexture) {
      const rays = this.#rays.render(renderer, camera, opaque.depthTexture, size, options);
      uniforms.volume.value = rays.texture;
      uniforms.volumeDepth.value = rays.depthTexture;
      this.#emptySum.material.uniforms.volumeDepth.value = rays.depthTexture;
    }
    setDistances(uniforms, camera, opaque);
    uniforms.hasEdges.value = hasEdges;
    uniforms.isOnDark.value = options.isOnDark;
    uniforms.hasOcclusion.value = hasOcclusion;
    uniforms.hasVolume.value = hasVolume;
    uniforms.widthPx.value = options.lineWidthPx;
    uniforms.ground.value.copy(this.#volume.ground);
    renderer.setRenderTarget(target);
    renderer.render(this.#compose, camera);
    if (hasTranslucent) this.#addTranslucent(renderer, scene, camera, target, opaque, options);
    renderer.autoClear = false;
    camera.layers.set(overPass);
    renderer.setRenderTarget(target);
    renderer.render(scene, camera);
    renderer.autoClear = true;
    camera.layers.enableAll();
  }

  dispose(): void {
    this.#rays.dispose();
    for (const target of [this.#opaque, this.#occlusion, this.#blurred, this.#sum]) target?.dispose();
    for (const mesh of [this.#occlude, this.#blur, this.#compose, this.#emptySum, this.#resolve]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }

  /** Ambient occlusion at half the size of the picture; 1 where nothing is occluded. */
  #findHollows(
    renderer: WebGLRenderer,
    camera: OrthographicCamera | PerspectiveCamera,
    opaque: WebGLRenderTarget,
    { size, radiusMm }: FrameOptions,
  ) {
    camera.layers.enableAll();
    const half = [Math.ceil(size[0] / 2), Math.ceil(size[1] / 2)] as const;
    this.#occlusion = resizeTarget(this.#occlusion, half, {});
    this.#blurred = resizeTarget(this.#blurred, half, {});
    const { uniforms } = this.#occlude.material;
    uniforms.normals.value = opaque.textures[1];
    uniforms.radiusMm.value = radiusMm;
    setDistances(uniforms, camera, opaque);
    renderer.setRenderTarget(this.#occlusion);
    renderer.render(this.#occlude, camera);
    this.#blur.material.uniforms.occlusion.value = this.#occlusion.texture;
    setDistances(this.#blur.material.uniforms, camera, opaque);
    renderer.setRenderTarget(this.#blurred);
    renderer.render(this.#blur, camera);
    return this.#blurred.texture;
  }

  #addTranslucent(
    renderer: WebGLRenderer,
    scene: Scene,
    camera: OrthographicCamera | PerspectiveCamera,
    target: WebGLRenderTarget | null,
    opaque: WebGLRenderTarget,
    { size, samples }: FrameOptions,
  ): void {
    const sum = resizeTarget(this.#sum, size, { samples, count: 2, type: HalfFloatType });
    this.#sum = sum;
    const { uniforms } = this.#emptySum.material;
    uniforms.depth.value = opaque.depthTexture;
    uniforms.hasVolume.value = this.#volume.visible;
    renderer.autoClear = false;
    camera.layers.enableAll();
    renderer.setRenderTarget(sum);
    renderer.render(this.#emptySum, camera);
    camera.layers.set(translucentPass);
    renderer.render(scene, camera);
    this.#resolve.material.uniforms.sum.value = sum.textures[0];
    this.#resolve.material.uniforms.weights.value = sum.textures[1];
    camera.layers.enableAll();
    renderer.setRenderTarget(target);
    renderer.render(this.#resolve, camera);
    renderer.autoClear = true;
  }
}

const distanceUniforms = () => ({
  depth: { value: null },
  reach: { value: new Vector2(0, 1) },
  isPerspective: { value: false },
  pixelMm: { value: 1 },
});

function setDistances(
  uniforms: Record<keyof ReturnType<typeof distanceUniforms>, IUniform>,
  camera: OrthographicCamera | PerspectiveCamera,
  { depthTexture, height }: WebGLRenderTarget,
): void {
  uniforms.depth.value = depthTexture;
  uniforms.reach.value.set(camera.near, camera.far);
  uniforms.isPerspective.value = !(camera instanceof OrthographicCamera);
  uniforms.pixelMm.value =
    camera instanceof OrthographicCamera
      ? (camera.top - camera.bottom) / height
      : (2 * Math.tan((camera.fov * Math.PI) / 360)) / height;
}

/** One triangle over the whole picture. */
function wholePicture<Name extends string>(
  fragmentShader: string,
  uniforms: Record<Name, IUniform>,
): Mesh<BufferGeometry, ShaderWith<Name>> {
  const geometry = new BufferGeometry();
  const corners = new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]);
  geometry.setAttribute('position', new BufferAttribute(corners, 3));
  const material = createShader({
    glslVersion: GLSL3,
    vertexShader: wholePictureVertex,
    fragmentShader,
    depthFunc: AlwaysDepth,
    blending: NoBlending,
    uniforms,
  });
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  return mesh;
}
