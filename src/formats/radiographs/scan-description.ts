import type { DataType, Vector3 } from '#kernels/grid/volume.ts';
import type { GeometryDescription } from '#kernels/reconstruction/description.ts';
import type { View } from '#kernels/reconstruction/geometry.ts';

/** Everything that may be known about radiographs before the pictures are opened. */
export interface ScanDescription extends Partial<GeometryDescription> {
  pixelSizeMm?: [number, number] | undefined;
  /** counts of the free beam, and without a beam */
  flatLevel?: number | undefined;
  darkLevel?: number | undefined;
  values?: 'counts' | 'lineIntegrals' | undefined;
  /** for RAW files */
  raw?:
    | { dimensions: Vector3; dataType?: DataType; byteOrder?: 'little' | 'big'; headerBytes?: number }
    | undefined;
  /** number of projections required for the angles to be right */
  projections?: number | undefined;
  files?: NamedPictures | undefined;
  /** poses of source and detector at each projection in the part's frame, if they did not simply rotate */
  views?: View[] | undefined;
}

/**
 * Paths relative to the folder of the description; `%04d` stands for a number. Without a path there are none of these.
 */
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
