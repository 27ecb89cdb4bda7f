import type { MeshCompareParameters } from '#contract/analyses/mesh-compare.ts';
import { identityPose } from '#kernels/alignment/pose.ts';
import { versionsOf } from './algorithms.ts';
import type { Analysis, AnalysisContext, AnalysisInputs, AnalysisResult } from './analysis.ts';
import { referenceOf } from './auto-align.ts';
import type { CompareOutput, GroupBy } from './compare-work.ts';
import { jsonFile, tableFile } from './number-files.ts';
import { type PartSurface, partSurface } from './part-surface.ts';
import { runMeshWork } from './run-mesh-work.ts';

/** Groups and regions beyond this many are in the files alone, the least important left out; their number is kept. */
const listed = 200;
/** Of a voxel's edge: how far ISO 50 may be off on an ordinary scan. */
const surfaceUncertainty = 0.1;
/** A patch beyond the tolerance that is smaller than so many voxel faces is noise. */
const smallestPatchVoxels = 4;

/** A scan's deviation from its reference at each vertex, and whether the part is as it should be. */
export const runMeshCompare: Analysis<'runMeshCompare'> = (parameters, inputs, context) =>
  compare(parameters, undefined, inputs, context);

/** The same, part by part of the reference. */
export const runDecomposeMeshCompare: Analysis<'runDecomposeMeshCompare'> = (parameters, inputs, context) =>
  compare(parameters, parameters.groupBy, inputs, context);

/** The finest that the tolerance asks of a CAD model's triangles: a tenth of its narrower side. */
export function deflectionFor({ lowerMm, upperMm }: { lowerMm: number; upperMm: number }): number {
  const sides = [Math.abs(lowerMm), Math.abs(upperMm), (upperMm - lowerMm) / 2].filter((side) => side > 0);
  return Math.min(...sides) / 10;
}

/** What is not known of where the surfaces lie, in mm. */
const uncertaintyOf = (scan: PartSurface, reference: PartSurface): number =>
  Math.hypot(
    surfaceUncertainty * (scan.voxelMm ?? 0),
    surfaceUncertainty * (reference.voxelMm ?? 0),
    scan.deflectionMm ?? 0,
    reference.deflectionMm ?? 0,
  );

async function compare(
  parameters: MeshCompareParameters,
  groupBy: GroupBy | undefined,
  inputs: AnalysisInputs,
  context: AnalysisContext,
): Promise<AnalysisResult> {
  const { tolerance, maxDistanceMm, region, alignment } = parameters;
  const { signal } = context;
  const reference = await partSurface(
    referenceOf(inputs),
    context,
    'faired',
    { from: 0, to: 0.2, stage: 'Reference' },
    deflectionFor(tolerance),
  );
  const scan = await partSurface(inputs.sourceDataObjectId, context, 'faired', {
    from: 0.2,
    to: 0.4,
    stage: 'Scan',
  });
  const guardBandMm = parameters.guardBandMm ?? uncertaintyOf(scan, reference);
  const given = alignment === 'matrix' && parameters.matrix ? parameters.matrix : identityPose();
  const result = await runMeshWork(
    'compareSurfaces',
    {
      mesh: scan.mesh,
      isCoarse: scan.voxelMm === null,
      reference,
      region,
      alignment: alignment === 'autoAlign' ? alignment : { matrix: given },
      tolerance,
      guardBandMm,
      smallestAreaMm2: smallestPatchVoxels * (scan.voxelMm ?? 0) ** 2,
      maxDistanceMm,
      groupBy,
    },
    signal,
    0,
    (fraction, stage) => context.progress(0.4 + 0.5 * fraction, stage),
    context.pool,
  );
  context.progress(0.92, 'Writing');
  const { statistics, mesh, patches, groups, unmeasuredGroups, warnings } = result;
  const metadata = {
    ...statistics,
    verdict: result.verdict,
    tolerance,
    guardBandMm,
    maxDistanceMm,
    measuredShare: result.measuredShare,
    coveredShare: result.coveredShare,
    poresLeftOut: result.pores,
    alignment: alignmentOf(alignment, result),
    regionCount: patches.length,
    regions: patches.slice(0, listed),
    ...(groupBy ? { groupBy, groupCount: groups.length } : {}),
    groups: groups.slice(0, listed),
    unmeasuredGroupCount: unmeasuredGroups.length,
    unmeasuredGroups: unmeasuredGroups.slice(0, listed),
    vertices: mesh.positions.length / 3,
    triangles: mesh.indices.length / 3,
    isoValue: scan.isoValue,
    deflectionMm: reference.deflectionMm ?? null,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  const tables = tablesOf(result, groupBy);
  const files = await runMeshWork('writeFiles', { mesh, baseName: 'deviation', formats: [] }, signal);
  return {
    dataObjects: [
      {
        kind: 'meshCompare',
        name: groupBy ? 'Decomposed comparison' : 'CAD comparison',
        metadata,
        files: [
          ...files,
          jsonFile('deviation.json', { ...metadata, regions: patches, groups, unmeasuredGroups }),
          ...tables,
        ],
      },
    ],
    algorithms: versionsOf(
      'deviation',
      ...(alignment === 'autoAlign' ? (['alignment'] as const) : []),
      ...(groupBy ? (['referenceGroups'] as const) : []),
      ...reference.algorithms,
      ...scan.algorithms,
    ),
  };
}

function alignmentOf(mode: MeshCompareParameters['alignment'], { alignment, matrix }: CompareOutput) {
  return { mode, ...(alignment ?? { matrix }) };
}

const percentiles = ['p1', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;

function tablesOf({ statistics, patches, groups }: CompareOutput, groupBy: GroupBy | undefined) {
  const { edgesMm, areaMm2 } = statistics.histogram;
  const tables = [
    tableFile(
      'histogram.csv',
      ['fromMm', 'toMm', 'areaMm2'],
      areaMm2.map((area, i) => [edgesMm[i], edgesMm[i + 1], area]),
    ),
    tableFile(
      'regions.csv',
      ['areaMm2', 'worstMm', 'xMm', 'yMm', 'zMm'],
      patches.map(({ areaMm2: area, worstMm, worstPointMm }) => [area, worstMm, ...worstPointMm]),
    ),
  ];
  if (!groupBy) return tables;
  const heading = ['key', 'name', 'verdict', 'beyondToleranceMm', 'inToleranceShare', 'count', 'areaMm2'];
  const lengths = ['meanMm', 'sdMm', 'rmsMm', 'minMm', 'maxMm'] as const;
  const rows = groups.map((group) => [
    ...[group.key, group.name, group.verdict, group.beyondToleranceMm, group.inToleranceShare],
    ...[group.count, group.areaMm2, ...lengths.map((name) => group[name])],
    ...percentiles.map((name) => group.percentilesMm[name]),
    ...group.worstPointMm,
  ]);
  const columns = [...heading, ...lengths, ...percentiles.map((name) => `${name}Mm`)];
  return [...tables, tableFile('groups.csv', [...columns, 'worstXMm', 'worstYMm', 'worstZMm'], rows)];
}
