/** Archives, restores, deletes, moves, tags or copies the projects of bulk items, and undoes it. */
import { eq } from 'drizzle-orm';
import { findDestination, isRefusal, permitted, reasonAgainstDestinations } from '#storage/bulk/plan.ts';
import type { BulkRow, ItemResult } from '#storage/bulk/requests.ts';
import { isUndoable } from '#storage/bulk/requests.ts';
import type { Transaction } from '#storage/db/connection.ts';
import { bulkRequests, type WorkError } from '#storage/db/schema-work.ts';
import { type Actor, changeProjects } from '#storage/projects/change-projects.ts';
import { copyProjects } from '#storage/projects/copy-projects.ts';
import { noSuchProject, type ProjectChange, reachesTrash, type Step } from '#storage/projects/decide.ts';
import { findActor, type ItemOutcome, type ItemWork, type Taken } from './take-items.ts';

const failed = (error: WorkError): ItemOutcome => ({ status: 'failed', error });

/** The same action for all items, or the reason why it cannot be done to any. */
type Plan = { kind: 'change'; change: ProjectChange } | { kind: 'copy'; to: CopyTo } | WorkError;
interface CopyTo {
  id: string;
  organizationId: string;
}

async function makePlan({ tx, row, items }: Taken): Promise<Plan> {
  const { operationType, parameters, createdBy } = row;
  if (row.undoOf !== null) {
    const [undone] = await tx
      .select({ type: bulkRequests.operationType })
      .from(bulkRequests)
      .where(eq(bulkRequests.id, row.undoOf));
    if (!undone || !isUndoable(undone.type)) {
      return { code: 'CONFLICT', detail: 'what was to be taken back is not known any more' };
    }
    const steps = new Map<string, Step>();
    for (const { projectId, result } of items) {
      const { undo } = (result ?? {}) as ItemResult;
      if (undo) steps.set(projectId, undo);
    }
    return { kind: 'change', change: { type: 'undo', of: undone.type, steps } };
  }
  switch (operationType) {
    case 'archive':
    case 'restore':
    case 'delete':
      return { kind: 'change', change: { type: operationType } };
    case 'addTags':
    case 'removeTags':
      return { kind: 'change', change: { type: operationType, tags: parameters['tags'] as string[] } };
    default: {
      const to = await findDestination(tx, createdBy, String(parameters['destinationWorkspaceId']));
      if (isRefusal(to)) return to;
      return operationType === 'copy'
        ? { kind: 'copy', to }
        : { kind: 'change', change: { type: 'move', destination: to } };
    }
  }
}

/** Restored projects whose original workspace the caller may not write to. */
async function withoutUndo(
  tx: Transaction,
  { createdBy }: BulkRow,
  change: ProjectChange,
): Promise<Map<string, WorkError>> {
  if (change.type !== 'undo' || change.of !== 'move') return new Map();
  const homes = [...new Set([...change.steps.values()].map(({ before }) => before.workspaceId))];
  const refused = await reasonAgainstDestinations(tx, createdBy, homes);
  const projects = new Map<string, WorkError>();
  for (const [id, { before }] of change.steps) {
    const error = refused.get(before.workspaceId);
    if (error) projects.set(id, error);
  }
  return projects;
}

/** The outcome for each project. */
async function describeOutcomes(
  taken: Taken,
  actor: Actor,
  plan: Exclude<Plan, WorkError>,
): Promise<Map<string, ItemOutcome>> {
  const { tx, row, items } = taken;
  const ids = items.map(({ projectId }) => projectId);
  const detail = { bulkRequestId: row.id };
  const outcomes = new Map<string, ItemOutcome>();
  if (plan.kind === 'copy') {
    const { allowed, refused } = await permitted(tx, actor.userId, ids, { withDeleted: false });
    for (const [id, error] of refused) outcomes.set(id, failed(error));
    const copies = await copyProjects(tx, actor, allowed, plan.to, { detail });
    for (const id of allowed) {
      const copy = copies.get(id);
      outcomes.set(id, copy ? { status: 'completed', result: { copyId: copy.id } } : failed(noSuchProject));
    }
    return outcomes;
  }
  const { change } = plan;
  const { allowed, refused } = await permitted(tx, actor.userId, ids, { withDeleted: reachesTrash(change) });
  for (const [id, error] of refused) outcomes.set(id, failed(error));
  const noWay = await withoutUndo(tx, row, change);
  for (const [id, error] of noWay) if (!outcomes.has(id)) outcomes.set(id, failed(error));
  const possible = allowed.filter((id) => !noWay.has(id));
  for (const [id, outcome] of await changeProjects(tx, actor, possible, change, { detail })) {
    if (outcome.kind === 'refused') outcomes.set(id, failed(outcome.error));
    else if (outcome.kind === 'kept') outcomes.set(id, { status: 'completed', result: { unchanged: true } });
    else {
      const { before, after } = outcome.step;
      const undo = change.type === 'undo' ? change.steps.get(id) : undefined;
      outcomes.set(id, {
        status: 'completed',
        before,
        result: { after, ...(undo === undefined ? {} : { undo }) },
      });
    }
  }
  return outcomes;
}

export const changeItems: ItemWork = async (taken) => {
  const actor = await findActor(taken.tx, taken.row);
  const plan = await makePlan(taken);
  const byProject =
    actor && !('code' in plan) ? await describeOutcomes(taken, actor, plan) : new Map<string, ItemOutcome>();
  const otherwise = failed('code' in plan ? plan : noSuchProject);
  return new Map(taken.items.map(({ id, projectId }) => [id, byProject.get(projectId) ?? otherwise]));
};
