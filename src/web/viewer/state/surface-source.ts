import type { ViewState } from '#contract/shapes/view-state.ts';
import type { PlaceSource } from './places.ts';

export interface ScalarDescription {
  /** name of the vertex attribute, such as `thicknessMm` */
  name: string;
  /** such as `Wall thickness` */
  title: string;
  unit: string;
  /** signed around zero (a deviation): symmetric limits and a diverging map by default */
  signed?: boolean;
  /** for places that have one value each: the attribute that numbers them, how many there are, what they are */
  each?: { attribute: string; count: number | null; noun: string };
  /** of the colours, until others are chosen: what lies beyond them is hatched */
  limits?: readonly [number, number];
  /** what it was held against */
  tolerance?: readonly [number, number];
  /** colours until others are chosen; else by whether it is signed */
  map?: ViewState['surface']['map'];
  /** what slices can show of it beside their contour */
  marks?: 'whiskers' | 'walls';
  /** only shown where it is asked for, and not in every file of its kind */
  onDemand?: boolean;
}

/** The colours that suit a scalar. */
export const mapFor = (scalar: ScalarDescription | undefined): ViewState['surface']['map'] =>
  scalar?.map ?? (scalar?.signed ? 'coolwarm' : 'viridis');

export interface SimplifiedBytes {
  /** of a GLB */
  bytes: ArrayBuffer;
  /** of the surface that it stands for */
  wholeTriangles: number;
}

export interface SurfaceSource {
  id: string;
  title?: string;
  /** the part, or the pores and inclusions in it, each of them a piece of its own */
  shows?: 'part' | 'defects';
  scalars: readonly ScalarDescription[];
  /** null where the surface is not one of places, or all of them are not known */
  places?: PlaceSource | null;
  /** a nominal shape: light does not run round its sharp edges */
  isNominal?: boolean;
  /** the bytes of a GLB with every triangle */
  load(signal: AbortSignal): Promise<ArrayBuffer>;
  /** fewer triangles in place of a large surface, to be drawn first; null where there are none, or none yet */
  loadSimplified?(signal: AbortSignal): Promise<SimplifiedBytes | null>;
}

/** What a surface is laid on. */
export interface ReferenceSource extends Pick<SurfaceSource, 'id' | 'load' | 'loadSimplified' | 'isNominal'> {
  title: string;
  /** the part that the surface's defects are in, drawn without a colour of its own; else what the surface is held against */
  isPart?: boolean;
  /** drawn on slices only: in 3D it would hide the colours of the surface */
  onSlicesOnly?: boolean;
  /** takes a point of the world to its place there; row by row */
  matrix: readonly number[];
}
