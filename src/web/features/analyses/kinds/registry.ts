import type { AnalysisKind, DataObjectKind } from '#contract/analyses/kinds.ts';
import { autoAlignPage } from './auto-align.tsx';
import { createMeshPage } from './create-mesh.tsx';
import { integrityPage } from './integrity.tsx';
import type { AnalysisKindPage } from './kind-page.ts';
import { decomposeMeshComparePage, meshComparePage } from './mesh-compare.tsx';
import { wallThicknessPage } from './wall-thickness.tsx';

/** One entry a kind; a kind without one still has its form and its state. */
const pages = {
  createMesh: createMeshPage,
  runWallThickness: wallThicknessPage,
  runIntegrityAnalysis: integrityPage,
  runAutoAlignLite: autoAlignPage,
  runMeshCompare: meshComparePage,
  runDecomposeMeshCompare: decomposeMeshComparePage,
} satisfies Partial<Record<AnalysisKind, AnalysisKindPage>>;

export const kindPages: Partial<Record<AnalysisKind, AnalysisKindPage>> = pages;

/** Who knows how to show a data object of this kind, wherever it came from. */
export const resultPageOf = (kind: DataObjectKind): AnalysisKindPage | null =>
  Object.values(pages).find(
    // What a CAD model or reference says of itself is what a mesh says.
    (page) => page.resultKind === (kind === 'cad' ? 'mesh' : kind),
  ) ?? null;
