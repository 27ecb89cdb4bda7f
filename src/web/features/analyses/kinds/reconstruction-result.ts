/** What the metadata of a reconstructed volume says, read leniently: a figure that is missing is shown as a dash. */
import { z } from 'zod';

const number = z.number().nullable().catch(null);
const pair = z.tuple([z.number(), z.number()]).nullable().catch(null);
const triple = z.tuple([z.number(), z.number(), z.number()]).nullable().catch(null);

const Reconstruction = z.object({
  beam: z.string().catch(''),
  projections: number,
  detector: pair,
  pixelSizeMm: pair,
  sourceToAxisMm: number,
  sourceToDetectorMm: number,
  coveredAngleDeg: number,
  shortScan: z.boolean().catch(false),
  centerOfRotationMm: number,
  centerColumn: number,
  centerFoundBy: z.string().catch(''),
  filter: z.string().catch(''),
  binning: number,
  beamHardening: number,
  ringCorrection: z.boolean().catch(false),
  flatField: z.boolean().catch(false),
  freeBeamLevel: number,
});

const Metadata = z.object({
  dimensions: triple,
  voxelSizeMm: triple,
  range: pair,
  isoValue: number,
  warnings: z.array(z.string()).catch([]),
  reconstruction: Reconstruction.partial().catch({}),
});
export type ReconstructionMetadata = z.infer<typeof Metadata>;

export const isReconstruction = (metadata: Record<string, unknown>): boolean =>
  typeof metadata['reconstruction'] === 'object' && metadata['reconstruction'] !== null;

export const readReconstruction = (metadata: Record<string, unknown>): ReconstructionMetadata =>
  Metadata.parse({
    dimensions: null,
    voxelSizeMm: null,
    range: null,
    isoValue: null,
    warnings: [],
    ...metadata,
  });
