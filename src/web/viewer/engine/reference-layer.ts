import { type BufferGeometry, Group, Matrix4, Mesh, type ShaderMaterial } from 'three';
import type { Bounds } from '#kernels/grid/camera.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { type Layer, type SceneState, translucentPass } from './layer.ts';
import { disposeMaterial, geometryOf } from './surface-layer.ts';
import { surfaceMaterial } from './surface-material.ts';

export const referenceColour = [0.93, 0.55, 0.16] as const;
/** Over a surface; alone it hides what is behind it. */
const opacityOverSurface = 0.4;

/** What the surface is laid on. */
export class ReferenceLayer implements Layer {
  readonly kind = 'reference';
  readonly object = new Group();
  readonly #material = surfaceMaterial(referenceColour);
  readonly #over: Layer;
  #mesh: Mesh<BufferGeometry, ShaderMaterial> | null = null;

  /** @param over applied before this one: where it is to be seen, this one lets it through */
  constructor(over: Layer) {
    this.#over = over;
  }

  get visible(): boolean {
    return this.#mesh?.visible ?? false;
  }

  get opacity(): number {
    return this.#material.uniforms['opacity'].value;
  }

  /** @param matrix takes a point of the world to its place there; row by row */
  setSurface(surface: SurfaceData | null, matrix: readonly number[]): void {
    if (this.#mesh) {
      this.object.remove(this.#mesh);
      this.#mesh.geometry.dispose();
    }
    this.#mesh = null;
    if (!surface) return;
    this.#mesh = new Mesh(geometryOf(surface), this.#material);
    this.#mesh.geometry.computeBoundingBox();
    this.#mesh.applyMatrix4(new Matrix4().fromArray(matrix).transpose().invert());
    this.#mesh.updateMatrixWorld();
    this.#mesh.frustumCulled = false;
    this.#mesh.renderOrder = 1.5;
    this.object.add(this.#mesh);
  }

  bounds(): Bounds | null {
    const box = this.#mesh?.geometry.boundingBox;
    if (!this.#mesh || !box) return null;
    const { min, max } = box.clone().applyMatrix4(this.#mesh.matrixWorld);
    return { min: min.toArray(), max: max.toArray() };
  }

  apply({ referenceVisible, surface, clip }: SceneState): void {
    if (!this.#mesh) return;
    this.#mesh.visible = referenceVisible;
    const isAlone = !this.#over.visible;
    this.#material.transparent = !isAlone;
    this.#material.depthWrite = isAlone;
    this.#mesh.layers.set(isAlone ? 0 : translucentPass);
    const { uniforms } = this.#material;
    uniforms['opacity'].value = isAlone ? 1 : opacityOverSurface;
    uniforms['exact'].value = !surface.shaded;
    uniforms['clipped'].value = clip?.enabled ?? false;
    if (clip) uniforms['clipPlane'].value.set(...clip.normal, clip.offsetMm);
  }

  dispose(): void {
    this.setSurface(null, []);
    disposeMaterial(this.#material);
  }
}
