import { z } from 'zod';
import { meshCompareFields } from './mesh-compare.ts';

export const DecomposeMeshCompareParameters = z
  .strictObject({
    ...meshCompareFields,
    groupBy: z.enum(['component', 'cadFace', 'region']).default('component').meta({
      title: 'Group by',
      description:
        'of the reference: bodies that do not touch, faces of the CAD model, or smooth regions between sharp edges',
    }),
  })
  .refine(({ alignment, matrix }) => alignment !== 'matrix' || matrix !== undefined, {
    path: ['matrix'],
    message: 'the alignment “matrix” needs a matrix',
  })
  .meta({ id: 'DecomposeMeshCompareParameters' });
export type DecomposeMeshCompareParameters = z.infer<typeof DecomposeMeshCompareParameters>;
