/** Chooses the inputs of an analysis in a project from the database, by the contract's rules. */
import { and, desc, eq, inArray, isNull, notInArray, or } from 'drizzle-orm';
import { chooseReference, chooseSource } from '#contract/analyses/choose-inputs.ts';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import type { Executor } from '../db/connection.ts';
import { type DataObjectRow, dataObjects } from '../db/schema-data.ts';
import type { WorkError } from '../db/schema-work.ts';
import { findOwn } from './references.ts';

const missingInput = (detail: string): WorkError => ({ code: 'MISSING_INPUT', detail });

export const missingSource = (title: string, kinds: readonly DataObjectKind[]): WorkError =>
  missingInput(`${title} needs data of the kind ${kinds.join(' or ')}; upload it to the project first.`);
export const missingReference = (title: string): WorkError =>
  missingInput(
    `${title} needs a CAD model as its reference; upload one to the project first, or name another reference.`,
  );

interface NamedInputs {
  sourceDataObjectId?: string;
  referenceDataObjectId?: string;
}

export interface InputChoice {
  projectId: string;
  /** declaration of the analysis */
  analysis: {
    title: string;
    needs: { source: readonly DataObjectKind[]; reference: readonly DataObjectKind[] };
  };
  named: NamedInputs;
  /** outputs of earlier steps for this one, preferred to other data of the project */
  made?: readonly DataObjectRow[];
  /** operations whose outputs are used only if they are in `made` */
  ignoredOperationIds?: readonly string[];
}

/** The given source and reference, or suitable ones; an error when the project has none. */
export async function chooseInputs(
  db: Executor,
  { projectId, analysis, named, made = [], ignoredOperationIds = [] }: InputChoice,
): Promise<NamedInputs | { error: WorkError }> {
  const { title, needs } = analysis;
  let { sourceDataObjectId, referenceDataObjectId } = named;
  const lacksSource = sourceDataObjectId === undefined && needs.source.length > 0;
  const lacksReference = referenceDataObjectId === undefined && needs.reference.length > 0;
  if (!lacksSource && !lacksReference) return { sourceDataObjectId, referenceDataObjectId };
  const kinds = [...(lacksSource ? needs.source : []), ...(lacksReference ? (['cad'] as const) : [])];
  const objects = await db
    .select()
    .from(dataObjects)
    .where(
      and(
        eq(dataObjects.projectId, projectId),
        eq(dataObjects.status, 'completed'),
        inArray(dataObjects.kind, kinds),
        or(
          isNull(dataObjects.createdByOperationId),
          notInArray(dataObjects.createdByOperationId, [...ignoredOperationIds]),
        ),
      ),
    )
    .orderBy(desc(dataObjects.createdAt), desc(dataObjects.id));
  if (lacksSource) {
    const fromStep = made.find(({ kind }) => needs.source.includes(kind));
    sourceDataObjectId = (fromStep ?? chooseSource(objects, needs.source, referenceDataObjectId))?.id;
    if (sourceDataObjectId === undefined) return { error: missingSource(title, needs.source) };
  }
  if (lacksReference) {
    const ids = objects.filter(({ kind }) => kind === 'cad').map(({ id }) => id);
    const own = sourceDataObjectId === undefined ? undefined : await findOwn(db, sourceDataObjectId, ids);
    referenceDataObjectId = chooseReference(objects, own)?.id;
    if (referenceDataObjectId === undefined) return { error: missingReference(title) };
  }
  return { sourceDataObjectId, referenceDataObjectId };
}
