import { z } from 'zod';
import {
  formatCount,
  formatNumber,
  formatQuantities,
  formatQuantity,
  withUnit,
} from '../base/format-number.ts';
import { declareAnalysis, type Fact, type SurfaceScalar } from './declaration.ts';
import { meshing } from './modules.ts';
import { choice, meshOfScan, onlyWhen } from './shared-parameters.ts';
import { meshMeasures, scanMesh } from './shared-results.ts';

const Shown = choice({
  grayValue: 'Grey value',
  curvature: 'Curvature',
  ambientOcclusion: 'Ambient occlusion',
});

const Parameters = z
  .strictObject({
    ...meshOfScan,
    textureSize: z.int().min(256).max(8192).default(2048).meta({
      title: 'Texture size',
      description: 'width and height of the picture; its pixels are as small as fits the whole surface',
      'x-unit': 'pixels',
    }),
    texture: Shown.default('grayValue').meta({
      title: 'Texture',
      description:
        'Grey value: of the scan, just under the surface. Curvature: mean curvature, edges light and grooves dark. Ambient occlusion: how exposed the surface is, bores and gaps dark',
    }),
    depthMm: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .meta({
        title: 'Sampling depth',
        description:
          'how far under the surface the grey value is taken; default: two voxels, where the blur of the edge has ended',
        'x-unit': 'mm',
        'x-advanced': true,
        ...onlyWhen('texture', 'grayValue'),
      }),
  })
  .meta({ id: 'CreateTexturedMeshParameters' });

const Texture = z.object({
  shows: Shown.meta({ description: 'quantity shown by the texture' }),
  unit: z.string().meta({ description: 'unit of low, high and mean' }),
  low: z.number().meta({ description: 'value of a black pixel' }),
  high: z.number().meta({ description: 'value of a white pixel' }),
  mean: z.number(),
  depthMm: z
    .number()
    .optional()
    .meta({ description: 'depth below the surface where grey values were sampled' }),
  sizePx: z.int().meta({ description: 'width and height of the texture, in pixels' }),
  texelMm: z.number().meta({ description: 'edge length of a texture pixel on the surface' }),
  charts: z.int().meta({ description: 'number of pieces the surface was cut into' }),
  gutterPx: z.int().meta({ description: 'margin around each chart, in pixels' }),
  usedShare: z.number().meta({ description: 'share of the texture covered by triangles (0–1)' }),
  stretch: z.object({ mean: z.number(), max: z.number() }).meta({
    description:
      'distortion: length on the surface over length in the texture, in the worst direction; 1: none',
  }),
});

const Result = z.object({ ...scanMesh, texture: Texture });

const scalars = [
  {
    name: 'grayValue',
    title: 'Grey value',
    unit: '',
    center: 'none',
    map: 'gray',
    limits: ['texture.low', 'texture.high'],
  },
  {
    name: 'curvature',
    title: 'Mean curvature',
    unit: '1/mm',
    center: 'zero',
    limits: ['texture.low', 'texture.high'],
  },
  {
    name: 'ambientOcclusion',
    title: 'Openness',
    unit: '',
    center: 'none',
    map: 'gray',
    limits: ['texture.low', 'texture.high'],
  },
] as const satisfies SurfaceScalar[];

export const nameTexture = ({ shows }: Pick<z.infer<typeof Texture>, 'shows'>): string =>
  scalars.find(({ name }) => name === shows)?.title ?? shows;
const times = (value: number) => withUnit(formatNumber(value), '×');

/** Facts about the texture. */
function listFacts({ texture }: z.infer<typeof Result>): Fact[] {
  const { low, high, unit, sizePx, stretch, depthMm } = texture;
  return [
    { label: 'Texture', value: nameTexture(texture) },
    { label: 'Grey range', value: formatQuantities([low, high], unit, ' to ') },
    ...(depthMm === undefined ? [] : [{ label: 'Sampling depth', value: formatQuantity(depthMm, 'mm') }]),
    { label: 'Picture', value: `${formatCount(sizePx)} × ${formatCount(sizePx)} pixels` },
    { label: 'Texture pixel size', value: formatQuantity(texture.texelMm, 'mm') },
    {
      label: 'Texture used',
      help: 'Share of the picture that the part uses; the rest is margin.',
      value: formatQuantity(100 * texture.usedShare, '%'),
    },
    {
      label: 'Charts',
      value: formatCount(texture.charts),
      help: 'Pieces into which the surface was cut to lay it flat.',
    },
    {
      label: 'Distortion (mean, max)',
      help: 'How much coarser the picture is than it could be; 1 means not at all.',
      value: `${times(stretch.mean)}, ${times(stretch.max)}`,
    },
  ];
}

export const texturedMesh = declareAnalysis({
  key: 'createTexturedMesh',
  statusKey: 'texturedMesh',
  title: 'Textured mesh',
  purpose: 'Mesh wrapped in a picture of the grey values under its surface',
  help: 'Determines the surface of the part and wraps a picture around it: the grey values just under the surface, its curvature, or how exposed it is. The file opens in any glTF viewer.',
  module: meshing,
  stepKey: 'texture',
  parameters: Parameters,
  needs: { source: ['volume'], reference: [] },
  restsOn: 'surface',
  makes: 'mesh',
  surface: 'part',
  result: Result,
  mark: 'texture',
  measures: meshMeasures,
  facts: { title: 'Texture', list: listFacts },
  scalars,
  shownScalar: 'texture.shows',
});
