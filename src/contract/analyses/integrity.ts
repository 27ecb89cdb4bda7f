import { z } from 'zod';
import { airFromMaterial, sourceAndRegion } from './shared-parameters.ts';

export const IntegrityParameters = z
  .strictObject({
    ...sourceAndRegion,
    kinds: z
      .array(z.enum(['porosity', 'inclusion', 'crack']))
      .min(1)
      .default(['porosity'])
      .meta({
        title: 'Look for',
        description:
          'Porosity: hollows. Inclusion: material denser than the part. Crack: gaps too thin for the threshold to part',
      }),
    threshold: airFromMaterial('Threshold'),
    minVoxels: z.int().min(1).max(1_000_000).default(3).meta({
      title: 'Smallest defect',
      description: 'what has fewer voxels is taken for noise and left out',
      'x-unit': 'voxels',
    }),
    minDefectSizeMm: z.number().positive().optional().meta({
      title: 'Smallest diameter',
      description: 'of a ball of the same volume; smaller defects are left out',
      'x-unit': 'mm',
    }),
    maxDefectSizeMm: z.number().positive().optional().meta({
      title: 'Largest diameter',
      description: 'of a ball of the same volume; larger defects are left out',
      'x-unit': 'mm',
    }),
    includeSurfaceConnected: z.boolean().default(true).meta({
      title: 'Include surface-connected defects',
      description: 'hollows that reach the outside through a narrow opening count too',
    }),
    widestOpeningMm: z.number().positive().optional().meta({
      title: 'Widest opening',
      description:
        'A hollow is a surface-connected defect when a ball of this diameter can’t roll into it; ten voxels by default',
      'x-unit': 'mm',
      'x-advanced': true,
    }),
    inclusionAbove: z.number().optional().meta({
      title: 'Inclusions above',
      description:
        'Grey value above which material is an inclusion; by default midway to a second peak of the histogram',
      'x-advanced': true,
    }),
  })
  .meta({ id: 'IntegrityParameters' });
export type IntegrityParameters = z.infer<typeof IntegrityParameters>;
