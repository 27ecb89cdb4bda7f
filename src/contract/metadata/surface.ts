/** Metadata of a volume's surface determination: the grey values at which the surface lies, and how they were found. */
import { z } from 'zod';
import { Sha256 } from '../base/primitives.ts';
import { Uncertainty } from './uncertainty.ts';
import { Dimensions } from './volume.ts';

export const surfaceModes = {
  local: 'Local',
  iso50: 'ISO 50',
  otsu: 'Otsu',
  value: 'Grey value',
} as const;
type SurfaceMode = keyof typeof surfaceModes;
export const surfaceModeNames = Object.keys(surfaceModes) as SurfaceMode[];

/** Why a single level was used for the whole scan although local levels were requested. */
export const oneLevelReasons = {
  even: 'air and material are even over the scan, so local levels agree with one',
  unjudged: 'whether air and material are even over the scan is not known: it could not be judged',
  notTold: 'nothing lies deep enough in the part to tell its grey value place by place',
  materials: 'the part is of several materials',
} as const;
export type OneLevelReason = keyof typeof oneLevelReasons;

export const LocalLevels = z.object({
  airGray: z.number(),
  materialGray: z.number(),
  localShare: z.number().meta({
    description:
      'share of the surface (0–1) with enough material beside it to determine the level locally; elsewhere the level is carried over',
  }),
  contrastSpread: z.number().meta({
    description: 'variation of the contrast over the surface, as a share of the contrast',
  }),
  airSpread: z
    .number()
    .meta({ description: 'variation of the air’s grey value over the surface, as a share of the contrast' }),
});

export const OneLevelReason = z.enum(Object.keys(oneLevelReasons) as [OneLevelReason, ...OneLevelReason[]]);

/** The part as measured by the first analysis that extracted its complete surface. */
const PartMeasures = z.object({
  volumeMm3: z.number(),
  areaMm2: z.number().meta({ description: 'without the faces where the end of the scan cuts the part' }),
  closedAt: z.array(z.string()).meta({ description: 'sides of the scan that cut the part' }),
  closedAreaMm2: z.number().meta({ description: 'area of the faces that close the mesh there' }),
  levelOffset: z.number().nullable().optional().meta({
    description:
      'level midway between the grey values right beside the edges minus the surface’s level, as a share of the contrast; null with too few edges; absent for parts measured by earlier versions',
  }),
  volumeUncertainty: Uncertainty.nullable().optional().meta({
    description:
      'uncertainty of the volume; null when it can’t be determined; absent for parts measured by earlier versions',
  }),
  algorithms: z.record(z.string(), z.string()),
});
export type PartMeasures = z.infer<typeof PartMeasures>;

export const SurfaceMetadata = z.object({
  key: Sha256.meta({
    description:
      'hash of everything the surface depends on: values and geometry of the volume, its quality, the settings and the algorithm versions. Analyses that need the same surface reuse it',
  }),
  surfaceMode: z.enum(surfaceModeNames).meta({ description: 'method of the surface determination' }),
  noiseFilter: z.string().meta({ description: 'filter applied to the grey values first' }),
  levelFilter: z.enum(['none', 'median']).meta({
    description: 'filter applied only to determine the levels, because of noise',
  }),
  isoValue: z.number().meta({
    description: 'grey value at which the surface lies; with local levels, the mean over the surface',
  }),
  airGray: z.number().meta({ description: 'grey value of air' }),
  materialGray: z
    .number()
    .nullable()
    .meta({ description: 'grey value of the material; null when the histogram has no peak for it' }),
  toldBy: z
    .enum(['depth', 'walls', 'nothing', 'histogram'])
    .meta({ description: 'how the grey value of the material was determined' }),
  contrastWithin: z.number().optional(),
  materialGrays: z
    .array(z.number())
    .optional()
    .meta({ description: 'grey values of several materials; the surface is the outer surface of all' }),
  localLevels: LocalLevels.extend({
    nodes: Dimensions.meta({ description: 'number of bricks along x, y and z, each with its own levels' }),
    brickVoxels: z.int().meta({ description: 'edge length of a brick, in voxels' }),
  }).optional(),
  oneLevel: OneLevelReason.optional().meta({
    description: 'why a single level was used although local levels were requested',
  }),
  part: PartMeasures.optional().meta({
    description:
      'measures of the enclosed part, smoothed as the noise requires; absent until an analysis has extracted the complete surface',
  }),
  contrastToNoise: z.number().nullable().meta({ description: 'null without noise' }),
  blurVoxels: z
    .number()
    .nullable()
    .meta({ description: 'edge blur (standard deviation), in voxels; null when unknown' }),
  algorithms: z.record(z.string(), z.string()),
});
export type SurfaceMetadata = z.infer<typeof SurfaceMetadata>;
