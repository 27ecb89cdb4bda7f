/** Metadata of a triangle mesh. */
import { z } from 'zod';
import { sourceFile } from './file.ts';
import { BoundsMm } from './statistics.ts';

export const meshFacts = {
  vertices: z.int().meta({ description: 'number of vertices' }),
  triangles: z.int().meta({ description: 'number of triangles' }),
  volumeMm3: z
    .number()
    .nullable()
    .meta({ description: 'enclosed volume; null when the surface encloses none' }),
  volumeReason: z.string().nullable().optional().meta({ description: 'why there is no volume' }),
  areaMm2: z.number().meta({ description: 'surface area' }),
  watertight: z.boolean().meta({ description: 'true: closed, without open edges' }),
  components: z.int().meta({ description: 'number of connected components' }),
  boundsMm: BoundsMm.meta({ description: 'bounding box' }),
};

/** Metadata of an imported mesh. */
export const MeshMetadata = z.object({
  ...meshFacts,
  ...sourceFile,
  format: z.string().optional().meta({ description: 'file format' }),
  unit: z.string().optional().meta({ description: 'length unit assumed when reading the file' }),
});

/** Metadata of a CAD model or reference mesh; only CAD models have faces, bodies and deviations. */
export const CadMetadata = MeshMetadata.extend({
  faces: z.int().optional().meta({ description: 'number of CAD faces' }),
  bodies: z.int().optional().meta({ description: 'number of CAD bodies' }),
  volumeDeviationMm3: z.number().nullable().optional().meta({
    description:
      'upper bound of the difference between the volume of the triangles and the model’s; null when unknown',
  }),
  deflectionMm: z
    .number()
    .optional()
    .meta({ description: 'upper bound of the distance between the triangles and the model’s surface' }),
});
