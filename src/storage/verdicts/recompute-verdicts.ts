/** Stores the verdicts of parts with their projects for lists; recomputed whenever an input of theirs changes. */
import { sql } from 'drizzle-orm';
import { LeadingCharacteristic } from '#contract/shapes/characteristic.ts';
import type { Executor } from '../db/connection.ts';
import { notify } from '../db/events.ts';
import { projects } from '../db/schema-projects.ts';
import { listCharacteristics, type PartCharacteristics } from './list-characteristics.ts';

const BATCH = 200;

interface Computed {
  id: string;
  verdict: string | null;
  worst: LeadingCharacteristic | null;
  measuredAt: string | null;
}

/** The verdict of a part is that of its first, worst characteristic. */
function computeVerdict(id: string, { characteristics, newestScanAt }: PartCharacteristics): Computed {
  const [worst] = characteristics;
  const moments = [
    ...(newestScanAt ? [newestScanAt.toISOString()] : []),
    ...characteristics.map(({ measuredAt }) => measuredAt),
  ];
  return {
    id,
    verdict: worst?.verdict ?? null,
    worst: worst ? LeadingCharacteristic.parse(worst) : null,
    measuredAt: moments.sort().at(-1) ?? null,
  };
}

/**
 * Computes the verdicts of these projects and writes changes. Must be called after the change in every transaction that
 * affects them: an operation or run ends or restarts, a scan arrives, a recipe is released.
 */
export async function recomputeVerdicts(tx: Executor, projectIds: readonly string[]): Promise<void> {
  for (let from = 0; from < projectIds.length; from += BATCH) {
    const batch = projectIds.slice(from, from + BATCH);
    const found = await listCharacteristics(tx, batch, { onlyCurrent: true });
    const computed = [...found].map(([id, part]) => computeVerdict(id, part));
    const changed = await tx
      .update(projects)
      .set({
        verdict: sql`new.verdict`,
        leadingCharacteristic: sql`new.worst`,
        measuredAt: sql`new."measuredAt"`,
        version: sql`${projects.version} + 1`,
        updatedAt: sql`now()`,
      })
      .from(
        sql`jsonb_to_recordset(${JSON.stringify(computed)}::jsonb) as new(id uuid, verdict text, worst jsonb,
          "measuredAt" timestamptz)`,
      )
      .where(
        sql`${projects.id} = new.id and (${projects.verdict}, ${projects.leadingCharacteristic}, ${projects.measuredAt})
          is distinct from (new.verdict, new.worst, new."measuredAt")`,
      )
      .returning({
        id: projects.id,
        organizationId: projects.organizationId,
        workspaceId: projects.workspaceId,
      });
    for (const { id, organizationId, workspaceId } of changed)
      await notify(tx, {
        type: 'updated',
        resource: 'project',
        id,
        projectId: id,
        organizationId,
        workspaceId,
      });
  }
}
