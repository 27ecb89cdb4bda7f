/** Parameters that several analyses share. */
import { z } from 'zod';
import { BoxMm, Uuid } from '../shapes/primitives.ts';

export const sourceAndRegion = {
  sourceDataObjectId: Uuid.optional().meta({
    title: 'Source',
    description: 'Data object to work on; the newest fitting one of the project by default',
  }),
  region: BoxMm.optional().meta({
    title: 'Region',
    description: 'Only this box of the scan, in mm',
    'x-unit': 'mm',
    'x-advanced': true,
  }),
};

/** The grey value that parts air from material. */
export const airFromMaterial = (title: string) =>
  z
    .strictObject({
      mode: z.enum(['iso50', 'otsu', 'value']).default('iso50').meta({
        title,
        description:
          'ISO 50: midway between the peaks of air and material; Otsu; or a grey value of your own',
      }),
      value: z.number().optional().meta({ title: 'Grey value', description: 'for the mode “value”' }),
    })
    .refine(({ mode, value }) => mode !== 'value' || value !== undefined, {
      path: ['value'],
      message: 'the mode “value” needs a grey value',
    })
    .default({ mode: 'iso50' });

const NoiseFilter = z.enum(['none', 'median']).default('none').meta({
  title: 'Noise filter',
  description:
    'Median: takes single wild cells and three quarters of the noise away before the surface is determined; it rounds edges (a box of 40 voxels loses half a percent of volume) and loses what is thinner than two voxels. Integrity has none: it would lose small pores',
});

const Smoothing = z
  .union([z.literal('auto'), z.number().min(0).max(5)], { error: 'must be “auto” or a number from 0 to 5' })
  .default('auto')
  .meta({
    title: 'Smoothing',
    description:
      'auto: only as much as the noise of the scan asks for, without shrinking curved surfaces; or the standard deviation of a Gauss filter on the grey values before the surface, 0 = none',
    'x-unit': 'voxels',
    'x-advanced': true,
  });

const TargetTriangles = z.int().min(100).max(50_000_000).optional().meta({
  title: 'Target triangles',
  description: 'simplify the mesh to about this many triangles',
  'x-advanced': true,
});

/** How the surface of the part is found. */
export const surfaceDetermination = {
  surface: airFromMaterial('Surface determination'),
  noiseFilter: NoiseFilter,
  smoothing: Smoothing,
};

export const Tolerance = z
  .strictObject({
    lowerMm: z.number().default(-0.1).meta({
      title: 'Lower tolerance',
      description: 'how far out the surface may be; below 0, inside of the reference, material is missing',
      'x-unit': 'mm',
    }),
    upperMm: z.number().default(0.1).meta({
      title: 'Upper tolerance',
      description: 'above 0, outside of the reference, there is too much material',
      'x-unit': 'mm',
    }),
  })
  .refine(({ lowerMm, upperMm }) => lowerMm < upperMm, {
    path: ['upperMm'],
    message: 'the upper tolerance must be greater than the lower one',
  });

/** 16 numbers, row by row. */
export const Matrix4 = z.array(z.number()).length(16);

export const meshFormats = ['glb', 'stl', 'ply', '3mf'] as const;
const MeshFormats = z.array(z.enum(meshFormats)).min(1).max(4).default(['glb']).meta({
  title: 'Formats',
  description: 'GLB is always written; the others beside it',
});

/** What every mesh of a scan is made by. */
export const meshOfScan = {
  ...sourceAndRegion,
  ...surfaceDetermination,
  targetTriangles: TargetTriangles,
  formats: MeshFormats,
};
