import type { ComponentType } from 'react';
import type { DataObjectKind } from '#contract/analyses/kinds.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';

export interface ResultProps {
  dataObject: DataObject;
  /** moves the viewer's cursor there, in mm; absent where there is no viewer */
  onShowPoint?: (pointMm: [number, number, number]) => void;
}

/** What the dashboard adds to one kind of analysis, beyond what the contract says. */
export interface AnalysisKindPage {
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** above the form: what it does, for one who decides whether to run it */
  purpose: string;
  /** words for the values of choices, by field and value */
  labels: Record<string, Record<string, string>>;
  /** fields that mean something only for some values of another, beyond what the schema demands */
  onlyWhen: Record<string, { key: string; values: readonly string[] }>;
  /** why a choice can't be taken with the reference that is chosen (null = none yet); null = it can */
  reasonAgainstChoice?: (key: string, choice: string, reference: DataObject | null) => string | null;
  /** of the data object that holds its result */
  resultKind: DataObjectKind;
  /** whether a data object of that kind is one of its own; any is without it */
  shows?: (metadata: Record<string, unknown>) => boolean;
  /** the result in one line beside its state; null when it can't be read */
  headline: (metadata: Record<string, unknown>) => string | null;
  Result: ComponentType<ResultProps>;
}
