/** What must hold before an analysis is asked for: carried out by this version, module on, data there. */
import { and, desc, eq, inArray } from 'drizzle-orm';
import {
  type AnalysisKind,
  analysisFacts,
  carriedOutAnalyses,
  referenceKinds,
} from '#contract/analyses/kinds.ts';
import type { Executor } from '#storage/db/connection.ts';
import { type DataObjectKind, dataObjects } from '#storage/db/schema-data.ts';
import { invalidField, Problem } from '../../http/problem.ts';

/** @throws Problem NOT_IMPLEMENTED */
export function requireImplemented(kind: AnalysisKind): void {
  if ((carriedOutAnalyses as readonly AnalysisKind[]).includes(kind)) return;
  throw new Problem('NOT_IMPLEMENTED', `${kind} is declared, and this version does not carry it out yet`);
}

async function requireObject(
  db: Executor,
  projectId: string,
  field: string,
  id: string,
  kinds: readonly DataObjectKind[],
): Promise<{ id: string; metadata: Record<string, unknown> }> {
  const { id: idColumn, kind, status, metadata } = dataObjects;
  const [row] = await db
    .select({ id: idColumn, kind, status, metadata })
    .from(dataObjects)
    .where(and(eq(dataObjects.id, id), eq(dataObjects.projectId, projectId)));
  if (!row) throw invalidField(field, 'is no data object of this project');
  if (!kinds.includes(row.kind))
    throw invalidField(field, `is a ${row.kind}; it must be a ${kinds.join(' or ')}`);
  if (row.status !== 'completed') throw invalidField(field, `is ${row.status}, not completed`);
  return row;
}

/**
 * The data objects that an analysis works on: the source that was named, or the newest fitting one, and the
 * reference.
 *
 * @throws Problem VALIDATION_FAILED for one that doesn't fit, MISSING_INPUT when there is none
 */
export async function inputsOf(
  db: Executor,
  projectId: string,
  kind: AnalysisKind,
  parameters: { sourceDataObjectId?: string; referenceDataObjectId?: string; groupBy?: string },
): Promise<string[]> {
  const { sourceDataObjectId, referenceDataObjectId } = parameters;
  if (sourceDataObjectId !== undefined && sourceDataObjectId === referenceDataObjectId)
    throw invalidField('referenceDataObjectId', 'is the source itself; it must be another data object');
  const kinds: readonly DataObjectKind[] = analysisFacts[kind].sourceKinds;
  const inputs: string[] = [];
  if (sourceDataObjectId !== undefined) {
    inputs.push((await requireObject(db, projectId, 'sourceDataObjectId', sourceDataObjectId, kinds)).id);
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
  if (referenceDataObjectId !== undefined) {
    const reference = await requireObject(
      db,
      projectId,
      'referenceDataObjectId',
      referenceDataObjectId,
      referenceKinds,
    );
    if (parameters.groupBy === 'cadFace' && typeof reference.metadata['faces'] !== 'number')
      throw invalidField('groupBy', 'cadFace needs a reference with CAD faces, such as a STEP file');
    inputs.push(reference.id);
  }
  return inputs;
}
