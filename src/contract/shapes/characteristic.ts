/** Measured numbers with limits, which a part's verdict is computed from. */
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
      name: z.string().meta({ description: 'of the recipe, or of the analysis' }),
      recipePk: Uuid.optional(),
      recipeVersionId: Uuid.optional(),
      version: z.int().optional().meta({ description: 'of the recipe' }),
      invocationId: Uuid.optional(),
      operationId: Uuid.nullable().meta({ description: 'that measured it; null where that never began' }),
      referenceDataObjectId: Uuid.optional().meta({ description: 'of a comparison' }),
    }),
    measure: z.string().meta({ description: 'path of the number in the metadata of the data object' }),
    nominal: z.number().nullable(),
    lower: z.number().nullable(),
    upper: z.number().nullable(),
    measured: z.number().nullable().meta({ description: 'null where it could not be measured' }),
    unit: z.string().meta({ description: 'of all numbers of the characteristic' }),
    uncertainty: z
      .number()
      .nullable()
      .meta({ description: 'expanded, k = 2; null where the analysis does not state one' }),
    guardBand: z.number().meta({
      description: 'half width around each limit in which the verdict is indeterminate',
    }),
    verdict: Verdict,
    reason: z.string().nullable().meta({ description: 'what the numbers do not say about the verdict' }),
    positionMm: Vector3.nullable().meta({ description: 'where it is worst, in the frame of the scan' }),
    dataObjectId: Uuid.nullable().meta({ description: 'the result that it was read from' }),
    outdated: z.boolean().meta({
      description: 'true: a newer result or a newer scan has taken its place; it does not count',
    }),
    measuredAt: Timestamp,
  })
  .meta({ id: 'Characteristic' });
export type Characteristic = z.infer<typeof Characteristic>;
export const CharacteristicPage = definePage(Characteristic, 'CharacteristicPage');
export const CharacteristicListQuery = PageQuery.extend({
  outdated: z.boolean().optional().meta({ description: 'true or false: only those that are so' }),
});
export type CharacteristicListQuery = z.infer<typeof CharacteristicListQuery>;

/** The characteristic that decides the verdict of a part: the worst of those that count. */
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
