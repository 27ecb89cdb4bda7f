import { autoAlign } from '#contract/analyses/auto-align.ts';
import { identityPose } from '#kernels/alignment/pose.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { listVersions } from './algorithms.ts';
import type { CompareWarning } from './align-work.ts';
import { implementAnalysis } from './analysis.ts';
import { jsonFile, matrixFile } from './number-files.ts';
import { partSurface } from './part-surface.ts';
import { runMeshWork } from './run-mesh-work.ts';

/** Finds the pose of the scan relative to its reference, and how certain it is. */
export const autoAlignAnalysis = implementAnalysis(autoAlign, async (parameters, inputs, context) => {
  const { initial, region } = parameters;
  const reference = await partSurface(requireReference(inputs), context, 'raw', {
    from: 0,
    to: 0.2,
    stage: 'Reference',
  });
  const scan = await partSurface(inputs.sourceDataObjectId, context, 'raw', {
    from: 0.2,
    to: 0.4,
    stage: 'Scan',
  });
  const guess =
    initial === 'principalAxes'
      ? initial
      : { matrix: initial === 'matrix' && parameters.matrix ? parameters.matrix : identityPose() };
  const { alignment, warnings } = await runMeshWork(
    'alignSurfaces',
    { mesh: scan.mesh, grid: scan.grid, reference, region, guess },
    context.signal,
    0,
    (fraction, stage) => context.progress(0.4 + 0.58 * fraction, stage),
    context.pool,
  );
  const metadata = { ...alignment, initial, deflectionMm: reference.deflectionMm ?? null };
  return {
    dataObjects: [
      {
        kind: autoAlign.makes,
        name: 'Alignment',
        metadata,
        files: [jsonFile('alignment.json', metadata), matrixFile('alignment.csv', alignment.matrix)],
      },
    ],
    warnings: warnings.map((warning) => ({ ...warning, measures: measuresAbout(warning, autoAlign) })),
    algorithms: listVersions('alignment', ...reference.algorithms, ...scan.algorithms),
  };
});

/** Which measures a warning about pose or surfaces concerns; another pose would change all of them. */
export const measuresAbout = <Path extends string>(
  { code }: CompareWarning,
  { measures }: { measures: readonly { path: Path }[] },
): Path[] => (code === 'POSE_AMBIGUOUS' ? measures.map(({ path }) => path) : []);

/** @throws KernelError BAD_INPUT when it is missing; callers resolve it before */
export function requireReference({ referenceDataObjectId }: { referenceDataObjectId?: string }): string {
  if (referenceDataObjectId !== undefined) return referenceDataObjectId;
  throw new KernelError('BAD_INPUT', 'There is no reference to compare the scan with.');
}
