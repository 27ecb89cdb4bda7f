/** What must hold before an analysis is asked for: the data that it works on is there and fits. */
import { and, desc, eq, inArray } from 'drizzle-orm';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import { type AnalysisKind, getAnalysis } from '#contract/analyses/registry.ts';
import type { Executor } from '#storage/db/connection.ts';
import { type DataObjectRow, dataObjects } from '#storage/db/schema-data.ts';
import { findReference, newestReference, type ReferencePlace } from '#storage/projects/references.ts';
import { missingReference } from '#storage/recipes/missing-data.ts';
import { invalidField, Problem } from '../../http/problem.ts';

function requireKind(
  row: DataObjectRow | undefined,
  field: string,
  kinds: readonly DataObjectKind[],
): DataObjectRow {
  if (!row) throw invalidField(field, 'is no data object of this project');
  if (!kinds.includes(row.kind))
    throw invalidField(field, `is a ${row.kind}; it must be a ${kinds.join(' or ')}`);
  if (row.status !== 'completed') throw invalidField(field, `is ${row.status}, not completed`);
  return row;
}

/**
 * The data objects that an analysis works on: the source that was named, or the newest fitting one, and the reference
 * that was named, or the newest CAD model; with it in the parameters.
 *
 * @throws Problem VALIDATION_FAILED for one that doesn't fit, MISSING_INPUT when there is none
 */
export async function resolveInputs(
  db: Executor,
  place: ReferencePlace,
  kind: AnalysisKind,
  parameters: { sourceDataObjectId?: string; referenceDataObjectId?: string },
): Promise<{ inputs: string[]; parameters: Record<string, unknown> }> {
  const { projectId } = place;
  const { sourceDataObjectId, referenceDataObjectId } = parameters;
  const { title, needs, refusesReference } = getAnalysis(kind);
  if (sourceDataObjectId !== undefined && sourceDataObjectId === referenceDataObjectId)
    throw invalidField('referenceDataObjectId', 'is the source itself; it must be another data object');
  const kinds: readonly DataObjectKind[] = needs.source;
  const inputs: string[] = [];
  if (sourceDataObjectId !== undefined) {
    const [named] = await db
      .select()
      .from(dataObjects)
      .where(and(eq(dataObjects.id, sourceDataObjectId), eq(dataObjects.projectId, projectId)));
    inputs.push(requireKind(named, 'sourceDataObjectId', kinds).id);
  } else if (kinds.length > 0) {
    const found = await db
      .select({ id: dataObjects.id, kind: dataObjects.kind })
      .from(dataObjects)
      .where(
        and(
          eq(dataObjects.projectId, projectId),
          inArray(dataObjects.kind, [...kinds]),
          eq(dataObjects.status, 'completed'),
        ),
      )
      .orderBy(desc(dataObjects.createdAt), desc(dataObjects.id));
    const newest = kinds
      .map((wanted) => found.find((row) => row.kind === wanted && row.id !== referenceDataObjectId))
      .find((row) => row !== undefined);
    if (!newest)
      throw new Problem(
        'MISSING_INPUT',
        `the project has no ${kinds.join(' or ')} to work on; upload one first`,
      );
    inputs.push(newest.id);
  }
  if (needs.reference.length === 0) return { inputs, parameters };
  const reference =
    referenceDataObjectId === undefined
      ? await newestReference(db, projectId, inputs[0])
      : await findReference(db, place, referenceDataObjectId);
  if (!reference && referenceDataObjectId === undefined) {
    const { detail } = missingReference(title);
    throw new Problem('MISSING_INPUT', detail);
  }
  const { id, ...facts } = requireKind(reference, 'referenceDataObjectId', needs.reference);
  const refused = refusesReference?.(parameters, facts);
  if (refused) throw invalidField(refused.field, refused.reason);
  return { inputs: [...inputs, id], parameters: { ...parameters, referenceDataObjectId: id } };
}
