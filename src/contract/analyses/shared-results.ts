/** Results shared by several analyses, and their measures. */
import { z } from 'zod';
import { meshFacts } from '../metadata/mesh.ts';
import { percentileNames, VoxelBox } from '../metadata/statistics.ts';
import { LocalLevels, OneLevelReason, surfaceModeNames } from '../metadata/surface.ts';
import type { Measure } from './declaration.ts';
import { NoiseFilter } from './shared-parameters.ts';

/** How the grey values were smoothed before surface determination; partly absent in results of the first versions. */
export const smoothingFacts = {
  noiseFilter: NoiseFilter.optional().meta({ description: 'noise filter that was requested' }),
  smoothing: z
    .union([z.literal('auto'), z.number()])
    .meta({ description: 'smoothing that was requested: `auto`, or a standard deviation in voxels' }),
  smoothingFilter: z.string().optional().meta({ description: 'filter that was applied' }),
  smoothingSigmaVoxels: z
    .number()
    .optional()
    .meta({ description: 'standard deviation of the Gaussian filter, in voxels' }),
  noiseGreyValues: z
    .number()
    .nullable()
    .optional()
    .meta({ description: 'standard deviation of the noise, in grey values; null when unknown' }),
  noiseShareOfContrast: z
    .number()
    .nullable()
    .optional()
    .meta({ description: 'standard deviation of the noise, as a share of the contrast; null when unknown' }),
};

/** Grey values at which the surface was determined. */
export const levelFacts = {
  isoValue: z.number().meta({
    description: 'grey value at which the surface lies; with local levels, the mean over the surface',
  }),
  localLevels: LocalLevels.optional().meta({
    description: 'present when air and material were determined locally',
  }),
  oneLevel: OneLevelReason.optional().meta({
    description: 'why a single level was used although local levels were requested',
  }),
};

/** Expanded uncertainty (k = 2) of single surface points, summarized over the surface. */
export const PlaceUncertainty = z.object({
  medianMm: z.number().nullable().meta({ description: 'median; null when undetermined everywhere' }),
  p95Mm: z.number().nullable().meta({ description: '95th percentile; null when undetermined everywhere' }),
  undeterminedShare: z.number().meta({
    description:
      'share of vertices (0–1) where it can’t be determined: grey values rise too little, or the part is cut',
  }),
});

/** Metadata of a mesh made from a scan. */
export const scanMesh = {
  ...meshFacts,
  ...smoothingFacts,
  ...levelFacts,
  closedAt: z
    .array(z.enum(['x-', 'x+', 'y-', 'y+', 'z-', 'z+']))
    .optional()
    .meta({ description: 'sides of the scan or region that cut the part, where the mesh was closed' }),
  closedAreaMm2: z
    .number()
    .optional()
    .meta({ description: 'area of the faces that close the mesh there; not included in areaMm2' }),
  surfaceMode: z.enum(surfaceModeNames).meta({ description: 'method of the surface determination' }),
  edgeBlurMm: z.number().optional().meta({ description: 'edge blur (standard deviation)' }),
  curvatureKept: z.boolean().optional().meta({ description: 'true: smoothing preserved curvature' }),
  regionCells: VoxelBox.meta({ description: 'analysed box, in voxels' }),
  trianglesBeforeSimplification: z
    .int()
    .optional()
    .meta({ description: 'number of triangles before simplification' }),
};

export const meshMeasures = [
  { path: 'volumeMm3', label: 'Volume', quantity: 'volume', better: 'none' },
  { path: 'areaMm2', label: 'Surface area', quantity: 'area', better: 'none' },
  { path: 'components', label: 'Components', quantity: 'count', better: 'none' },
  { path: 'triangles', label: 'Triangles', quantity: 'count', better: 'none' },
] as const satisfies Measure[];

/** @param what name of the quantity, such as “thickness” */
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
