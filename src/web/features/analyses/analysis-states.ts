/** Which analyses the page lists, with what the service says of each. Pure. */
import { type AnalysisKind, analyses as declarations } from '#contract/analyses/registry.ts';
import type { DataObject, Operation, ProjectStatus } from '#web/api/generated/types.gen.ts';

export interface AnalysisRow {
  kind: AnalysisKind;
  title: string;
  /** as the service said it, also when this page does not know the word */
  status: string;
  /** its newest operation; null when it was never started */
  operation: Operation | null;
  /** what the newest finished run made, the newest first in the project's data */
  result: DataObject | null;
}

const isOperation = (state: object): state is Operation => 'operation' in state;

/** All analyses in the contract's order. */
export function analysisRows(
  analyses: ProjectStatus['analyses'],
  dataObjects: readonly DataObject[],
  isResultOf: (kind: AnalysisKind, dataObject: DataObject) => boolean,
): AnalysisRow[] {
  return declarations.map(({ key: kind, statusKey, title }) => {
    const state = analyses[statusKey] ?? { status: 'notStarted' };
    const operation = isOperation(state) ? state : null;
    // Of several the first: what the operation is about.
    const own = operation?.outputDataObjectIds
      .map((id) => dataObjects.find((candidate) => candidate.id === id))
      .find((candidate) => candidate !== undefined);
    // What was never run has no result, whoever else has made data of the kind.
    const earlier =
      operation &&
      dataObjects.find((candidate) => isResultOf(kind, candidate) && candidate.createdByOperation !== null);
    const result = own ?? earlier ?? null;
    return { kind, title, status: state.status, operation, result };
  });
}

/** A title within a sentence: “Wall thickness” → “wall thickness”, but “CAD comparison” stays. */
export const inSentence = (title: string): string =>
  title.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
