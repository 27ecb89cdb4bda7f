import { findMaker } from '#contract/analyses/data-kinds.ts';
import type { AnalysisKind } from '#contract/analyses/registry.ts';
import type { StepKind } from '#contract/analyses/steps.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { autoAlignPage } from './auto-align.tsx';
import { createMeshPage } from './create-mesh.tsx';
import { createTexturedMeshPage } from './create-textured-mesh.tsx';
import { integrityPage } from './integrity.tsx';
import type { AnalysisKindPage } from './kind-page.ts';
import { decomposeMeshComparePage, meshComparePage } from './mesh-compare.tsx';
import { reconstructionPreviewPage } from './reconstruction-preview.tsx';
import { wallThicknessPage } from './wall-thickness.tsx';

const pages = [
  createMeshPage,
  createTexturedMeshPage,
  wallThicknessPage,
  integrityPage,
  autoAlignPage,
  meshComparePage,
  decomposeMeshComparePage,
  reconstructionPreviewPage,
] as const;

/** If an analysis has no page, this line fails to compile and names it. */
const complete: { [Missing in Exclude<StepKind, (typeof pages)[number]['key']>]: never } = {};
void complete;

/** Undefined for a kind whose steps create the results. */
export const findPage = (kind: AnalysisKind): AnalysisKindPage | undefined =>
  pages.find(({ key }) => key === kind)?.page;

type Described = Pick<DataObject, 'kind' | 'metadata'>;

/** Whether an analysis of this kind creates such data objects. */
export const isResultOf = (kind: AnalysisKind, dataObject: Described): boolean =>
  findMaker(dataObject)?.key === kind;

/** The page that can show a data object, whatever created it. */
export function findResultPage({ kind, metadata }: Described): AnalysisKindPage | undefined {
  // A CAD model or reference has the same figures as a mesh.
  const maker = findMaker({ kind: kind === 'cad' ? 'mesh' : kind, metadata });
  return maker && findPage(maker.key);
}
