import { identityPose } from '#kernels/alignment/pose.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { versionsOf } from './algorithms.ts';
import type { Analysis } from './analysis.ts';
import { jsonFile, tableFile } from './number-files.ts';
import { partSurface } from './part-surface.ts';
import { runMeshWork } from './run-mesh-work.ts';

/** Where the scan lies on its reference: a turn and a shift, and how sure that is. */
export const runAutoAlignLite: Analysis<'runAutoAlignLite'> = async (parameters, inputs, context) => {
  const { initial, region } = parameters;
  const reference = await partSurface(referenceOf(inputs), context, 'raw', {
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
    { mesh: scan.mesh, isCoarse: scan.voxelMm === null, reference, region, guess },
    context.signal,
    0,
    (fraction, stage) => context.progress(0.4 + 0.58 * fraction, stage),
  );
  const metadata = {
    ...alignment,
    initial,
    deflectionMm: reference.deflectionMm ?? null,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  return {
    dataObjects: [
      {
        kind: 'alignment',
        name: 'Alignment',
        metadata,
        files: [
          jsonFile('alignment.json', metadata),
          tableFile(
            'alignment.csv',
            ['m0', 'm1', 'm2', 'm3'],
            [0, 4, 8, 12].map((row) => alignment.matrix.slice(row, row + 4)),
          ),
        ],
      },
    ],
    algorithms: versionsOf('alignment', ...reference.algorithms, ...scan.algorithms),
  };
};

/** @throws KernelError BAD_INPUT: the caller resolves it before */
export function referenceOf({ referenceDataObjectId }: { referenceDataObjectId?: string }): string {
  if (referenceDataObjectId !== undefined) return referenceDataObjectId;
  throw new KernelError('BAD_INPUT', 'There is no reference to hold the scan against.');
}
