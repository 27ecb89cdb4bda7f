/** Statistics over a surface, as several analyses give them. */
import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';

export const percentileNames = ['p1', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;

/** Values that so many percent of the area lie below. */
export const PercentilesMm = z.record(z.enum(percentileNames), z.number());

/** Area by value; one edge more than areas. */
export const AreaHistogram = z.object({ edgesMm: z.array(z.number()), areaMm2: z.array(z.number()) });

export const BoundsMm = z.object({ min: Vector3, max: Vector3 });

/** Voxels from `from` to before `to`. */
export const VoxelBox = z.object({ from: Vector3, to: Vector3 });

/** A pose: 16 numbers, row by row. */
export const Matrix4 = z.array(z.number()).length(16);
