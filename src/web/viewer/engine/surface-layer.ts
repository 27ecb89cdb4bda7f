import { BufferAttribute, Group, type Ray } from 'three';
import { partColour } from '#kernels/color/scene-ground.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import type { CutAway } from '#kernels/grid/cut-away.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { setCuts } from './cut-shader.ts';
import type { FrameBudget } from './frame-budget.ts';
import type { Layer, SceneState, SurfaceHit } from './layer.ts';
import { SurfaceLevel } from './surface-level.ts';
import {
  lutTexture,
  pictureTexture,
  type SurfaceMaterial,
  setTranslucent,
  surfaceMaterial,
} from './surface-material.ts';

/** The surface of the part or of its defects, coloured by one of its scalars. */
export class SurfaceLayer implements Layer {
  readonly kind = 'surface';
  readonly object = new Group();
  readonly #material = surfaceMaterial(partColour);
  readonly #maxTextureSize: number;
  readonly #budget: Pick<FrameBudget, 'movingTriangles' | 'movingBodies'>;
  #whole: SurfaceLevel | null = null;
  #simplified: SurfaceLevel | null = null;
  #isVisible = false;
  #lut: Uint8Array | null = null;

  /** @param budget of frames during movements: above it a simplified surface, or fewer of its places, are drawn */
  constructor(maxTextureSize: number, budget: Pick<FrameBudget, 'movingTriangles' | 'movingBodies'>) {
    this.#maxTextureSize = maxTextureSize;
    this.#budget = budget;
  }

  get visible(): boolean {
    return this.#isVisible && this.#levels.length > 0;
  }

  get opacity(): number {
    return this.#material.uniforms['opacity'].value;
  }

  get #levels(): SurfaceLevel[] {
    return [this.#whole, this.#simplified].filter((level) => level !== null);
  }

  /**
   * Sets the surface; null removes it. The layer keeps a reference to the arrays.
   *
   * @param simplified the same surface with fewer triangles
   */
  setSurface(surface: SurfaceData | null, simplified: SurfaceData | null = null): void {
    this.#whole = this.#replace(this.#whole, surface);
    this.#simplified = this.#replace(this.#simplified, simplified);
  }

  bounds(): Bounds | null {
    return this.#levels[0]?.surface.bounds ?? null;
  }

  apply({ lut, range, surface, cuts, places }: SceneState): void {
    const { uniforms } = this.#material;
    if (lut !== this.#lut) {
      this.#lut = lut;
      uniforms['lut'].value.dispose();
      uniforms['lut'].value = lutTexture(lut);
    }
    uniforms['range'].value.set(...range);
    uniforms['brushed'].value = surface.brush !== null;
    if (surface.brush) uniforms['brush'].value.set(...surface.brush);
    uniforms['exact'].value = !surface.shaded;
    uniforms['opacity'].value = surface.opacity;
    setCuts(uniforms, cuts);
    this.#isVisible = surface.visible && surface.opacity > 0;
    for (const level of this.#levels) {
      level.apply(surface.scalar, places);
      setTranslucent(level.mesh, surface.opacity < 1);
    }
    const [first] = this.#levels;
    uniforms['coloured'].value = first?.isColoured ?? false;
    uniforms['textured'].value =
      surface.scalar === first?.surface.texture?.name && first?.mesh.geometry.hasAttribute('uv');
  }

  prepare(scale: number, isAtRest: boolean): void {
    this.#material.uniforms['hatchPx'].value = scale;
    const [whole, simplified] = [this.#whole, this.#simplified];
    const isCoarse =
      simplified !== null && !isAtRest && (whole?.triangles ?? 0) > this.#budget.movingTriangles;
    if (simplified) simplified.mesh.visible = this.#isVisible && (whole === null || isCoarse);
    if (whole) whole.mesh.visible = this.#isVisible && !isCoarse;
    whole?.drawFewer(isAtRest ? null : this.#budget.movingBodies);
  }

  pick(ray: Ray, cuts: CutAway): SurfaceHit | null {
    if (!this.#isVisible) return null;
    const hit = this.#levels[0]?.pick(ray, cuts) ?? null;
    return hit && this.#whole === null ? { ...hit, isSimplified: true } : hit;
  }

  dispose(): void {
    this.setSurface(null);
    disposeMaterial(this.#material);
  }

  #replace(level: SurfaceLevel | null, surface: SurfaceData | null): SurfaceLevel | null {
    if (level?.surface === (surface ?? undefined)) return level;
    if (level) {
      this.object.remove(level.mesh);
      level.dispose();
    }
    if (!surface) return null;
    const next = new SurfaceLevel(surface, this.#material);
    const { texture } = surface;
    if (texture && Math.max(texture.width, texture.height) <= this.#maxTextureSize) {
      next.mesh.geometry.setAttribute('uv', new BufferAttribute(texture.coordinates, 2));
      const { uniforms } = this.#material;
      uniforms['picture'].value.dispose();
      uniforms['picture'].value = pictureTexture(texture.bytes, texture.width, texture.height);
      uniforms['pictureEnds'].value.set(texture.low, texture.high);
    }
    this.object.add(next.mesh);
    return next;
  }
}

export function disposeMaterial(material: SurfaceMaterial): void {
  material.uniforms['lut'].value.dispose();
  material.uniforms['picture'].value.dispose();
  material.dispose();
}
