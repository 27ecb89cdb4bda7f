import { z } from 'zod';
import { Matrix4 } from '../metadata/statistics.ts';
import { declareAnalysis } from './declaration.ts';
import { choice, matrixFor, reference, sourceAndRegion } from './shared-parameters.ts';

const FirstGuess = choice({
  principalAxes: 'Principal axes',
  none: 'Current position',
  matrix: 'Matrix',
});

const Parameters = z
  .strictObject({
    ...sourceAndRegion,
    referenceDataObjectId: reference('align to'),
    initial: FirstGuess.default('principalAxes').meta({
      title: 'First guess',
      description:
        'Principal axes: from any position. Current position: the scan is almost aligned already. Or your own matrix',
    }),
    matrix: matrixFor('initial'),
  })
  .refine((given) => given.initial !== 'matrix' || given.matrix !== undefined, {
    path: ['matrix'],
    message: 'the first guess “matrix” needs a matrix',
  })
  .meta({ id: 'AutoAlignParameters' });

/** An alignment result and its quality. */
export const foundPose = {
  matrix: Matrix4.meta({ description: 'transformation scan → reference' }),
  rmsMm: z.number().meta({ description: 'RMS distance of the matched points to the reference' }),
  inlierShare: z.number().meta({ description: 'share of the scan’s points that match the reference (0–1)' }),
  iterations: z.int(),
  ambiguous: z.boolean().meta({ description: 'true: the part fits equally well in other poses' }),
  scale: z.number().meta({ description: 'factor by which the scan would fit best; not applied' }),
};

export const autoAlign = declareAnalysis({
  key: 'runAutoAlignLite',
  statusKey: 'autoAlignLite',
  title: 'Auto-alignment',
  purpose: 'Where the scan lies in the coordinates of a CAD model or another scan',
  help: 'Aligns the scan with its reference by the principal axes of both and, for nearly symmetric parts, by the small features that tell the sides apart; then refines the fit. Refuses a mirrored part or one of another size.',
  module: { key: 'alignment', name: 'Alignment' },
  stepKey: 'align',
  parameters: Parameters,
  needs: { source: ['volume', 'mesh'], reference: ['cad', 'mesh', 'volume'] },
  restsOn: 'pose',
  makes: 'alignment',
  surface: null,
  result: z.object({
    ...foundPose,
    alternatives: z
      .array(z.object({ matrix: Matrix4, rmsMm: z.number(), inlierShare: z.number() }))
      .optional()
      .meta({
        description:
          'other poses that fit nearly as well, best first: a part that is symmetric except for small features has some',
      }),
    initial: FirstGuess,
    deflectionMm: z.number().nullable().meta({
      description:
        'upper bound of the distance between the reference’s triangles and its CAD surface; null without CAD',
    }),
  }),
  measures: [
    {
      path: 'rmsMm',
      label: 'RMS distance',
      quantity: 'length',
      better: 'lower',
      help: 'Root mean square of the distances to the reference, over the points of the scan that fit.',
    },
    {
      path: 'inlierShare',
      label: 'Scan matched',
      quantity: 'share',
      better: 'higher',
      help: 'Share of the scan’s points whose distance to the reference is within three times their own spread. The others, such as worn regions, do not affect the pose. Well below 70 %, check the pose.',
    },
    {
      path: 'scale',
      label: 'Best scale',
      quantity: 'ratio',
      better: 'none',
      help: 'Factor by which the scan would have to be scaled to fit best. It is not applied; if it is not close to 1, the voxel size is probably wrong.',
    },
  ],
  scalars: [],
  pose: 'matrix',
});
