import { z } from 'zod';
import { sourceAndRegion } from './shared-parameters.ts';

export const IntegrityParameters = z
  .strictObject({
    ...sourceAndRegion,
    kinds: z
      .array(z.enum(['porosity', 'inclusion', 'crack']))
      .min(1)
      .default(['porosity'])
      .meta({ title: 'Look for' }),
    threshold: z
      .strictObject({
        mode: z.enum(['iso50', 'otsu', 'value']).default('iso50').meta({ title: 'Threshold' }),
        value: z.number().optional().meta({ title: 'Grey value' }),
      })
      .refine(({ mode, value }) => mode !== 'value' || value !== undefined, {
        path: ['value'],
        message: 'the mode “value” needs a grey value',
      })
      .default({ mode: 'iso50' }),
    minVoxels: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(3)
      .meta({ title: 'Smallest defect', 'x-unit': 'voxels' }),
    minDefectSizeMm: z.number().positive().optional().meta({ title: 'Smallest diameter', 'x-unit': 'mm' }),
    maxDefectSizeMm: z.number().positive().optional().meta({ title: 'Largest diameter', 'x-unit': 'mm' }),
    includeSurfaceConnected: z.boolean().default(true).meta({ title: 'Include surface-connected defects' }),
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
