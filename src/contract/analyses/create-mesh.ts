import { z } from 'zod';
import { MeshFormats, Smoothing, Surface, sourceAndRegion, TargetTriangles } from './shared-parameters.ts';

export const CreateMeshParameters = z
  .strictObject({
    ...sourceAndRegion,
    surface: Surface.default({ mode: 'iso50' }),
    smoothing: Smoothing,
    targetTriangles: TargetTriangles,
    formats: MeshFormats,
  })
  .meta({ id: 'CreateMeshParameters' });
export type CreateMeshParameters = z.infer<typeof CreateMeshParameters>;
