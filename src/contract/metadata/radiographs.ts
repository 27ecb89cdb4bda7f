/** Metadata of a stack of radiographs, stored as a volume whose axes are columns, rows and projections. */
import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';
import { VolumeMetadata, volumeFacts } from './volume.ts';

const Pair = z.tuple([z.number(), z.number()]);

export const beams = ['cone', 'fan', 'parallel'] as const;

/** Scanner geometry as stated with the radiographs. */
const ScanGeometry = z.object({
  beam: z.enum(beams),
  sourceToAxisMm: z.number().optional().meta({ description: 'distance from source to rotation axis' }),
  sourceToDetectorMm: z.number().optional().meta({ description: 'distance from source to detector' }),
  totalAngleDeg: z.number().meta({ description: 'rotation of the turntable over the whole scan' }),
  firstAngleDeg: z.number().optional().meta({ description: 'angle of the first projection' }),
  finalAngleIncluded: z
    .boolean()
    .optional()
    .meta({ description: 'true: the last projection is at the total angle, not one step before it' }),
  anglesDeg: z.array(z.number()).optional().meta({ description: 'angle of each projection' }),
  turntable: z.enum(['counterclockwise', 'clockwise']).optional(),
  firstRow: z.enum(['top', 'bottom']).optional(),
  mirrored: z.boolean().optional(),
  detectorOffsetMm: Pair.optional(),
  sourceAngleDeg: z.number().optional(),
  detectorPose: z.object({ centerMm: Vector3, alongColumns: Vector3, alongRows: Vector3 }).optional(),
  sourceHeightMm: z.number().optional(),
  axisFrame: z.object({ originMm: Vector3, directions: volumeFacts.directions }).optional().meta({
    description:
      'frame of the rotation axis in the part’s frame, when the volume’s z axis is not the rotation axis',
  }),
});

export const RadiographsMetadata = VolumeMetadata.extend({
  projections: z.int(),
  detector: Pair.meta({ description: 'number of columns and rows' }),
  pixelSizeMm: z
    .union([z.number(), Pair])
    .meta({ description: 'edge of a detector pixel; width and height when they differ' }),
  geometry: ScanGeometry,
  flats: z.int().meta({ description: 'number of flat-field images' }),
  darks: z.int().meta({ description: 'number of dark images' }),
  values: z.enum(['counts', 'lineIntegrals']),
  flatLevel: z.number().optional().meta({ description: 'grey value of the free beam' }),
  darkLevel: z.number().optional().meta({ description: 'grey value without radiation' }),
});
