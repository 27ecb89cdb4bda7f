/** What another version of a recipe would change on the parts that the recipe ran on. */
import { z } from 'zod';
import { comparisons } from '../analyses/gates.ts';
import { Uuid } from '../base/primitives.ts';
import { Verdict } from '../metadata/verdict.ts';
import { definePage, PageQuery } from './page.ts';

export const versionOutcomes = [...Verdict.options, 'none', 'notRun'] as const;
const VersionOutcome = z.enum(versionOutcomes).meta({
  id: 'VersionOutcome',
  description: 'none: the version gives no verdict; notRun: it has no ended run on the newest scan',
});
export type VersionOutcome = z.infer<typeof VersionOutcome>;

const Side = z
  .object({
    outcome: VersionOutcome,
    invocationId: Uuid.nullable().meta({ description: 'the run that it rests on' }),
    isFromOther: z.boolean().meta({
      description: 'its gates were checked against what a run of the other version measured',
    }),
  })
  .meta({ id: 'VersionEffectSide' });

const GateSide = z
  .object({
    measured: z.number().nullable(),
    comparison: z.enum(comparisons),
    limit: z.number(),
    guardBand: z.number(),
    unit: z.string(),
    verdict: Verdict,
  })
  .meta({ id: 'VersionEffectGateSide' });
export type GateSide = z.infer<typeof GateSide>;

export const VersionEffect = z
  .object({
    projectId: Uuid,
    projectName: z.string(),
    before: Side,
    after: Side,
    isChanged: z.boolean().meta({ description: 'the verdict or that of a gate; false where one is not run' }),
    gates: z
      .array(
        z.object({
          key: z.string(),
          label: z.string(),
          before: GateSide.nullable(),
          after: GateSide.nullable().meta({ description: 'null: the version has no such gate' }),
        }),
      )
      .meta({ description: 'those whose verdict changes' }),
  })
  .meta({ id: 'VersionEffect' });
export type VersionEffect = z.infer<typeof VersionEffect>;

export const VersionEffectSummary = z
  .array(z.object({ before: VersionOutcome, after: VersionOutcome, count: z.int() }))
  .meta({ description: 'of all projects, whether they changed or not' });
export const VersionEffectPage = definePage(VersionEffect, 'VersionEffectPage', {
  summary: VersionEffectSummary,
});
export type VersionEffectSummary = z.infer<typeof VersionEffectSummary>;

export const VersionEffectQuery = PageQuery.extend({
  against: Uuid.optional().meta({
    description: 'another version of the same recipe; without it, the one before this',
  }),
  onlyChanged: z.boolean().default(false),
});
