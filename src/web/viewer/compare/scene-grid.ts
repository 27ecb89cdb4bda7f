/** Surfaces in 3D, side by side or overlaid: one context and one canvas for all panes, each drawn in its own region. */

import { LinearSRGBColorSpace, Matrix4, Mesh, Scene, WebGLRenderer } from 'three';
import { formatLength } from '#contract/base/format-number.ts';
import { partColour } from '#kernels/color/scene-ground.ts';
import { type Bounds, type Camera, standardView } from '#kernels/grid/camera.ts';
import type { Pose } from '#kernels/grid/draw-scan.ts';
import type { Canvas2D } from '#kernels/overlay/canvas.ts';
import { type Inks, onLight, type PaneSize } from '#kernels/overlay/paint.ts';
import { type Laid, listLayers, paintSwipe } from '#kernels/overlay/paint-compared-slice.ts';
import { paintSceneOverlay } from '#kernels/overlay/paint-scene.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { ScenePlaces } from '../engine/place-camera.ts';
import { disposeMaterial } from '../engine/surface-layer.ts';
import { readGeometry } from '../engine/surface-level.ts';
import { surfaceMaterial } from '../engine/surface-material.ts';
import { WebGLMissing, withoutWebGL } from '../engine/webgl-missing.ts';

type PlacedCamera = ReturnType<ScenePlaces['place']>;

/** Position of a pane in the canvas; CSS pixels from the upper left. */
interface PaneBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface ScenePlace {
  /** surfaces by id */
  laid: Laid<string>;
  box: PaneBox;
}

export interface SceneView {
  bounds: Bounds;
  /** undefined = fits the parts */
  camera: Camera | undefined;
}

/** Draws the scale bar and the axes of a pane. CSS pixels, from its upper left. */
export function paintSceneMarks(
  context: Canvas2D,
  { width, height }: Pick<PaneBox, 'width' | 'height'>,
  { bounds, camera }: SceneView,
  inks: Inks,
): void {
  const seen = camera ?? standardView('isometric', bounds, width / height);
  paintSceneOverlay(context, seen, [width, height], inks, formatLength);
}

export class SceneGrid {
  readonly #renderer: WebGLRenderer;
  readonly #material = surfaceMaterial(partColour);
  readonly #scenes = new Map<string, { scene: Scene; mesh: Mesh; source: SurfaceData; pose: Pose | null }>();
  readonly #places = new ScenePlaces();

  /** @throws WebGLMissing */
  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('webgl2', { alpha: true, antialias: true, premultipliedAlpha: true });
    if (!context) throw new WebGLMissing(withoutWebGL);
    this.#renderer = new WebGLRenderer({ canvas, context });
    this.#renderer.outputColorSpace = LinearSRGBColorSpace;
    this.#renderer.setClearColor(0x000000, 0);
    this.#renderer.setScissorTest(true);
    this.#renderer.autoClear = false;
  }

  /** Frees all surfaces except these. */
  keep(ids: Pick<ReadonlyMap<string, unknown>, 'has'>): void {
    for (const [id, { mesh }] of this.#scenes) {
      if (ids.has(id)) continue;
      mesh.geometry.dispose();
      this.#scenes.delete(id);
    }
  }

  setSurface(id: string, source: SurfaceData, pose: Pose | null): void {
    const known = this.#scenes.get(id);
    if (known?.source === source && known.pose === pose) return;
    known?.mesh.geometry.dispose();
    const mesh = new Mesh(readGeometry(source), this.#material);
    mesh.frustumCulled = false;
    if (pose) mesh.applyMatrix4(new Matrix4().fromArray([...pose]).transpose());
    mesh.updateMatrixWorld();
    const scene = new Scene();
    scene.add(mesh);
    this.#scenes.set(id, { scene, mesh, source, pose });
  }

  /** @param size of the canvas, in units of `ratio` pixels; the element's size if undefined */
  draw(
    panes: readonly ScenePlace[],
    { bounds, camera }: SceneView,
    size: { width: number; height: number; ratio: number } = this.#readSize(),
  ): void {
    const { width, height, ratio } = size;
    if (width < 1 || height < 1) return;
    this.#renderer.setPixelRatio(ratio);
    this.#renderer.setSize(width, height, false);
    for (const { laid, box } of panes) {
      const y = height - box.top - box.height;
      this.#renderer.setViewport(box.left, y, box.width, box.height);
      this.#renderer.setScissor(box.left, y, box.width, box.height);
      this.#renderer.clear();
      if (box.width < 1 || box.height < 1) continue;
      const aspect = box.width / box.height;
      const seen = camera ?? standardView('isometric', bounds, aspect);
      const placed = this.#places.place(seen, bounds, aspect);
      for (const { scan, from, to, opacity } of listLayers(laid, Math.round(box.width * ratio))) {
        const scene = this.#scenes.get(scan ?? '')?.scene;
        if (!scene || from >= to || opacity === 0) continue;
        this.#renderer.setScissor(box.left + from / ratio, y, (to - from) / ratio, box.height);
        this.#lay(scene, placed, opacity);
      }
    }
  }

  /** Draws a surface over what has been drawn, whatever its depth, with the given opacity. */
  #lay(scene: Scene, placed: PlacedCamera, opacity: number): void {
    this.#renderer.clearDepth();
    if (opacity < 1) {
      // First pass, depth only: its near side must hide its far side.
      this.#material.colorWrite = false;
      this.#renderer.render(scene, placed);
      this.#material.colorWrite = true;
    }
    this.#material.uniforms.opacity.value = opacity;
    this.#renderer.render(scene, placed);
  }

  #readSize() {
    const { clientWidth: width, clientHeight: height } = this.#renderer.domElement;
    return { width, height, ratio: window.devicePixelRatio || 1 };
  }

  /** Draws one pane as a picture of another size; the next `draw` restores the canvas on the page. */
  paint(
    context: CanvasRenderingContext2D,
    laid: Laid<string>,
    view: SceneView,
    { widthPx: width, heightPx: height, scale: ratio }: PaneSize,
  ): void {
    this.draw([{ laid, box: { left: 0, top: 0, width, height } }], view, { width, height, ratio });
    context.drawImage(this.#renderer.domElement, 0, 0, width, height);
    paintSwipe(context, laid, { widthPx: width, heightPx: height }, onLight);
    paintSceneMarks(context, { width, height }, view, onLight);
  }

  /** Frees everything, including the context. */
  dispose(): void {
    for (const { mesh } of this.#scenes.values()) mesh.geometry.dispose();
    disposeMaterial(this.#material);
    this.#renderer.dispose();
    if (!this.#renderer.getContext().isContextLost()) this.#renderer.forceContextLoss();
  }
}
