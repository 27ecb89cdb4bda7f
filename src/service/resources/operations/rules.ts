/** Preconditions of an analysis: its input data exists and is suitable. */
import { and, eq } from 'drizzle-orm';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import { type AnalysisKind, getAnalysis } from '#contract/analyses/registry.ts';
import type { Executor } from '#storage/db/connection.ts';
import { type DataObjectRow, dataObjects } from '#storage/db/schema-data.ts';
import { chooseInputs } from '#storage/projects/choose-inputs.ts';
import { findReference, type ReferencePlace } from '#storage/projects/references.ts';
import { invalidField, Problem } from '../../http/problem.ts';

function requireKind(
  row: DataObjectRow | undefined,
  field: string,
  kinds: readonly DataObjectKind[],
): DataObjectRow {
  if (!row) throw invalidField(field, 'is not a data object of this project');
  if (!kinds.includes(row.kind))
    throw invalidField(field, `is a ${row.kind}; it must be a ${kinds.join(' or ')}`);
  if (row.status !== 'completed') throw invalidField(field, `is ${row.status}, not completed`);
  return row;
}

/**
 * Resolves the inputs of an analysis: the given source or the newest suitable one, and the given reference or the newest
 * CAD model. The ids are also filled into the parameters.
 *
 * @throws Problem VALIDATION_FAILED for unsuitable data, MISSING_INPUT when there is none
 */
export async function resolveInputs(
  db: Executor,
  place: ReferencePlace,
  kind: AnalysisKind,
  parameters: { sourceDataObjectId?: string; referenceDataObjectId?: string },
): Promise<{ inputs: string[]; parameters: Record<string, unknown> }> {
  const { projectId } = place;
  const { sourceDataObjectId, referenceDataObjectId } = parameters;
  const analysis = getAnalysis(kind);
  const { source, reference } = analysis.needs;
  if (sourceDataObjectId !== undefined && sourceDataObjectId === referenceDataObjectId)
    throw invalidField('referenceDataObjectId', 'is the source itself; it must be another data object');
  if (sourceDataObjectId !== undefined) {
    const [named] = await db
      .select()
      .from(dataObjects)
      .where(and(eq(dataObjects.id, sourceDataObjectId), eq(dataObjects.projectId, projectId)));
    requireKind(named, 'sourceDataObjectId', source);
  }
  const chosen = await chooseInputs(db, { projectId, analysis, named: parameters });
  if ('error' in chosen) throw new Problem('MISSING_INPUT', chosen.error.detail);
  const inputs = chosen.sourceDataObjectId === undefined ? [] : [chosen.sourceDataObjectId];
  if (reference.length === 0 || chosen.referenceDataObjectId === undefined) return { inputs, parameters };
  const row = await findReference(db, place, chosen.referenceDataObjectId);
  const { id, ...facts } = requireKind(row, 'referenceDataObjectId', reference);
  const refused = analysis.refusesReference?.(parameters, facts);
  if (refused) throw invalidField(refused.field, refused.reason);
  return { inputs: [...inputs, id], parameters: { ...parameters, referenceDataObjectId: id } };
}
