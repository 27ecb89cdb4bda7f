import { z } from 'zod';
import { Uuid } from '../shapes/primitives.ts';
import { Matrix4, sourceAndRegion, Tolerance } from './shared-parameters.ts';

export const meshCompareFields = {
  ...sourceAndRegion,
  referenceDataObjectId: Uuid.meta({
    title: 'Reference',
    description: 'CAD, mesh or volume to compare with',
  }),
  alignment: z.enum(['none', 'autoAlign', 'matrix']).default('autoAlign').meta({ title: 'Alignment' }),
  matrix: Matrix4.optional().meta({
    title: 'Matrix',
    description: '16 numbers, row by row, scan → reference',
  }),
  tolerance: Tolerance.default({ lowerMm: -0.1, upperMm: 0.1 }),
  maxDistanceMm: z.number().positive().default(1).meta({
    title: 'Largest distance',
    description: 'what is further away has no counterpart and is not counted',
    'x-unit': 'mm',
  }),
};

export const MeshCompareParameters = z
  .strictObject(meshCompareFields)
  .refine(({ alignment, matrix }) => alignment !== 'matrix' || matrix !== undefined, {
    path: ['matrix'],
    message: 'the alignment “matrix” needs a matrix',
  })
  .meta({ id: 'MeshCompareParameters' });
export type MeshCompareParameters = z.infer<typeof MeshCompareParameters>;
