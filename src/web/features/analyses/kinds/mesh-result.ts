/** What the metadata of a mesh says, read leniently: a figure that is missing is shown as a dash. */
import { z } from 'zod';

const number = z.number().nullable().catch(null);
const point = z.tuple([z.number(), z.number(), z.number()]);

const Material = z.object({
  number,
  grayValue: number,
  isoValue: number,
  upperIsoValue: number,
  volumeMm3: number,
  areaMm2: number,
  components: number,
});
export type MaterialResult = z.infer<typeof Material>;

const MeshMetadata = z.object({
  vertices: number,
  triangles: number,
  volumeMm3: number,
  areaMm2: number,
  watertight: z.boolean().nullable().catch(null),
  components: number,
  boundsMm: z.object({ min: point, max: point }).nullable().catch(null),
  isoValue: number,
  materials: z.array(Material).catch([]),
  material: z.object({ number, of: number, grayValue: number, upperIsoValue: number }).nullable().catch(null),
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
    isoValue: null,
    materials: [],
    material: null,
    ...metadata,
  });
