/** The verdict of parts, kept with their projects for lists; computed anew wherever something changes that it rests on. */
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

/** The first characteristic is the worst, and so its verdict is that of the part. */
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
 * Computes the verdicts of these projects and writes what has changed. To be called in each transaction that changes what
 * they rest on, after the change: an operation or a run ends or begins again, a scan comes, a recipe is released.
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
