import { getStep, type StepKind, type StepOf } from '#contract/analyses/steps.ts';
import type { Analysis, AnalysisContext, AnalysisInputs, AnalysisResult } from './analysis.ts';
import { autoAlignAnalysis } from './auto-align.ts';
import { createMeshAnalysis } from './create-mesh.ts';
import { createTexturedMeshAnalysis } from './create-textured-mesh.ts';
import { integrityAnalysis } from './integrity.ts';
import { decomposeMeshCompareAnalysis, meshCompareAnalysis } from './mesh-compare.ts';
import { reconstructionPreviewAnalysis } from './reconstruction-preview.ts';
import { wallThicknessAnalysis } from './wall-thickness.ts';

const implemented = [
  createMeshAnalysis,
  createTexturedMeshAnalysis,
  wallThicknessAnalysis,
  integrityAnalysis,
  autoAlignAnalysis,
  meshCompareAnalysis,
  decomposeMeshCompareAnalysis,
  reconstructionPreviewAnalysis,
] as const;

/** An analysis that is declared and not in the list is an error here, which names it. */
const complete: { [Missing in Exclude<StepKind, (typeof implemented)[number]['key']>]: never } = {};
void complete;

/**
 * Runs an analysis with parameters as they came over the wire; defaults are filled in by the contract.
 * @throws ZodError for parameters that the contract refuses, KernelError for what can't be computed, and whatever the
 *   signal was aborted with
 */
export function runAnalysis<Kind extends StepKind>(
  kind: Kind,
  parameters: unknown,
  inputs: AnalysisInputs,
  context: AnalysisContext,
): Promise<AnalysisResult<StepOf<Kind>>> {
  const { run } = implemented.find(({ key }) => key === kind) as unknown as Analysis<StepOf<Kind>>;
  return run(getStep(kind).parameters.parse(parameters) as never, inputs, context);
}
