/** What is known of the determined surface of a volume: at which grey values it lies, and what that rests on. */
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

/** Why one level was taken for all of a scan where local ones were asked for. */
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
      'of the surface that has material deep enough beside it to tell its level, 0–1; elsewhere it is carried over',
  }),
  contrastSpread: z.number().meta({
    description: 'variation of the contrast over the surface, as a share of it',
  }),
  airSpread: z
    .number()
    .meta({ description: 'variation of air over the surface, as a share of the contrast' }),
});

export const OneLevelReason = z.enum(Object.keys(oneLevelReasons) as [OneLevelReason, ...OneLevelReason[]]);

/** The part as it was measured by the first analysis that extracted all of its surface. */
const PartMeasures = z.object({
  volumeMm3: z.number(),
  areaMm2: z.number().meta({ description: 'without the faces that the scan’s end cuts' }),
  closedAt: z.array(z.string()).meta({ description: 'sides of the scan that cut the part' }),
  closedAreaMm2: z.number(),
  levelOffset: z.number().nullable().optional().meta({
    description:
      'how far the level midway between the grey values right beside its edges lies above the surface’s, as a share of the contrast; null with too few edges; missing for parts measured by earlier versions',
  }),
  volumeUncertainty: Uncertainty.nullable().optional().meta({
    description:
      'of its volume; null where the scan does not tell; missing for parts measured by earlier versions',
  }),
  algorithms: z.record(z.string(), z.string()),
});
export type PartMeasures = z.infer<typeof PartMeasures>;

export const SurfaceMetadata = z.object({
  key: Sha256.meta({
    description:
      'of all that it rests on: the volume’s values and geometry, what its judge found, the settings and the versions of the algorithms. Whoever needs the same surface takes this one',
  }),
  surfaceMode: z.enum(surfaceModeNames),
  noiseFilter: z.string().meta({ description: 'that was applied to the grey values before' }),
  levelFilter: z.enum(['none', 'median']).meta({
    description: 'that was applied only to determine levels, because of the noise of the scan',
  }),
  isoValue: z.number().meta({ description: 'of local levels the mean over the surface' }),
  airGray: z.number(),
  materialGray: z.number().nullable().meta({ description: 'null where the histogram has no peak of it' }),
  toldBy: z
    .enum(['depth', 'walls', 'nothing', 'histogram'])
    .meta({ description: 'what told the grey value of the material' }),
  contrastWithin: z.number().optional(),
  materialGrays: z
    .array(z.number())
    .optional()
    .meta({ description: 'of several materials, of which the surface is the outer one' }),
  localLevels: LocalLevels.extend({
    nodes: Dimensions.meta({ description: 'bricks along x, y and z, each with levels of its own' }),
    brickVoxels: z.int().meta({ description: 'edge of a brick' }),
  }).optional(),
  oneLevel: OneLevelReason.optional().meta({
    description: 'where local levels were asked for and one was taken: why',
  }),
  part: PartMeasures.optional().meta({
    description:
      'what lies within it, smoothed as the noise asks for; absent until an analysis has extracted all of it',
  }),
  contrastToNoise: z.number().nullable(),
  blurVoxels: z.number().nullable(),
  algorithms: z.record(z.string(), z.string()),
});
export type SurfaceMetadata = z.infer<typeof SurfaceMetadata>;
