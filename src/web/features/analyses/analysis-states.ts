/** Which analyses the page lists, with the status reported by the service. Pure. */
import { type AnalysisKind, analyses as declarations } from '#contract/analyses/registry.ts';
import { readTitle } from '#contract/analyses/titles.ts';
import type { DataObject, Operation, ProjectStatus } from '#web/api/generated/types.gen.ts';

export interface AnalysisRow {
  kind: AnalysisKind;
  title: string;
  /** as reported by the service, even if this page does not know it */
  status: string;
  /** its newest operation; null if it was never started */
  operation: Operation | null;
  /** result of the newest finished run; the project's data are sorted newest first */
  result: DataObject | null;
}

const isOperation = (state: object): state is Operation => 'operation' in state;

/** All analyses, in the contract's order. */
export function analysisRows(
  analyses: ProjectStatus['analyses'],
  dataObjects: readonly DataObject[],
  isResultOf: (kind: AnalysisKind, dataObject: DataObject) => boolean,
): AnalysisRow[] {
  return declarations.map((declaration) => {
    const { key: kind, statusKey } = declaration;
    const state = analyses[statusKey] ?? { status: 'notStarted' };
    const operation = isOperation(state) ? state : null;
    // The first output is the main result of the operation.
    const own = operation?.outputDataObjectIds
      .map((id) => dataObjects.find((candidate) => candidate.id === id))
      .find((candidate) => candidate !== undefined);
    // An analysis that was never run has no result, even if another one created data of that kind.
    const earlier =
      operation &&
      dataObjects.find((candidate) => isResultOf(kind, candidate) && candidate.createdByOperation !== null);
    const result = own ?? earlier ?? null;
    return { kind, title: readTitle(declaration, result?.name), status: state.status, operation, result };
  });
}

/** A title within a sentence: “Wall thickness” → “wall thickness”, but “CAD comparison” is unchanged. */
export const inSentence = (title: string): string =>
  title.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
