/** How verdicts would change if another version of a recipe applied to the parts it ran on. */
import { z } from 'zod';
import { comparisons } from '../analyses/gates.ts';
import { Uuid } from '../base/primitives.ts';
import { Verdict } from '../metadata/verdict.ts';
import { definePage, PageQuery } from './page.ts';

export const versionOutcomes = [...Verdict.options, 'none', 'notRun'] as const;
const VersionOutcome = z.enum(versionOutcomes).meta({
  id: 'VersionOutcome',
  description: '`none`: the version gives no verdict; `notRun`: it has no finished run on the newest scan',
});
export type VersionOutcome = z.infer<typeof VersionOutcome>;

const Side = z
  .object({
    outcome: VersionOutcome,
    invocationId: Uuid.nullable().meta({
      description: 'run that the outcome is based on; null when there is none',
    }),
    isFromOther: z.boolean().meta({
      description: 'true: its gates were applied to measurements from a run of the other version',
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
    isChanged: z.boolean().meta({
      description: 'true: the verdict of the part or of a gate differs; false when either version has no run',
    }),
    gates: z
      .array(
        z.object({
          key: z.string(),
          label: z.string(),
          before: GateSide.nullable().meta({ description: 'null: the version has no such gate' }),
          after: GateSide.nullable().meta({ description: 'null: the version has no such gate' }),
        }),
      )
      .meta({ description: 'gates whose verdict changes' }),
  })
  .meta({ id: 'VersionEffect' });
export type VersionEffect = z.infer<typeof VersionEffect>;

export const VersionEffectSummary = z
  .array(z.object({ before: VersionOutcome, after: VersionOutcome, count: z.int() }))
  .meta({ description: 'number of projects by outcome before and after, unchanged ones included' });
export const VersionEffectPage = definePage(VersionEffect, 'VersionEffectPage', {
  summary: VersionEffectSummary,
});
export type VersionEffectSummary = z.infer<typeof VersionEffectSummary>;

export const VersionEffectQuery = PageQuery.extend({
  against: Uuid.optional().meta({
    description: 'another version of the same recipe; default: the previous version',
  }),
  onlyChanged: z.boolean().default(false),
});
