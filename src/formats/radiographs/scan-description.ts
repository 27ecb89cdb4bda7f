import type { DataType, Vector3 } from '#kernels/grid/volume.ts';
import type { GeometryDescription } from '#kernels/reconstruction/description.ts';

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
}

export type Json = Record<string, unknown>;
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
