/** The defects of a part as a list: all of them, in any order, within limits. */
import { z } from 'zod';
import { Defect, DefectKind } from '../analyses/integrity.ts';
import { definePage, PageQuery } from './page.ts';

/** Numbers that every defect of the list is sorted and filtered by. */
export const defectNumbers = [
  'volumeMm3',
  'equivalentDiameterMm',
  'enclosingDiameterMm',
  'distanceToSurfaceMm',
  'probability',
  'significance',
  'depth',
  'sphericity',
  'compactness',
  'voxels',
] as const;
type DefectNumber = (typeof defectNumbers)[number];

type Limit = `${'min' | 'max'}${Capitalize<DefectNumber>}`;
export const nameLimit = (side: 'min' | 'max', name: DefectNumber): Limit =>
  `${side}${name.charAt(0).toUpperCase()}${name.slice(1)}` as Limit;

const limits = Object.fromEntries(
  defectNumbers.flatMap((name) => [
    [nameLimit('min', name), z.number().optional()],
    [nameLimit('max', name), z.number().optional()],
  ]),
) as Record<Limit, z.ZodOptional<z.ZodNumber>>;

const orderings = [...defectNumbers, 'id' as const].flatMap((name) => [name, `-${name}` as const]);

export const DefectListQuery = PageQuery.extend({
  ordering: z
    .enum(orderings as [string, ...string[]])
    .default('id')
    .meta({ description: 'a number, with - for descending; what has none comes last' }),
  kind: z.array(DefectKind).optional().meta({ description: 'may repeat' }),
  surfaceConnected: z.boolean().optional(),
  cut: z.boolean().optional().meta({ description: 'whether the border of the scan or region cuts it' }),
  belowDetectionLimit: z.boolean().optional(),
  ...limits,
});
export type DefectListQuery = z.infer<typeof DefectListQuery>;

export const DefectPage = definePage(Defect, 'DefectPage');
