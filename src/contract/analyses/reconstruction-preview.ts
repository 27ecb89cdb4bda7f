import { z } from 'zod';
import { Uuid } from '../shapes/primitives.ts';

export const ReconstructionPreviewParameters = z
  .strictObject({
    sourceDataObjectId: Uuid.optional().meta({ title: 'Radiographs' }),
    maxDimension: z
      .int()
      .min(16)
      .max(1024)
      .default(256)
      .meta({ title: 'Largest dimension', 'x-unit': 'voxels' }),
    filter: z
      .enum(['ramLak', 'sheppLogan', 'cosine', 'hamming', 'hann'])
      .default('ramLak')
      .meta({ title: 'Filter' }),
    centerOfRotationMm: z.number().optional().meta({
      title: 'Centre of rotation',
      description: 'on the detector, from its middle; found from the radiographs by default',
      'x-unit': 'mm',
    }),
    beamHardening: z.number().min(0).max(1).optional().meta({
      title: 'Beam hardening',
      description: 'strength of the quadratic correction; 0 = none',
    }),
  })
  .meta({ id: 'ReconstructionPreviewParameters' });
export type ReconstructionPreviewParameters = z.infer<typeof ReconstructionPreviewParameters>;
