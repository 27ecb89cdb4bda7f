import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import { Figures } from './figures.tsx';

interface FactFiguresProps {
  declaration: Pick<AnalysisDeclaration, 'facts' | 'mark'>;
  metadata: object;
}

/** Facts about a result besides its measures; nothing for data not created by the analysis. */
export function FactFigures({ declaration: { facts, mark }, metadata }: FactFiguresProps) {
  if (!facts || (mark !== undefined && !(mark in metadata))) return null;
  return <Figures label={facts.title} figures={facts.list({ ...metadata })} />;
}
