/** Results that several analyses have, and the measures of them. */
import { z } from 'zod';
import { meshFacts } from '../metadata/mesh.ts';
import { percentileNames, VoxelBox } from '../metadata/statistics.ts';
import { LocalLevels, OneLevelReason, surfaceModeNames } from '../metadata/surface.ts';
import type { Measure } from './declaration.ts';
import { NoiseFilter } from './shared-parameters.ts';

/** How the grey values were smoothed before the surface was taken; unknown of what the first versions made. */
export const smoothingFacts = {
  noiseFilter: NoiseFilter.optional(),
  smoothing: z.union([z.literal('auto'), z.number()]),
  smoothingFilter: z.string().optional(),
  smoothingSigmaVoxels: z.number().optional(),
  noiseGreyValues: z.number().nullable().optional(),
  noiseShareOfContrast: z.number().nullable().optional(),
};

/** At which grey values the surface was found. */
export const levelFacts = {
  isoValue: z.number().meta({ description: 'of local levels the mean over the surface' }),
  localLevels: LocalLevels.optional().meta({
    description: 'where air and material were told place by place',
  }),
  oneLevel: OneLevelReason.optional().meta({
    description: 'where local levels were asked for and one was taken: why',
  }),
};

/** How far single places of a surface may be off (k = 2), over all of them. */
export const PlaceUncertainty = z.object({
  medianMm: z.number().nullable(),
  p95Mm: z.number().nullable(),
  undeterminedShare: z.number().meta({
    description: 'of the vertices, 0–1: places where the grey values rise too little, or the part is cut',
  }),
});

/** Of a mesh that was made of a scan. */
export const scanMesh = {
  ...meshFacts,
  ...smoothingFacts,
  ...levelFacts,
  closedAt: z
    .array(z.enum(['x-', 'x+', 'y-', 'y+', 'z-', 'z+']))
    .optional()
    .meta({ description: 'sides of the scan or region that cut the part: the mesh was closed there' }),
  closedAreaMm2: z
    .number()
    .optional()
    .meta({ description: 'of the faces that close it there; not in the area' }),
  surfaceMode: z.enum(surfaceModeNames),
  edgeBlurMm: z.number().optional(),
  curvatureKept: z.boolean().optional(),
  regionCells: VoxelBox,
  trianglesBeforeSimplification: z.int().optional(),
};

export const meshMeasures = [
  { path: 'volumeMm3', label: 'Volume', quantity: 'volume', better: 'none' },
  { path: 'areaMm2', label: 'Surface area', quantity: 'area', better: 'none' },
  { path: 'components', label: 'Components', quantity: 'count', better: 'none' },
  { path: 'triangles', label: 'Triangles', quantity: 'count', better: 'none' },
] as const satisfies Measure[];

/** @param what as in “thickness” */
export const percentileMeasures = (
  what: string,
): Measure<`percentilesMm.${(typeof percentileNames)[number]}`>[] =>
  percentileNames.map((name) => ({
    path: `percentilesMm.${name}`,
    label: `${name === 'p1' ? '1st' : `${name.slice(1)}th`} percentile of ${what}`,
    quantity: 'length',
    better: 'none',
    section: 'percentiles',
  }));
