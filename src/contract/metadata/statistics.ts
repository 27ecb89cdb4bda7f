/** Statistics over a surface, shared by several analyses. */
import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';

export const percentileNames = ['p1', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;

/** Percentiles, weighted by area. */
export const PercentilesMm = z.record(z.enum(percentileNames), z.number());

/** Histogram of area by value; there is one more edge than areas. */
export const AreaHistogram = z.object({ edgesMm: z.array(z.number()), areaMm2: z.array(z.number()) });

export const BoundsMm = z.object({ min: Vector3, max: Vector3 });

/** Box of voxels from `from` (included) to `to` (excluded). */
export const VoxelBox = z.object({ from: Vector3, to: Vector3 });

/** A rigid transformation: 16 numbers, row by row. */
export const Matrix4 = z.array(z.number()).length(16);
