import { z } from 'zod';
import { Uuid } from '../shapes/primitives.ts';

export const ReconstructionPreviewParameters = z
  .strictObject({
    sourceDataObjectId: Uuid.optional().meta({
      title: 'Radiographs',
      description: 'the newest of the project by default',
    }),
    maxDimension: z.int().min(16).max(1024).default(256).meta({
      title: 'Largest dimension',
      description: 'of the longest edge of the volume; the others follow the part',
      'x-unit': 'voxels',
    }),
    filter: z.enum(['ramLak', 'sheppLogan', 'cosine', 'hamming', 'hann']).default('ramLak').meta({
      title: 'Filter',
      description:
        'takes the blur of back-projection away; the smoother, the less noise and the less fine detail',
    }),
    centerOfRotationMm: z.number().optional().meta({
      title: 'Centre of rotation',
      description: 'on the detector, from its middle; found from the radiographs by default',
      'x-unit': 'mm',
    }),
    ringCorrection: z.boolean().default(false).meta({
      title: 'Ring correction',
      description: 'takes away what single pixels of the detector show in every projection',
      'x-advanced': true,
    }),
    beamHardening: z.number().min(0).max(1).optional().meta({
      title: 'Beam hardening',
      description: 'b of the correction p + b · p² of the line integrals p; 0 = none',
      'x-advanced': true,
    }),
  })
  .meta({ id: 'ReconstructionPreviewParameters' });
export type ReconstructionPreviewParameters = z.infer<typeof ReconstructionPreviewParameters>;
