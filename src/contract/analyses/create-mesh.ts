import { z } from 'zod';
import { declareAnalysis, type Measure } from './declaration.ts';
import { meshing } from './modules.ts';
import { meshOfScan } from './shared-parameters.ts';
import { meshMeasures, PlaceUncertainty, scanMesh } from './shared-results.ts';

/** Grey values can't distinguish more materials than this. */
const maxMaterials = 5;

const Parameters = z
  .strictObject({
    ...meshOfScan,
    materials: z
      .union([z.literal('auto'), z.int().min(1).max(maxMaterials)], {
        error: `must be “auto” or a whole number from 1 to ${maxMaterials}`,
      })
      .default(1)
      .meta({
        title: 'Materials',
        description:
          '1: the outer surface only; auto: as many as the histogram shows; or a number, by Otsu’s thresholds. With several, one mesh of the whole part and one of each material',
        'x-advanced': true,
      }),
  })
  .meta({ id: 'CreateMeshParameters' });

const Material = z.object({
  number: z.int().meta({ description: 'number of the material, starting at 1 with the lightest' }),
  of: z.int().meta({ description: 'total number of materials' }),
  grayValue: z.number().meta({ description: 'grey value of the material' }),
  isoValue: z.number().meta({ description: 'lowest grey value of the material' }),
  upperIsoValue: z
    .number()
    .nullable()
    .meta({ description: 'grey value at which the next material begins; null for the densest' }),
});

const MeasuredMaterial = Material.extend({
  volumeMm3: scanMesh.volumeMm3,
  volumeReason: scanMesh.volumeReason,
  areaMm2: scanMesh.areaMm2,
  components: scanMesh.components,
  watertight: scanMesh.watertight,
});

const Result = z.object({
  ...scanMesh,
  placeUncertainty: PlaceUncertainty.optional().meta({
    description:
      'uncertainty of single surface points along the normal (k = 2), over the whole surface, due to noise, blur, curvature and local levels. Excludes a shift of the whole surface',
  }),
  materials: z
    .array(MeasuredMaterial)
    .optional()
    .meta({ description: 'measures of each material, when there are several' }),
  material: Material.optional().meta({ description: 'material that this mesh shows' }),
});

/** Measures of each material, the lightest first; only for parts of several materials. */
const materialMeasures = ([0, 1, 2] as const).flatMap((i) => {
  const ofMaterial = { better: 'none', section: 'materials' } as const;
  const name = `material ${i + 1}`;
  return [
    { path: `materials.${i}.volumeMm3`, label: `Volume of ${name}`, quantity: 'volume', ...ofMaterial },
    { path: `materials.${i}.areaMm2`, label: `Surface area of ${name}`, quantity: 'area', ...ofMaterial },
    { path: `materials.${i}.components`, label: `Components of ${name}`, quantity: 'count', ...ofMaterial },
  ] as const satisfies Measure[];
});

export const surfaceMesh = declareAnalysis({
  key: 'createMesh',
  statusKey: 'mesh',
  title: 'Mesh',
  purpose: 'Closed triangle mesh of the surface, with volume, area and uncertainty',
  help: 'Determines the surface of the part in the grey values and writes it as a closed mesh, with volume and area.',
  module: meshing,
  stepKey: 'mesh',
  parameters: Parameters,
  needs: { source: ['volume'], reference: [] },
  restsOn: 'surface',
  makes: 'mesh',
  surface: 'part',
  result: Result,
  measures: [
    ...meshMeasures,
    {
      path: 'placeUncertainty.p95Mm',
      label: 'Position uncertainty, 95th percentile',
      quantity: 'length',
      better: 'lower',
      help: 'How far single places of the surface may be off (k = 2): 95 % of them are known better than this.',
    },
    {
      path: 'placeUncertainty.undeterminedShare',
      label: 'Surface that the scan does not carry',
      quantity: 'share',
      better: 'lower',
    },
    ...materialMeasures,
  ],
  scalars: [
    {
      name: 'positionUncertaintyMm',
      title: 'Position uncertainty',
      unit: 'mm',
      center: 'none',
      onDemand: true,
    },
  ],
});
