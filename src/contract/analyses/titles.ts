/** Titles of analyses that depend on the reference. */
import type { AnalysisDeclaration } from './declaration.ts';

type Titled = Pick<AnalysisDeclaration, 'title' | 'titleWithoutCad'>;

/** Title of an analysis, by the kind of the reference's data. */
export const chooseTitle = ({ title, titleWithoutCad = title }: Titled, referenceKind = 'cad'): string =>
  referenceKind === 'cad' ? title : titleWithoutCad;

/** Title of an analysis by the name of its result, which is the title at that time. */
export const readTitle = ({ title, titleWithoutCad }: Titled, resultName: string | undefined): string =>
  resultName !== undefined && resultName === titleWithoutCad ? titleWithoutCad : title;
