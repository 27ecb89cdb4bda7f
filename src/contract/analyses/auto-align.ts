import { z } from 'zod';
import { Uuid } from '../shapes/primitives.ts';
import { Matrix4, sourceAndRegion } from './shared-parameters.ts';

export const AutoAlignParameters = z
  .strictObject({
    ...sourceAndRegion,
    referenceDataObjectId: Uuid.meta({ title: 'Reference', description: 'CAD, mesh or volume to align to' }),
    initial: z.enum(['principalAxes', 'none', 'matrix']).default('principalAxes').meta({
      title: 'First guess',
      description:
        'Principal axes: from any position. As they lie: the scan nearly lies on the reference already. Or a matrix of your own',
    }),
    matrix: Matrix4.optional().meta({
      title: 'Matrix',
      description: '16 numbers, row by row, scan → reference',
    }),
  })
  .refine(({ initial, matrix }) => initial !== 'matrix' || matrix !== undefined, {
    path: ['matrix'],
    message: 'the first guess “matrix” needs a matrix',
  })
  .meta({ id: 'AutoAlignParameters' });
export type AutoAlignParameters = z.infer<typeof AutoAlignParameters>;
