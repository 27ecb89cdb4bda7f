import { z } from 'zod';
import { meshOfScan } from './shared-parameters.ts';

export const CreateTexturedMeshParameters = z
  .strictObject({
    ...meshOfScan,
    textureSize: z.int().min(256).max(8192).default(2048).meta({
      title: 'Texture size',
      description:
        'edge of the square picture; its pixels become as small as they fit around the whole surface',
      'x-unit': 'pixels',
    }),
    texture: z.enum(['grayValue', 'curvature', 'ambientOcclusion']).default('grayValue').meta({
      title: 'Texture',
      description:
        'Grey value: of the scan, a little under the surface. Curvature: mean curvature, edges light and grooves dark. Ambient occlusion: how open the surface lies, bores and gaps dark',
    }),
    depthMm: z.number().min(0).max(100).optional().meta({
      title: 'Depth',
      description:
        'grey value: how far under the surface it is taken; without it, two voxels, where the blur of the edge has ended',
      'x-unit': 'mm',
      'x-advanced': true,
    }),
  })
  .meta({ id: 'CreateTexturedMeshParameters' });
export type CreateTexturedMeshParameters = z.infer<typeof CreateTexturedMeshParameters>;
