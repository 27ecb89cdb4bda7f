import { z } from 'zod';
import { meshOfScan } from './shared-parameters.ts';

/** More than anybody can tell apart by grey values. */
const mostMaterials = 5;

const Materials = z
  .union([z.literal('auto'), z.int().min(1).max(mostMaterials)], {
    error: `must be “auto” or a whole number from 1 to ${mostMaterials}`,
  })
  .default(1)
  .meta({
    title: 'Materials',
    description:
      '1: the outer surface alone; auto: as many as stand out in the histogram; or so many, parted by Otsu’s thresholds. With several there is a mesh of the whole part and one of each',
    'x-advanced': true,
  });

export const CreateMeshParameters = z
  .strictObject({
    ...meshOfScan,
    materials: Materials,
  })
  .meta({ id: 'CreateMeshParameters' });
export type CreateMeshParameters = z.infer<typeof CreateMeshParameters>;
