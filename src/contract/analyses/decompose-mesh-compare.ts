import { z } from 'zod';
import { declareAnalysis } from './declaration.ts';
import {
  CompareResult,
  comparedWith,
  compareParameters,
  deviationMeasures,
  deviationPlaces,
  deviationScalar,
  deviationUncertaintyScalar,
  findDeviationPlace,
  matrixIsMissing,
  meshCompare,
  needsMatrix,
  readDeviation,
} from './mesh-compare.ts';
import { comparison } from './modules.ts';
import { choice } from './shared-parameters.ts';

export const groupings = { component: 'Component', cadFace: 'CAD face', region: 'Region' } as const;
const GroupBy = choice(groupings);

export const decomposeMeshCompare = declareAnalysis({
  key: 'runDecomposeMeshCompare',
  statusKey: 'decomposeMeshCompare',
  title: 'Decomposed comparison',
  purpose: 'Deviation and verdict for each component, CAD face or smooth region',
  help: 'Compares with a CAD model part by part: each component, CAD face or smooth region gets its own figures and verdict, the worst first.',
  module: comparison,
  stepKey: 'parts',
  parameters: z
    .strictObject({
      ...compareParameters,
      groupBy: GroupBy.default('component').meta({
        title: 'Group by',
        description:
          'of the reference: bodies that do not touch, faces of the CAD model, or smooth regions between sharp edges',
      }),
    })
    .refine(needsMatrix, matrixIsMissing)
    .meta({ id: 'DecomposeMeshCompareParameters' }),
  needs: comparedWith,
  refusesReference: ({ groupBy }, { metadata }) =>
    groupBy === 'cadFace' && !('faces' in metadata)
      ? { field: 'groupBy', reason: 'needs a reference with CAD faces, such as a STEP or IGES file' }
      : null,
  restsOn: 'deviation',
  makes: meshCompare.makes,
  surface: 'part',
  result: CompareResult.extend({ groupBy: GroupBy, groupCount: z.int() }),
  places: deviationPlaces,
  mark: 'groupBy',
  measures: [
    ...deviationMeasures,
    { path: 'groupCount', label: 'Groups', quantity: 'count', better: 'none' },
    { path: 'unmeasuredGroupCount', label: 'Groups not measured', quantity: 'count', better: 'lower' },
  ],
  scalars: [deviationScalar, deviationUncertaintyScalar],
  heldIn: 'alignment.matrix',
  verdict: 'verdict',
  judgedTolerance: readDeviation,
  findPlace: findDeviationPlace,
});
