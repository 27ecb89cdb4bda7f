import { type BufferGeometry, Group, Matrix4, Mesh } from 'three';
import {
  opacityAroundDefects,
  opacityOverSurface,
  partColour,
  referenceColour,
} from '#kernels/color/scene-ground.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { setCuts } from './cut-shader.ts';
import type { Layer, SceneState } from './layer.ts';
import { disposeMaterial } from './surface-layer.ts';
import { readGeometry } from './surface-level.ts';
import { type SurfaceMaterial, setTranslucent, surfaceMaterial } from './surface-material.ts';

/** The reference that the surface is aligned to, or the part around defects. */
export class ReferenceLayer implements Layer {
  readonly kind = 'reference';
  readonly object = new Group();
  readonly #material = surfaceMaterial(referenceColour);
  readonly #over: Layer;
  #mesh: Mesh<BufferGeometry, SurfaceMaterial> | null = null;
  #isPart = false;

  /** @param over layer applied before this one: where it is visible, this one is transparent */
  constructor(over: Layer) {
    this.#over = over;
  }

  get visible(): boolean {
    return this.#mesh?.visible ?? false;
  }

  get opacity(): number {
    return this.#material.uniforms['opacity'].value;
  }

  /**
   * @param matrix transforms a world point to its place; row-major
   * @param isPart whether it is the part that contains the surface's defects
   */
  setSurface(surface: SurfaceData | null, matrix: readonly number[], isPart = false): void {
    this.#isPart = isPart;
    this.#material.uniforms['plain'].value.set(...(isPart ? partColour : referenceColour));
    if (this.#mesh) {
      this.object.remove(this.#mesh);
      this.#mesh.geometry.dispose();
    }
    this.#mesh = null;
    if (!surface) return;
    this.#mesh = new Mesh(readGeometry(surface), this.#material);
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

  apply({ referenceVisible, surface, cuts }: SceneState): void {
    if (!this.#mesh) return;
    this.#mesh.visible = referenceVisible;
    const isAlone = !this.#over.visible;
    setTranslucent(this.#mesh, !isAlone);
    const { uniforms } = this.#material;
    uniforms['opacity'].value = isAlone ? 1 : this.#isPart ? opacityAroundDefects : opacityOverSurface;
    uniforms['exact'].value = !surface.shaded;
    setCuts(uniforms, cuts);
  }

  dispose(): void {
    this.setSurface(null, []);
    disposeMaterial(this.#material);
  }
}
