import type { ComponentType } from 'react';
import type { StepDeclaration } from '#contract/analyses/steps.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';

export type DataObjectOfKind<Kind extends DataObject['kind']> = Extract<DataObject, { kind: Kind }>;

export interface ResultProps<Shown extends DataObject = DataObject> {
  dataObject: Shown;
  /** moves the viewer's cursor to a point in mm; undefined without a viewer */
  onShowPoint?: (pointMm: [number, number, number]) => void;
}

/** What the dashboard adds to a declared analysis: how its result is shown. */
export interface AnalysisKindPage<Shown extends DataObject = DataObject> {
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** the result in one line beside its state; null if there is nothing to report */
  headline: (metadata: Shown['metadata']) => string | null;
  Result: ComponentType<ResultProps<Shown>>;
}

export const definePage = <Declaration extends StepDeclaration>(
  { key }: Declaration,
  page: AnalysisKindPage<DataObjectOfKind<Declaration['makes']>>,
): { key: Declaration['key']; page: AnalysisKindPage } => ({
  key,
  // The registry passes a page only data of the kind that its analysis creates.
  page: page as unknown as AnalysisKindPage,
});
