import { type Weighed, weighScalar } from '#kernels/color/place-statistics.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import type { ScalarDescription } from './surface-source.ts';

/** The scalars of one surface with the weight of each vertex; weights are computed once per scalar. */
export class WeighedScalars {
  #surface: SurfaceData | null = null;
  readonly #byName = new Map<string, Weighed>();

  /** @returns null if the surface does not have it */
  read(surface: SurfaceData, { name, each }: ScalarDescription): Weighed | null {
    if (this.#surface !== surface) this.#byName.clear();
    this.#surface = surface;
    const values = surface.scalars[name];
    if (!values) return null;
    const places = surface.scalars[each?.attribute ?? ''];
    const weighed = this.#byName.get(name) ?? weighScalar(values, surface.vertexAreasMm2, places);
    this.#byName.set(name, weighed);
    return weighed;
  }
}
