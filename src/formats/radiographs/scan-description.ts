import type { DataType, Vector3 } from '#kernels/grid/volume.ts';
import type { GeometryDescription } from '#kernels/reconstruction/description.ts';
import type { View } from '#kernels/reconstruction/geometry.ts';

/** All that may be known of a set of radiographs before the pictures are opened. */
export interface ScanDescription extends Partial<GeometryDescription> {
  pixelSizeMm?: [number, number] | undefined;
  /** counts behind nothing and without a beam */
  flatLevel?: number | undefined;
  darkLevel?: number | undefined;
  values?: 'counts' | 'lineIntegrals' | undefined;
  /** for RAW files */
  raw?:
    | { dimensions: Vector3; dataType?: DataType; byteOrder?: 'little' | 'big'; headerBytes?: number }
    | undefined;
  /** how many there must be for the angles to be right */
  projections?: number | undefined;
  files?: NamedPictures | undefined;
  /** where source and detector were at each projection, in the part's frame, where they did not simply turn */
  views?: View[] | undefined;
}

/** Paths from the folder of the description on; `%04d` stands for a number. Without a path there are none of these. */
export interface NamedPictures {
  projections: string;
  flats?: string | undefined;
  darks?: string | undefined;
}

export type Json = Record<string, unknown>;
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
