/** Parameters shared by several analyses, and annotations for their form fields. */
import { z } from 'zod';
import { exportMeshFormatNames } from '../base/export-formats.ts';
import { BoxMm, Uuid } from '../base/primitives.ts';
import { Matrix4 } from '../metadata/statistics.ts';
import { surfaceModes } from '../metadata/surface.ts';

/** A choice among several values, each with its label. */
export const choice = <const Words extends Record<string, string>>(words: Words) =>
  z
    .enum(Object.keys(words) as [keyof Words & string, ...(keyof Words & string)[]])
    .meta({ 'x-words': words });

/** Annotation: shown only while another parameter has one of these values. */
export const onlyWhen = (parameter: string, ...values: string[]) => ({
  'x-only-when': { parameter, values },
});

export const sourceAndRegion = {
  sourceDataObjectId: Uuid.optional().meta({
    title: 'Input',
    description: 'default: the newest that fits',
  }),
  region: BoxMm.optional().meta({
    title: 'Region',
    description: 'Only this box of the scan, in mm',
    'x-unit': 'mm',
    'x-advanced': true,
  }),
};

export const reference = (purpose: string) =>
  Uuid.optional().meta({
    title: 'Reference',
    description: `CAD, mesh or volume to ${purpose}, of this project or another one; default: the newest CAD of this one`,
  });

/** Surface determination between air and material, by the same rule for every analysis. */
export const surfaceChoice = (title: string) =>
  z
    .strictObject({
      mode: choice(surfaceModes).default('local').meta({
        title,
        description:
          'Local: midway between air and material around each place, independent of cupping and shading; on an even scan the same as one level. ISO 50: midway between the peaks of air and material; Otsu; or your own grey value',
      }),
      value: z
        .number()
        .optional()
        .meta({ title: 'Grey value', ...onlyWhen('mode', 'value') }),
    })
    .refine(({ mode, value }) => mode !== 'value' || value !== undefined, {
      path: ['value'],
      message: 'the mode “value” needs a grey value',
    })
    .default({ mode: 'local' });

export const NoiseFilter = choice({ none: 'None', median: 'Median 3 × 3 × 3' });

const Smoothing = z
  .union([z.literal('auto'), z.number().min(0).max(5)], { error: 'must be “auto” or a number from 0 to 5' })
  .default('auto')
  .meta({
    title: 'Smoothing',
    description:
      'auto: as much as the noise of the scan needs, without shrinking curved surfaces; or the standard deviation of a Gaussian filter applied to the grey values first, 0 = none',
    'x-unit': 'voxels',
    'x-advanced': true,
  });

const TargetTriangles = z.int().min(100).max(50_000_000).optional().meta({
  title: 'Target triangles',
  description: 'simplify the mesh to about this many triangles',
  'x-advanced': true,
});

/** Parameters of the surface determination. */
export const surfaceDetermination = {
  surface: surfaceChoice('Surface determination'),
  noiseFilter: NoiseFilter.default('none').meta({
    title: 'Noise filter',
    description:
      'Median: removes outliers and about 75 % of the noise. Rounds edges; walls under 2 voxels may vanish',
  }),
  smoothing: Smoothing,
};

export const Tolerance = z
  .strictObject({
    lowerMm: z.number().default(-0.1).meta({
      title: 'Lower tolerance',
      description: 'negative values: missing material',
      'x-unit': 'mm',
    }),
    upperMm: z.number().default(0.1).meta({
      title: 'Upper tolerance',
      description: 'positive values: too much material',
      'x-unit': 'mm',
    }),
  })
  .refine(({ lowerMm, upperMm }) => lowerMm < upperMm, {
    path: ['upperMm'],
    message: 'the upper tolerance must be greater than the lower one',
  });

/** A pose given by the user. @param parameter the choice whose value `matrix` requires it */
export const matrixFor = (parameter: string) =>
  Matrix4.optional().meta({
    title: 'Matrix',
    description: '16 numbers, row by row, scan → reference',
    ...onlyWhen(parameter, 'matrix'),
  });

const MeshFormats = z.array(choice(exportMeshFormatNames)).min(1).max(4).default(['glb']).meta({
  title: 'Formats',
  description: 'GLB is always written; add others here',
});

/** Parameters of every mesh made from a scan. */
export const meshOfScan = {
  ...sourceAndRegion,
  ...surfaceDetermination,
  targetTriangles: TargetTriangles,
  formats: MeshFormats,
};
