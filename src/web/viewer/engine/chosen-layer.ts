import { BufferAttribute, BufferGeometry, Group, Mesh, type ShaderMaterial, SphereGeometry } from 'three';
import { chosenColour } from '#kernels/color/scene-ground.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import { hasTriangles } from '#kernels/places/place-ball.ts';
import type { PlaceMarks } from '#kernels/places/place-marks.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { type Layer, overPass, type SceneState } from './layer.ts';
import { disposeMaterial } from './surface-layer.ts';
import { surfaceMaterial } from './surface-material.ts';

/** Opacity of the selected place behind other surfaces. */
const throughOpacity = 0.5;

/** The selected place of a surface: never clipped, and visible through anything in front of it. */
export class ChosenLayer implements Layer {
  readonly kind = 'chosen';
  readonly object = new Group();
  readonly opacity = 1;
  readonly #materials = [surfaceMaterial(chosenColour), surfaceMaterial(chosenColour)] as const;
  #meshes: Mesh<BufferGeometry, ShaderMaterial>[] = [];
  #surface: SurfaceData | null = null;
  #places: PlaceMarks | null = null;

  get visible(): boolean {
    return this.#meshes.length > 0;
  }

  setSurface(surface: SurfaceData | null): void {
    this.#surface = surface;
    this.#places = null;
    this.#clear();
  }

  bounds(): Bounds | null {
    return null;
  }

  apply({ places, surface }: SceneState): void {
    for (const { uniforms } of this.#materials) uniforms['exact'].value = !surface.shaded;
    if (places?.chosenId === this.#places?.chosenId) return;
    this.#places = places;
    this.#clear();
    if (this.#surface && places) this.#show(this.#surface, places);
  }

  dispose(): void {
    this.#clear();
    for (const material of this.#materials) disposeMaterial(material);
  }

  #show(surface: SurfaceData, { attribute, chosenId, chosenBall }: PlaceMarks): void {
    const ids = surface.scalars[attribute];
    if (!ids || chosenId === null) return;
    if (hasTriangles(ids, chosenId)) this.#add(takePlace(surface, ids, chosenId));
    else if (chosenBall)
      this.#add(new SphereGeometry(chosenBall.radiusMm, 32, 16).translate(...chosenBall.centre));
  }

  #add(geometry: BufferGeometry): void {
    const [through, plain] = this.#materials;
    through.uniforms['opacity'].value = throughOpacity;
    through.depthTest = false;
    // It coincides with the surface, whose depth is rounded by the texture it was copied from.
    plain.polygonOffset = true;
    plain.polygonOffsetFactor = -1;
    plain.polygonOffsetUnits = -8;
    for (const material of [through, plain]) {
      material.transparent = true;
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = material === through ? 1.8 : 1.9;
      mesh.layers.set(overPass);
      this.#meshes.push(mesh);
      this.object.add(mesh);
    }
  }

  #clear(): void {
    for (const mesh of this.#meshes) {
      this.object.remove(mesh);
      mesh.geometry.dispose();
    }
    this.#meshes = [];
  }
}

/** Extracts the triangles of one place as a surface of its own. */
function takePlace(
  { positions, normals, indices }: SurfaceData,
  ids: Float32Array,
  chosenId: number,
): BufferGeometry {
  const corners: number[] = [];
  // This loop visits all triangles on every selection, so it allocates nothing for triangles of other places.
  for (let t = 0; t < indices.length; t += 3)
    if (ids[indices[t] ?? -1] === chosenId) corners.push(...indices.subarray(t, t + 3));
  const geometry = new BufferGeometry();
  const take = (values: Float32Array) => {
    const taken = new Float32Array(3 * corners.length);
    for (const [i, corner] of corners.entries())
      taken.set(values.subarray(3 * corner, 3 * corner + 3), 3 * i);
    return new BufferAttribute(taken, 3);
  };
  geometry.setAttribute('position', take(positions));
  geometry.setAttribute('normal', take(normals));
  return geometry;
}
