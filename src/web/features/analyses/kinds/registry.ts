import type { AnalysisKind } from '#contract/analyses/kinds.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { autoAlignPage } from './auto-align.tsx';
import { createMeshPage } from './create-mesh.tsx';
import { createTexturedMeshPage } from './create-textured-mesh.tsx';
import { integrityPage } from './integrity.tsx';
import type { AnalysisKindPage } from './kind-page.ts';
import { decomposeMeshComparePage, meshComparePage } from './mesh-compare.tsx';
import { reconstructionPreviewPage } from './reconstruction-preview.tsx';
import { wallThicknessPage } from './wall-thickness.tsx';

/** One entry a kind; a kind without one still has its form and its state. */
const pages = {
  createMesh: createMeshPage,
  createTexturedMesh: createTexturedMeshPage,
  runWallThickness: wallThicknessPage,
  runIntegrityAnalysis: integrityPage,
  runAutoAlignLite: autoAlignPage,
  runMeshCompare: meshComparePage,
  runDecomposeMeshCompare: decomposeMeshComparePage,
  runReconstructionPreview: reconstructionPreviewPage,
} satisfies Partial<Record<AnalysisKind, AnalysisKindPage>>;

export const kindPages: Partial<Record<AnalysisKind, AnalysisKindPage>> = pages;

/** The pages of a kind of data: those that know this one as their own, or else those that show any. */
function pagesFor({ kind, metadata }: Pick<DataObject, 'kind' | 'metadata'>): AnalysisKindPage[] {
  // What a CAD model or reference says of itself is what a mesh says.
  const resultKind = kind === 'cad' ? 'mesh' : kind;
  const all: AnalysisKindPage[] = Object.values(pages).filter((page) => page.resultKind === resultKind);
  const own = all.filter((page) => page.shows?.(metadata));
  return own.length > 0 ? own : all.filter((page) => !page.shows);
}

/** Who knows how to show a data object, wherever it came from. */
export const resultPageOf = (dataObject: Pick<DataObject, 'kind' | 'metadata'>): AnalysisKindPage | null =>
  pagesFor(dataObject)[0] ?? null;

/** Whether a data object is what an analysis of this kind makes. */
export function isResultOf(kind: AnalysisKind, dataObject: Pick<DataObject, 'kind' | 'metadata'>): boolean {
  const page = kindPages[kind];
  return page !== undefined && page.resultKind === dataObject.kind && pagesFor(dataObject).includes(page);
}
