import type { ViewState } from '#contract/shapes/view-state.ts';
import type { PlaceScalar } from '#kernels/places/place-scalars.ts';
import type { PlaceSource } from './places.ts';

/** A scalar of a surface; its name is that of the vertex attribute. */
export interface ScalarDescription extends Omit<PlaceScalar, 'limits'> {
  /** signed around zero (a deviation): symmetric limits and a diverging map by default */
  signed?: boolean;
  /** for places with one value each: the attribute with their ids, their number, and their name */
  each?: { attribute: string; count: number | null; noun: string };
  /** default limits of the colours; values beyond are hatched */
  limits?: readonly [number, number];
  /** tolerance that the values were compared with */
  tolerance?: readonly [number, number];
  /** default colour map; otherwise it depends on `signed` */
  map?: ViewState['surface']['map'];
  /** marks that slices can show beside the contour */
  marks?: 'whiskers' | 'walls';
  /** shown only on request, and not in every file of its kind */
  onDemand?: boolean;
}

/** The default colour map of a scalar. */
export const mapFor = (scalar: ScalarDescription | undefined): ViewState['surface']['map'] =>
  scalar?.map ?? (scalar?.signed ? 'coolwarm' : 'viridis');

export interface SimplifiedBytes {
  /** of a GLB */
  bytes: ArrayBuffer;
  /** number of triangles of the original */
  wholeTriangles: number;
}

export interface SurfaceSource {
  id: string;
  title?: string;
  /** the part, or its pores and inclusions, each of them a separate piece */
  shows?: 'part' | 'defects';
  scalars: readonly ScalarDescription[];
  /** null if the surface does not consist of places, or not all of them are known */
  places?: PlaceSource | null;
  /** a nominal shape: its sharp edges are shaded as sharp */
  isNominal?: boolean;
  /** the bytes of a GLB with every triangle */
  load(signal: AbortSignal): Promise<ArrayBuffer>;
  /** a simplified version of a large surface, drawn first; null if there is none (yet) */
  loadSimplified?(signal: AbortSignal): Promise<SimplifiedBytes | null>;
}

/** The reference that a surface is aligned to. */
export interface ReferenceSource extends Pick<SurfaceSource, 'id' | 'load' | 'loadSimplified' | 'isNominal'> {
  title: string;
  /**
   * the part that contains the surface's defects, drawn without colours of its own; otherwise the reference of the
   * comparison
   */
  isPart?: boolean;
  /** drawn on slices only: in 3D it would hide the colours of the surface */
  onSlicesOnly?: boolean;
  /** transforms a world point to its place there; row-major */
  matrix: readonly number[];
}
