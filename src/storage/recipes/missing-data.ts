/** Finds projects that lack the input data of a recipe's steps, before it runs. */
import { and, eq, inArray } from 'drizzle-orm';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { getStep } from '#contract/analyses/steps.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { dataObjects } from '../db/schema-data.ts';
import type { WorkError } from '../db/schema-work.ts';
import { missingReference, missingSource } from '../projects/choose-inputs.ts';
import { disabledAnalyses } from './invocations.ts';

/** Kinds of which the project must have one; otherwise the step fails with this error. */
interface Need {
  kinds: readonly DataObjectKind[];
  error: WorkError;
}

/** Inputs that the steps take from the project: neither given as parameters nor created by steps they need. */
function listNeeds(steps: readonly RecipeStep[]): Need[] {
  const needs: Need[] = [];
  for (const { operation, parameters, needs: before } of steps) {
    const { title, needs: wanted } = getStep(operation);
    const made: DataObjectKind[] = steps
      .filter(({ key }) => before.includes(key))
      .map((step) => getStep(step.operation).makes);
    if (wanted.reference.length > 0 && parameters['referenceDataObjectId'] === undefined)
      needs.push({ kinds: ['cad'], error: missingReference(title) });
    const kinds: readonly DataObjectKind[] = wanted.source;
    const isMade = kinds.some((kind) => made.includes(kind));
    if (kinds.length > 0 && parameters['sourceDataObjectId'] === undefined && !isMade)
      needs.push({ kinds, error: missingSource(title, kinds) });
  }
  return needs;
}

/** Why a recipe can't run in its organization: the module of one of its steps is disabled. */
export async function disabledReason(
  db: Executor,
  organizationId: string,
  steps: readonly RecipeStep[],
): Promise<WorkError | undefined> {
  const kinds = steps.map(({ operation }) => operation);
  const [kind] = await disabledAnalyses(db, organizationId, kinds);
  if (kind === undefined) return undefined;
  const detail = `the module of ${getStep(kind).title} is off for this organization`;
  return { code: 'MODULE_NOT_ENABLED', detail };
}

/** The first reason why the recipe would fail, for each project that lacks something. */
export async function missingData(
  db: Executor,
  projectIds: readonly string[],
  steps: readonly RecipeStep[],
): Promise<ReadonlyMap<string, WorkError>> {
  const needs = listNeeds(steps);
  const missing = new Map<string, WorkError>();
  if (needs.length === 0) return missing;
  const rows = await db
    .selectDistinct({ projectId: dataObjects.projectId, kind: dataObjects.kind })
    .from(dataObjects)
    .where(
      and(
        among(dataObjects.projectId, projectIds),
        eq(dataObjects.status, 'completed'),
        inArray(dataObjects.kind, [...new Set(needs.flatMap(({ kinds }) => kinds))]),
      ),
    );
  const kindsOf = new Map<string, Set<DataObjectKind>>();
  for (const { projectId, kind } of rows)
    kindsOf.set(projectId, (kindsOf.get(projectId) ?? new Set()).add(kind));
  for (const id of projectIds) {
    const has = kindsOf.get(id);
    const lack = needs.find(({ kinds }) => !kinds.some((kind) => has?.has(kind)));
    if (lack) missing.set(id, lack.error);
  }
  return missing;
}
