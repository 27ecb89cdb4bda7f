import { z } from 'zod';
import { MeshFormats, Smoothing, Surface, sourceAndRegion, TargetTriangles } from './shared-parameters.ts';

export const CreateTexturedMeshParameters = z
  .strictObject({
    ...sourceAndRegion,
    surface: Surface.default({ mode: 'iso50' }),
    smoothing: Smoothing,
    targetTriangles: TargetTriangles,
    formats: MeshFormats,
    textureSize: z.int().min(256).max(8192).default(2048).meta({ title: 'Texture size', 'x-unit': 'pixel' }),
    texture: z
      .enum(['grayValue', 'curvature', 'ambientOcclusion'])
      .default('grayValue')
      .meta({ title: 'Texture' }),
  })
  .meta({ id: 'CreateTexturedMeshParameters' });
export type CreateTexturedMeshParameters = z.infer<typeof CreateTexturedMeshParameters>;
