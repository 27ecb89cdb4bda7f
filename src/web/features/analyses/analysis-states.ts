/** Which analyses the page lists, with what the service says of each. Pure. */
import {
  type AnalysisKind,
  analysisFacts,
  analysisKinds,
  carriedOutAnalyses,
} from '#contract/analyses/kinds.ts';
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

/** Offered analyses and those that were ever started, in the contract's order. */
export function analysisRows(
  analyses: ProjectStatus['analyses'],
  dataObjects: readonly DataObject[],
  isResultOf: (kind: AnalysisKind, dataObject: DataObject) => boolean,
): AnalysisRow[] {
  const offered: readonly string[] = carriedOutAnalyses;
  return analysisKinds.flatMap((kind) => {
    const { statusKey, title } = analysisFacts[kind];
    const state = analyses[statusKey] ?? { status: 'notStarted' };
    const operation = isOperation(state) ? state : null;
    const isOffered = offered.includes(kind);
    if (!isOffered && operation === null) return [];
    // Of several the first: what the operation is about.
    const own = operation?.outputDataObjectIds
      .map((id) => dataObjects.find((candidate) => candidate.id === id))
      .find((candidate) => candidate !== undefined);
    const earlier = dataObjects.find(
      (candidate) => isResultOf(kind, candidate) && candidate.createdByOperation !== null,
    );
    const result = own ?? earlier ?? null;
    return [{ kind, title, status: state.status, operation, result }];
  });
}

/** A title within a sentence: “Wall thickness” → “wall thickness”, but “CAD comparison” stays. */
export const inSentence = (title: string): string =>
  title.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
