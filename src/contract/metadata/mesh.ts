/** What is known of a surface of triangles. */
import { z } from 'zod';
import { sourceFile } from './file.ts';
import { BoundsMm } from './statistics.ts';

export const meshFacts = {
  vertices: z.int(),
  triangles: z.int(),
  volumeMm3: z.number().nullable().meta({ description: 'null where the surface encloses none' }),
  volumeReason: z.string().nullable().optional().meta({ description: 'why there is no volume' }),
  areaMm2: z.number(),
  watertight: z.boolean(),
  components: z.int(),
  boundsMm: BoundsMm,
};

/** Of a mesh that was imported. */
export const MeshMetadata = z.object({
  ...meshFacts,
  ...sourceFile,
  format: z.string().optional(),
  unit: z.string().optional().meta({ description: 'that the file was read in' }),
});

/** Of a CAD model, or of a mesh that is a reference; what is of faces, of a CAD model alone. */
export const CadMetadata = MeshMetadata.extend({
  faces: z.int().optional(),
  bodies: z.int().optional(),
  volumeDeviationMm3: z
    .number()
    .nullable()
    .optional()
    .meta({ description: 'by how much the volume of the triangles is off the model’s at most' }),
  deflectionMm: z
    .number()
    .optional()
    .meta({ description: 'how far the triangles are from the model’s surface at most' }),
});
