/** The list of a part's defects, with ordering and filters. */
import { z } from 'zod';
import { Defect, DefectKind } from '../analyses/integrity.ts';
import { definePage, PageQuery } from './page.ts';

/** Numbers by which defects can be sorted and filtered, named as the columns of their table. */
export const defectNumbers = [
  'volumeMm3',
  'countedVolumeMm3',
  'equivalentDiameterMm',
  'enclosingDiameterMm',
  'distanceToSurfaceMm',
  'probability',
  'significance',
  'depth',
  'sphericity',
  'compactness',
  'voxels',
  'areaMm2',
  'openingMm',
  'centerXMm',
  'centerYMm',
  'centerZMm',
] as const;
type DefectNumber = (typeof defectNumbers)[number];

type Limit = `${'min' | 'max'}${Capitalize<DefectNumber>}`;
export const nameLimit = (side: 'min' | 'max', name: DefectNumber): Limit =>
  `${side}${name.charAt(0).toUpperCase()}${name.slice(1)}` as Limit;

const limits = Object.fromEntries(
  defectNumbers.flatMap((name) => [
    [
      nameLimit('min', name),
      z
        .number()
        .optional()
        .meta({ description: `lower limit of ${name}` }),
    ],
    [
      nameLimit('max', name),
      z
        .number()
        .optional()
        .meta({ description: `upper limit of ${name}` }),
    ],
  ]),
) as Record<Limit, z.ZodOptional<z.ZodNumber>>;

const orderings = [...defectNumbers, 'id' as const].flatMap((name) => [name, `-${name}` as const]);

export const DefectListQuery = PageQuery.extend({
  ordering: z
    .enum(orderings as [string, ...string[]])
    .default('id')
    .meta({
      description: 'name of a number, prefixed with - for descending; defects without the number come last',
    }),
  kind: z.array(DefectKind).optional().meta({ description: 'may be repeated; any may match' }),
  surfaceConnected: z
    .boolean()
    .optional()
    .meta({ description: 'true: only surface-connected defects; false: only closed ones' }),
  cut: z.boolean().optional().meta({
    description: 'true: only defects cut by the border of the scan or region; false: only the others',
  }),
  belowDetectionLimit: z
    .boolean()
    .optional()
    .meta({ description: 'true: only defects below the detection limit; false: only the others' }),
  ...limits,
});
export type DefectListQuery = z.infer<typeof DefectListQuery>;

export const DefectPage = definePage(Defect, 'DefectPage');
