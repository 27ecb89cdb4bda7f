import { z } from 'zod';
import { sourceAndRegion, surfaceDetermination } from './shared-parameters.ts';

export const WallThicknessParameters = z
  .strictObject({
    ...sourceAndRegion,
    method: z.enum(['sphere', 'ray']).default('sphere').meta({
      title: 'Method',
      description:
        'Sphere: diameter of the largest inscribed sphere that touches the surface point. Ray: distance to the opposite surface',
    }),
    minThicknessMm: z.number().positive().optional().meta({
      title: 'Minimum thickness',
      description: 'what is thinner counts as below the minimum and is listed in regions',
      'x-unit': 'mm',
    }),
    maxThicknessMm: z.number().positive().optional().meta({
      title: 'Maximum thickness',
      description: 'how far the opposite wall is looked for; without it, the whole part',
      'x-unit': 'mm',
    }),
    searchAngleDeg: z.number().min(0).max(60).default(0).meta({
      title: 'Search angle',
      description: 'ray: half opening angle of the cone in which the nearest opposite surface is taken',
      'x-unit': '°',
      'x-advanced': true,
    }),
    ...surfaceDetermination,
  })
  .refine(
    ({ minThicknessMm, maxThicknessMm }) =>
      minThicknessMm === undefined || maxThicknessMm === undefined || minThicknessMm < maxThicknessMm,
    { path: ['maxThicknessMm'], message: 'the maximum must be greater than the minimum' },
  )
  .meta({ id: 'WallThicknessParameters' });
export type WallThicknessParameters = z.infer<typeof WallThicknessParameters>;
