/** Characteristics: measured numbers with limits, from which a part's verdict is computed. */
import { z } from 'zod';
import { Timestamp, Uuid, Vector3 } from '../base/primitives.ts';
import { Verdict } from '../metadata/verdict.ts';
import { definePage, PageQuery } from './page.ts';

export const Characteristic = z
  .object({
    id: z.string(),
    name: z.string(),
    source: z.object({
      kind: z.enum(['recipe', 'comparison']),
      name: z.string().meta({ description: 'name of the recipe or the analysis' }),
      recipePk: Uuid.optional(),
      recipeVersionId: Uuid.optional(),
      version: z.int().optional().meta({ description: 'version number of the recipe' }),
      invocationId: Uuid.optional(),
      operationId: Uuid.nullable().meta({
        description: 'operation that measured it; null when it never started',
      }),
      referenceDataObjectId: Uuid.optional().meta({ description: 'reference of a comparison' }),
    }),
    measure: z.string().meta({ description: 'path of the number in the result’s metadata' }),
    nominal: z.number().nullable().meta({ description: 'nominal value; null when there is none' }),
    lower: z.number().nullable().meta({ description: 'lower limit; null when there is none' }),
    upper: z.number().nullable().meta({ description: 'upper limit; null when there is none' }),
    measured: z.number().nullable().meta({ description: 'null when it could not be measured' }),
    unit: z.string().meta({ description: 'unit of all numbers of the characteristic' }),
    uncertainty: z
      .number()
      .nullable()
      .meta({ description: 'expanded uncertainty (k = 2); null when the analysis states none' }),
    guardBand: z.number().meta({
      description: 'half-width of the band around each limit in which the verdict is indeterminate',
    }),
    verdict: Verdict,
    reason: z
      .string()
      .nullable()
      .meta({ description: 'explains the verdict where the numbers alone do not; otherwise null' }),
    positionMm: Vector3.nullable().meta({
      description: 'worst place, in mm in the scan’s frame; null when unknown',
    }),
    dataObjectId: Uuid.nullable().meta({
      description: 'result that the number was read from; null when there is none',
    }),
    outdated: z.boolean().meta({
      description: 'true: superseded by a newer result or scan; it does not count towards the verdict',
    }),
    measuredAt: Timestamp,
  })
  .meta({ id: 'Characteristic' });
export type Characteristic = z.infer<typeof Characteristic>;
export const CharacteristicPage = definePage(Characteristic, 'CharacteristicPage');
export const CharacteristicListQuery = PageQuery.extend({
  outdated: z
    .boolean()
    .optional()
    .meta({ description: 'true: only outdated ones; false: only current ones' }),
});
export type CharacteristicListQuery = z.infer<typeof CharacteristicListQuery>;

/** The characteristic that decides a part's verdict: the worst of the current ones. */
export const LeadingCharacteristic = Characteristic.pick({
  id: true,
  name: true,
  nominal: true,
  lower: true,
  upper: true,
  measured: true,
  unit: true,
  reason: true,
}).meta({ id: 'LeadingCharacteristic' });
export type LeadingCharacteristic = z.infer<typeof LeadingCharacteristic>;
