/** Surfaces side by side in 3D: one context and one canvas for all panes, each drawn in its own part of it. */

import { LinearSRGBColorSpace, Matrix4, Mesh, Scene, WebGLRenderer } from 'three';
import { partColour } from '#kernels/color/scene-ground.ts';
import { type Bounds, type Camera, standardView } from '#kernels/grid/camera.ts';
import type { Pose } from '#kernels/grid/draw-scan.ts';
import type { PaneSize } from '#kernels/overlay/paint.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { ScenePlaces } from '../engine/place-camera.ts';
import { disposeMaterial } from '../engine/surface-layer.ts';
import { readGeometry } from '../engine/surface-level.ts';
import { surfaceMaterial } from '../engine/surface-material.ts';

/** Where a pane lies in the canvas; CSS pixels from its upper left. */
interface PaneBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

interface ScenePlace {
  id: string;
  box: PaneBox;
}

interface SceneView {
  bounds: Bounds;
  /** undefined = fits the parts */
  camera: Camera | undefined;
}

export class SceneGrid {
  readonly #renderer: WebGLRenderer;
  readonly #material = surfaceMaterial(partColour);
  readonly #scenes = new Map<string, { scene: Scene; mesh: Mesh; source: SurfaceData; pose: Pose | null }>();
  readonly #places = new ScenePlaces();

  /** @throws Error without WebGL 2 */
  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('webgl2', { alpha: true, antialias: true, premultipliedAlpha: true });
    if (!context) throw new Error('WebGL 2 is not available in this browser.');
    this.#renderer = new WebGLRenderer({ canvas, context });
    this.#renderer.outputColorSpace = LinearSRGBColorSpace;
    this.#renderer.setClearColor(0x000000, 0);
    this.#renderer.setScissorTest(true);
  }

  /** What a pane shows, laid where its pose takes it. */
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

  /** @param size of the canvas, in lengths of which each is `ratio` pixels; its element's own where none is given */
  draw(
    panes: readonly ScenePlace[],
    { bounds, camera }: SceneView,
    size: { width: number; height: number; ratio: number } = this.#readSize(),
  ): void {
    const { width, height, ratio } = size;
    if (width < 1 || height < 1) return;
    this.#renderer.setPixelRatio(ratio);
    this.#renderer.setSize(width, height, false);
    for (const { id, box } of panes) {
      const y = height - box.top - box.height;
      this.#renderer.setViewport(box.left, y, box.width, box.height);
      this.#renderer.setScissor(box.left, y, box.width, box.height);
      this.#renderer.clear();
      const scene = this.#scenes.get(id)?.scene;
      if (!scene || box.width < 1 || box.height < 1) continue;
      const aspect = box.width / box.height;
      const seen = camera ?? standardView('isometric', bounds, aspect);
      this.#renderer.render(scene, this.#places.place(seen, bounds, aspect));
    }
  }

  #readSize() {
    const { clientWidth: width, clientHeight: height } = this.#renderer.domElement;
    return { width, height, ratio: window.devicePixelRatio || 1 };
  }

  /** One pane as a picture of another size; what is on the page is drawn anew by the next `draw`. */
  paint(
    context: CanvasRenderingContext2D,
    id: string,
    view: SceneView,
    { widthPx: width, heightPx: height, scale: ratio }: PaneSize,
  ): void {
    this.draw([{ id, box: { left: 0, top: 0, width, height } }], view, { width, height, ratio });
    context.drawImage(this.#renderer.domElement, 0, 0, width, height);
  }

  /** Gives back everything, the context at once. */
  dispose(): void {
    for (const { mesh } of this.#scenes.values()) mesh.geometry.dispose();
    disposeMaterial(this.#material);
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }
}
