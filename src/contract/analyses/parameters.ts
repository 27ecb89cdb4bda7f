/** The parameters of each analysis; the compiler names a missing one. */
import type { z } from 'zod';
import { AutoAlignParameters } from './auto-align.ts';
import { CreateMeshParameters } from './create-mesh.ts';
import { CreateTexturedMeshParameters } from './create-textured-mesh.ts';
import { DecomposeMeshCompareParameters } from './decompose-mesh-compare.ts';
import { IntegrityParameters } from './integrity.ts';
import type { AnalysisKind } from './kinds.ts';
import { MeshCompareParameters } from './mesh-compare.ts';
import { PipelineParameters } from './pipeline.ts';
import { ReconstructionPreviewParameters } from './reconstruction-preview.ts';
import { WallThicknessParameters } from './wall-thickness.ts';

export const analysisParameters = {
  createMesh: CreateMeshParameters,
  createTexturedMesh: CreateTexturedMeshParameters,
  runWallThickness: WallThicknessParameters,
  runIntegrityAnalysis: IntegrityParameters,
  runAutoAlignLite: AutoAlignParameters,
  runMeshCompare: MeshCompareParameters,
  runDecomposeMeshCompare: DecomposeMeshCompareParameters,
  runPipeline: PipelineParameters,
  runReconstructionPreview: ReconstructionPreviewParameters,
} as const satisfies Record<AnalysisKind, z.ZodType>;

export type AnalysisParameters = { [Kind in AnalysisKind]: z.infer<(typeof analysisParameters)[Kind]> };
