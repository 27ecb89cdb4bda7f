/** Surfaces side by side in 3D: one context and one canvas for all panes, each drawn in its own part of it. */
import { LinearSRGBColorSpace, Matrix4, Mesh, Scene, WebGLRenderer } from 'three';
import { type Bounds, type Camera, standardView } from '#kernels/grid/camera.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { ScenePlaces } from '../engine/place-camera.ts';
import { disposeMaterial, plainColour } from '../engine/surface-layer.ts';
import { geometryOf } from '../engine/surface-level.ts';
import { surfaceMaterial } from '../engine/surface-material.ts';
import type { Pose } from './draw-scan.ts';

/** Where a pane lies in the canvas; CSS pixels from its upper left. */
export interface PaneBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

export class SceneGrid {
  readonly #renderer: WebGLRenderer;
  readonly #material = surfaceMaterial(plainColour);
  readonly #scenes = new Map<string, { scene: Scene; mesh: Mesh; source: SurfaceData; pose: Pose | null }>();
  readonly #places = new ScenePlaces();

  /** @throws Error without WebGL 2 */
  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('webgl2', { alpha: true, antialias: true, premultipliedAlpha: true });
    if (!context) throw new Error('This browser gives no WebGL 2 context.');
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
    const mesh = new Mesh(geometryOf(source), this.#material);
    mesh.frustumCulled = false;
    if (pose) mesh.applyMatrix4(new Matrix4().fromArray([...pose]).transpose());
    mesh.updateMatrixWorld();
    const scene = new Scene();
    scene.add(mesh);
    this.#scenes.set(id, { scene, mesh, source, pose });
  }

  draw(panes: readonly { id: string; box: PaneBox }[], bounds: Bounds, camera: Camera | undefined): void {
    const canvas = this.#renderer.domElement;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width < 1 || height < 1) return;
    this.#renderer.setPixelRatio(window.devicePixelRatio || 1);
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

  /** Gives back everything, the context at once. */
  dispose(): void {
    for (const { mesh } of this.#scenes.values()) mesh.geometry.dispose();
    disposeMaterial(this.#material);
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }
}
