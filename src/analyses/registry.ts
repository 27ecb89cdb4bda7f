import type { AnalysisKind } from '#contract/analyses/kinds.ts';
import { analysisParameters } from '#contract/analyses/parameters.ts';
import type { Analysis, AnalysisContext, AnalysisInputs, AnalysisResult } from './analysis.ts';
import { runAutoAlignLite } from './auto-align.ts';
import { createMesh } from './create-mesh.ts';
import { createTexturedMesh } from './create-textured-mesh.ts';
import { runIntegrityAnalysis } from './integrity.ts';
import { runDecomposeMeshCompare, runMeshCompare } from './mesh-compare.ts';
import { runReconstructionPreview } from './reconstruction-preview.ts';
import { runWallThickness } from './wall-thickness.ts';

/** Every analysis that can be run, by its kind. */
export const registry = {
  createMesh,
  createTexturedMesh,
  runWallThickness,
  runIntegrityAnalysis,
  runAutoAlignLite,
  runMeshCompare,
  runDecomposeMeshCompare,
  runReconstructionPreview,
} satisfies { [Kind in AnalysisKind]?: Analysis<Kind> };

export type RunnableKind = keyof typeof registry;

export const isRunnable = (kind: string): kind is RunnableKind => Object.hasOwn(registry, kind);

/**
 * Runs an analysis with parameters as they came over the wire; defaults are filled in by the contract.
 * @throws ZodError for parameters that the contract refuses, KernelError for what can't be computed, and whatever the
 *   signal was aborted with
 */
export function runAnalysis(
  kind: RunnableKind,
  parameters: unknown,
  inputs: AnalysisInputs,
  context: AnalysisContext,
): Promise<AnalysisResult> {
  const run = registry[kind] as Analysis<RunnableKind>;
  return run(analysisParameters[kind].parse(parameters), inputs, context);
}
