import { z } from 'zod';
import { Uuid } from '../shapes/primitives.ts';
import { Matrix4, sourceAndRegion, Tolerance } from './shared-parameters.ts';

export const meshCompareFields = {
  ...sourceAndRegion,
  referenceDataObjectId: Uuid.meta({
    title: 'Reference',
    description: 'CAD, mesh or volume to compare with',
  }),
  alignment: z.enum(['none', 'autoAlign', 'matrix']).default('autoAlign').meta({
    title: 'Alignment',
    description: 'None: both are compared as they lie; by itself: the scan is laid on the reference first',
  }),
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
  guardBandMm: z.number().min(0).optional().meta({
    title: 'Guard band',
    description:
      'uncertainty that the tolerance is narrowed by to pass and widened by to fail; by default a tenth of a voxel and the deviation of the CAD model’s triangles',
    'x-unit': 'mm',
    'x-advanced': true,
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
