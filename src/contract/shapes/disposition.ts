/** Disposition of a part: a person's decision, independent of the computed verdict. */
import { z } from 'zod';
import { Timestamp, UserSummary, Uuid } from '../base/primitives.ts';
import { definePage, PageQuery } from './page.ts';

export const dispositionDecisions = ['accept', 'rework', 'scrap'] as const;
export type DispositionDecision = (typeof dispositionDecisions)[number];
const Decision = z.enum(dispositionDecisions).meta({ id: 'DispositionDecision' });

export const Disposition = z
  .object({
    id: Uuid,
    decision: Decision,
    reason: z.string(),
    createdBy: Uuid.nullable(),
    author: UserSummary.nullable().meta({ description: 'null when the account was deleted' }),
    createdAt: Timestamp,
    outdated: z.boolean().meta({ description: 'true: the part was scanned or measured again since then' }),
  })
  .meta({ id: 'Disposition' });
export type Disposition = z.infer<typeof Disposition>;
export const DispositionPage = definePage(Disposition, 'DispositionPage');
export const DispositionListQuery = PageQuery;

export const DispositionInput = z
  .strictObject({ decision: Decision, reason: z.string().trim().min(1).max(2000) })
  .meta({ id: 'DispositionInput' });
