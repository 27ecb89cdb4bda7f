/** The parameters of each analysis; the compiler names a missing one. */
import type { z } from 'zod';
import type { AnalysisKind } from './kinds.ts';
import { PipelineParameters } from './pipeline.ts';
import { stepParameters } from './step-parameters.ts';

export const analysisParameters = {
  ...stepParameters,
  runPipeline: PipelineParameters,
} as const satisfies Record<AnalysisKind, z.ZodType>;

export type AnalysisParameters = { [Kind in AnalysisKind]: z.infer<(typeof analysisParameters)[Kind]> };
