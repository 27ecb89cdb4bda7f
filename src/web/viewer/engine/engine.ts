import {
  BufferAttribute,
  BufferGeometry,
  GLSL3,
  LinearSRGBColorSpace,
  Mesh,
  OrthographicCamera,
  Ray,
  Scene,
  Vector3,
  WebGLRenderer,
  WebGLRenderTarget,
} from 'three';
import { findBounds } from '#kernels/grid/bounds.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import { nothingCut } from '#kernels/grid/cut-away.ts';
import type { PackedVolume } from '#kernels/grid/pack-volume.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { CapLayer } from './cap-layer.ts';
import { ChosenLayer } from './chosen-layer.ts';
import { type FrameBudget, frameBudgets } from './frame-budget.ts';
import type { Layer, SceneState, SurfaceHit } from './layer.ts';
import { MarksLayer } from './marks-layer.ts';
import { ScenePlaces } from './place-camera.ts';
import { PlainSectionLayer } from './plain-section-layer.ts';
import { ReferenceLayer } from './reference-layer.ts';
import { SceneFrame } from './scene-frame.ts';
import { createShader } from './shader-material.ts';
import { isSoftware } from './software-renderer.ts';
import { SurfaceLayer } from './surface-layer.ts';
import { VolumeLayer } from './volume-layer.ts';
import { WebGLMissing, withoutWebGL } from './webgl-missing.ts';

const samples = 4;

/**
 * The 3D scene on one canvas: a list of layers. Draws only on request and holds no state of the page. `dispose`
 * releases the context at once; a canvas can be reused only after its context was lost and restored.
 */
export class Engine {
  readonly #canvas: HTMLCanvasElement;
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #places = new ScenePlaces();
  readonly #copy = copyScene();
  readonly #surface: SurfaceLayer;
  readonly #reference: ReferenceLayer;
  readonly #chosen = new ChosenLayer();
  readonly #volume = new VolumeLayer();
  readonly #cap = new CapLayer(this.#volume);
  readonly #plainSection = new PlainSectionLayer();
  readonly #frame = new SceneFrame(this.#volume);
  readonly budget: FrameBudget;
  /** changes with each surface, reference or volume set */
  dataVersion = 0;
  /** maximum edge length of a volume, in voxels */
  readonly volumeEdge: number;
  /** in the order in which they are applied */
  readonly #layers: readonly Layer[];
  #target: WebGLRenderTarget | null = null;
  /** whether the page is dark */
  isOnDark = false;
  #state: SceneState | null = null;
  #bounds: Bounds = { min: [-1, -1, -1], max: [1, 1, 1] };

  /** @throws WebGLMissing if no WebGL2 context can be created */
  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('webgl2', {
      alpha: true,
      antialias: false,
      depth: true,
      premultipliedAlpha: true,
      preserveDrawingBuffer: false,
      powerPreference: 'high-performance',
    });
    if (!context) throw new WebGLMissing(withoutWebGL);
    this.#canvas = canvas;
    this.#renderer = new WebGLRenderer({ canvas, context });
    this.#renderer.outputColorSpace = LinearSRGBColorSpace; // colours of the maps are written unchanged
    this.#renderer.setClearColor(0x000000, 0);
    this.#renderer.autoClear = true;
    this.#renderer.info.autoReset = false; // a frame consists of several passes
    this.budget = frameBudgets[isSoftware(context) ? 'software' : 'hardware'];
    this.#surface = new SurfaceLayer(this.#renderer.capabilities.maxTextureSize, this.budget);
    this.#reference = new ReferenceLayer(this.#surface);
    this.#layers = [
      new MarksLayer(),
      this.#surface,
      this.#reference,
      this.#chosen,
      this.#cap,
      this.#plainSection,
      this.#volume,
    ];
    for (const { object } of this.#layers) if (object) this.#scene.add(object);
    this.volumeEdge = Math.min(this.budget.edge, context.getParameter(context.MAX_3D_TEXTURE_SIZE));
  }

  /**
   * Sets the surface; null removes it. The engine keeps a reference to the arrays.
   *
   * @param simplified the same surface with fewer triangles: drawn alone if the other is null, and during movements if
   * the other exceeds the budget
   */
  setSurface(surface: SurfaceData | null, simplified: SurfaceData | null = null): void {
    this.dataVersion++;
    this.#surface.setSurface(surface, simplified);
    this.#chosen.setSurface(surface);
    this.#plainSection.setSurface(surface ?? simplified);
  }

  /**
   * Sets the reference shown beside the surface; null removes it.
   *
   * @param matrix transforms a world point to its place; row-major
   * @param isPart whether it is the part that contains the surface's defects
   */
  setReference(surface: SurfaceData | null, matrix: readonly number[], isPart: boolean): void {
    this.dataVersion++;
    this.#reference.setSurface(surface, matrix, isPart);
  }

  /** Sets the volume; null removes it. The engine keeps a reference to the arrays. */
  setVolume(packed: PackedVolume | null): void {
    this.dataVersion++;
    this.#volume.setVolume(packed);
  }

  /** Applies the state; does not draw yet. */
  apply(state: SceneState): void {
    this.#state = state;
    for (const layer of this.#layers) layer.apply(state);
    const bounds = this.#layers.map((layer) => layer.bounds()).filter((each) => each !== null);
    this.#bounds = findBounds(bounds.flatMap(({ min, max }) => [min, max])) ?? this.#bounds;
  }

  /**
   * Draws the frame on the canvas. `fine` enables antialiasing (four samples per pixel), which takes up to three times
   * as long and is left out during movements.
   */
  draw(widthPx: number, heightPx: number, pixelRatio: number, fine: boolean): void {
    if (!this.#state || widthPx < 1 || heightPx < 1) return;
    const width = Math.round(widthPx * pixelRatio);
    const height = Math.round(heightPx * pixelRatio);
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#renderer.setSize(width, height, false);
    }
    // Antialiasing mixes neighbouring colours, and a mixed colour is not in the colour map.
    if (!fine || !this.#state.surface.shaded) {
      this.#render(null, width / height, [width, height], pixelRatio, fine);
      return;
    }
    const target = this.#targetOf(width, height);
    this.#render(target, width / height, [width, height], pixelRatio, true);
    this.#copy.material.uniforms['picture'].value = target.texture;
    this.#renderer.setRenderTarget(null);
    this.#renderer.render(this.#copy.scene, this.#copy.camera);
  }

  /** Renders the scene as a separate picture, premultiplied RGBA, top row first; the canvas is unchanged. */
  picture(widthPx: number, heightPx: number, isOnDark = false): Uint8ClampedArray<ArrayBuffer> {
    const bytes = new Uint8Array(widthPx * heightPx * 4);
    const flipped = new Uint8ClampedArray(bytes.length);
    if (!this.#state) return flipped;
    const target = new WebGLRenderTarget(widthPx, heightPx, {
      samples: this.#state.surface.shaded ? samples : 0,
      depthBuffer: true,
    });
    this.#render(
      target,
      widthPx / heightPx,
      [widthPx, heightPx],
      Math.max(1, heightPx / 600),
      true,
      isOnDark,
    );
    this.#renderer.readRenderTargetPixels(target, 0, 0, widthPx, heightPx, bytes);
    this.#renderer.setRenderTarget(null);
    target.dispose();
    const row = widthPx * 4;
    for (let y = 0; y < heightPx; y++) {
      flipped.set(bytes.subarray((heightPx - 1 - y) * row, (heightPx - y) * row), y * row);
    }
    return flipped;
  }

  /** Statistics of the last frame, and resources on the graphics card. */
  get usage(): { draws: number; triangles: number; geometries: number; textures: number } {
    const { render, memory } = this.#renderer.info;
    return { draws: render.calls, triangles: render.triangles, ...memory };
  }

  /** The first visible point of the surface under a position in the pane (CSS pixels). */
  pick(xPx: number, yPx: number, widthPx: number, heightPx: number): SurfaceHit | null {
    if (!this.#state) return null;
    const camera = this.#places.place(this.#state.camera, this.#bounds, widthPx / heightPx);
    const x = (xPx / widthPx) * 2 - 1;
    const y = 1 - (yPx / heightPx) * 2;
    const near = new Vector3(x, y, -1).unproject(camera);
    const far = new Vector3(x, y, 1).unproject(camera);
    const ray = new Ray(near, far.clone().sub(near).normalize());
    const hits = this.#layers.flatMap((layer) => layer.pick?.(ray, this.#state?.cuts ?? nothingCut) ?? []);
    const farOff = ({ pointWorld }: SurfaceHit) => near.distanceTo(new Vector3(...pointWorld));
    return hits.sort((one, other) => farOff(one) - farOff(other))[0] ?? null;
  }

  /** Frees everything, including the context: browsers allow only about sixteen. */
  dispose(): void {
    for (const layer of this.#layers) layer.dispose();
    this.#frame.dispose();
    this.#copy.material.dispose();
    this.#copy.geometry.dispose();
    this.#target?.dispose();
    this.#renderer.dispose();
    if (!this.#renderer.getContext().isContextLost()) this.#renderer.forceContextLoss();
  }

  #render(
    target: WebGLRenderTarget | null,
    aspect: number,
    size: readonly [number, number],
    scale: number,
    isAtRest: boolean,
    isOnDark = this.isOnDark,
  ): void {
    if (!this.#state) return;
    const { camera, scene, surface } = this.#state;
    for (const layer of this.#layers) layer.prepare?.(scale, isAtRest);
    this.#renderer.info.reset();
    const { min, max } = this.#bounds;
    const occlusion = scene.occlusion ?? this.budget.occlusion;
    this.#frame.render(
      this.#renderer,
      this.#scene,
      this.#places.place(camera, this.#bounds, aspect),
      target,
      {
        size,
        samples: target?.samples ?? 0,
        isAtRest,
        budget: this.budget,
        // A darkened colour is not in the colour map.
        hasEdges: scene.edges && surface.shaded,
        isOnDark,
        hasOcclusion: occlusion && surface.shaded && (isAtRest || this.budget.occlusion),
        hasTranslucent: this.#layers.some(({ visible, opacity }) => visible && opacity < 1),
        radiusMm: 0.05 * Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]),
        lineWidthPx: Math.max(1, Math.round(scale)),
      },
    );
  }

  #targetOf(width: number, height: number): WebGLRenderTarget {
    if (this.#target?.width !== width || this.#target.height !== height) {
      this.#target?.dispose();
      this.#target = new WebGLRenderTarget(width, height, { samples, depthBuffer: true });
    }
    return this.#target;
  }
}

/** One triangle over the whole picture that copies a texture pixel by pixel. */
function copyScene() {
  const scene = new Scene();
  const camera = new OrthographicCamera();
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    'position',
    new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3),
  );
  const material = createShader({
    glslVersion: GLSL3,
    vertexShader: 'void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }',
    fragmentShader:
      'uniform sampler2D picture; out vec4 colour; void main() { colour = texelFetch(picture, ivec2(gl_FragCoord.xy), 0); }',
    uniforms: { picture: { value: null } },
    depthTest: false,
    depthWrite: false,
  });
  const triangle = new Mesh(geometry, material);
  triangle.frustumCulled = false;
  scene.add(triangle);
  return { scene, camera, geometry, material };
}
