/** What the metadata of a mesh says, read leniently: a figure that is missing is shown as a dash. */
import { z } from 'zod';

const number = z.number().nullable().catch(null);
const point = z.tuple([z.number(), z.number(), z.number()]);

const MeshMetadata = z.object({
  vertices: number,
  triangles: number,
  volumeMm3: number,
  areaMm2: number,
  watertight: z.boolean().nullable().catch(null),
  components: number,
  boundsMm: z.object({ min: point, max: point }).nullable().catch(null),
});
export type MeshMetadata = z.infer<typeof MeshMetadata>;

export const readMeshMetadata = (metadata: Record<string, unknown>): MeshMetadata =>
  MeshMetadata.parse({
    vertices: null,
    triangles: null,
    volumeMm3: null,
    areaMm2: null,
    watertight: null,
    components: null,
    boundsMm: null,
    ...metadata,
  });
