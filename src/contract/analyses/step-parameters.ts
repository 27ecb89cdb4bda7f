/** The parameters of each analysis that can be a step; the compiler names a missing one. */
import type { z } from 'zod';
import { AutoAlignParameters } from './auto-align.ts';
import { CreateMeshParameters } from './create-mesh.ts';
import { CreateTexturedMeshParameters } from './create-textured-mesh.ts';
import { DecomposeMeshCompareParameters } from './decompose-mesh-compare.ts';
import { IntegrityParameters } from './integrity.ts';
import type { AnalysisKind } from './kinds.ts';
import { MeshCompareParameters } from './mesh-compare.ts';
import { ReconstructionPreviewParameters } from './reconstruction-preview.ts';
import { WallThicknessParameters } from './wall-thickness.ts';

export type StepKind = Exclude<AnalysisKind, 'runPipeline'>;

export const stepParameters = {
  createMesh: CreateMeshParameters,
  createTexturedMesh: CreateTexturedMeshParameters,
  runWallThickness: WallThicknessParameters,
  runIntegrityAnalysis: IntegrityParameters,
  runAutoAlignLite: AutoAlignParameters,
  runMeshCompare: MeshCompareParameters,
  runDecomposeMeshCompare: DecomposeMeshCompareParameters,
  runReconstructionPreview: ReconstructionPreviewParameters,
} as const satisfies Record<StepKind, z.ZodType>;
