/** What is known of a stack of radiographs: columns, rows and projections are the axes of its volume. */
import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';
import { VolumeMetadata, volumeFacts } from './volume.ts';

const Pair = z.tuple([z.number(), z.number()]);

export const beams = ['cone', 'fan', 'parallel'] as const;

/** Of the scanner, as it is told with the radiographs. */
const ScanGeometry = z.object({
  beam: z.enum(beams),
  sourceToAxisMm: z.number().optional(),
  sourceToDetectorMm: z.number().optional(),
  totalAngleDeg: z.number().meta({ description: 'of the turntable over the whole scan' }),
  firstAngleDeg: z.number().optional(),
  finalAngleIncluded: z.boolean().optional(),
  anglesDeg: z.array(z.number()).optional(),
  turntable: z.enum(['counterclockwise', 'clockwise']).optional(),
  firstRow: z.enum(['top', 'bottom']).optional(),
  mirrored: z.boolean().optional(),
  detectorOffsetMm: Pair.optional(),
  sourceAngleDeg: z.number().optional(),
  detectorPose: z.object({ centerMm: Vector3, alongColumns: Vector3, alongRows: Vector3 }).optional(),
  sourceHeightMm: z.number().optional(),
  axisFrame: z.object({ originMm: Vector3, directions: volumeFacts.directions }).optional().meta({
    description: 'how the volume lies in the part’s frame, where its z is not the axis of rotation',
  }),
});

export const RadiographsMetadata = VolumeMetadata.extend({
  projections: z.int(),
  detector: Pair.meta({ description: 'columns and rows' }),
  pixelSizeMm: z.union([z.number(), Pair]).meta({ description: 'both sides where they differ' }),
  geometry: ScanGeometry,
  flats: z.int(),
  darks: z.int(),
  values: z.enum(['counts', 'lineIntegrals']),
  flatLevel: z.number().optional(),
  darkLevel: z.number().optional(),
});
