/** All kinds of analyses, and lists derived from their declarations. */
import type { AnalysisDeclaration } from './declaration.ts';
import { pipeline } from './pipeline.ts';
import { stepAnalyses } from './steps.ts';

export const analyses = [...stepAnalyses, pipeline] as const;

type Declared = (typeof analyses)[number];
export type AnalysisKind = Declared['key'];
export type StatusKey = Declared['statusKey'];
export type DeclarationOf<Kind extends AnalysisKind> = Extract<Declared, { key: Kind }>;

export const analysisKinds = analyses.map(({ key }) => key) as [AnalysisKind, ...AnalysisKind[]];

/** Everything that runs as an operation on a project. */
export const operationKinds = [...analysisKinds, 'ingest'] as const;
export type OperationKind = (typeof operationKinds)[number];

export const isAnalysisKind = (operation: string): operation is AnalysisKind =>
  (analysisKinds as string[]).includes(operation);

/** Undefined for an operation that is not an analysis, or is unknown to this version. */
export const findAnalysis = (
  operation: string,
): (AnalysisDeclaration & { key: AnalysisKind; statusKey: StatusKey }) | undefined =>
  analyses.find(({ key }) => key === operation);

export const getAnalysis = <Kind extends AnalysisKind>(kind: Kind): DeclarationOf<Kind> =>
  analyses.find(({ key }) => key === kind) as DeclarationOf<Kind>;

/** Null for an operation unknown to this version. */
export const findTitle = (operation: string): string | null =>
  operation === 'ingest' ? 'Import' : (findAnalysis(operation)?.title ?? null);

/** Whether the operation only groups steps, which are separate operations. */
export const isComposite = (operation: string): boolean => findAnalysis(operation)?.makes === null;

export const analysisModules = [
  ...new Map(analyses.map(({ module }) => [module.key as string, module])).values(),
];
