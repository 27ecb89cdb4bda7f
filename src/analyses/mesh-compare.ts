import type { z } from 'zod';
import { decomposeMeshCompare } from '#contract/analyses/decompose-mesh-compare.ts';
import { meshCompare } from '#contract/analyses/mesh-compare.ts';
import { chooseTitle } from '#contract/analyses/titles.ts';
import { identityPose } from '#kernels/alignment/pose.ts';
import type { SurfaceErrors } from '#kernels/compare/deviation-errors.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { listVersions } from './algorithms.ts';
import type { CompareWarning } from './align-work.ts';
import { type AnalysisContext, type AnalysisInputs, implementAnalysis, type ResultFile } from './analysis.ts';
import { measuresAbout, requireReference } from './auto-align.ts';
import type { GroupBy } from './compare-groups.ts';
import { explainVerdict, selfComparison, type VerdictReason } from './compare-verdict.ts';
import type { CompareOutput } from './compare-work.ts';
import { histogramFile, jsonFile, tableFile } from './number-files.ts';
import { type PartSurface, partSurface } from './part-surface.ts';
import { summarizePlaces } from './place-uncertainties.ts';
import { runMeshWork } from './run-mesh-work.ts';
import { listShifts, meanEdge, noisePatch } from './surface-interval.ts';
import { surfaceWarnings } from './volume-surface.ts';

/**
 * Groups and regions beyond this number are in the files only, the least important ones; their total count is reported.
 */
const listed = 200;
/** Uncertainty of ISO 50 on an ordinary scan, as a share of the voxel edge. */
const surfaceUncertainty = 0.1;

type CompareParameters = z.infer<typeof meshCompare.parameters>;

/** Measures a scan's deviation from its reference at each vertex and judges the part by its tolerance. */
export const meshCompareAnalysis = implementAnalysis(meshCompare, async (parameters, inputs, context) => {
  const compared = await compare(parameters, undefined, inputs, context);
  const { metadata, files, warnings, doubts, algorithms } = compared;
  const { measures } = meshCompare;
  return {
    dataObjects: [
      { kind: meshCompare.makes, name: chooseTitle(meshCompare, inputs.referenceKind), metadata, files },
    ],
    warnings: [
      ...surfaceWarnings(doubts, ...measures.map(({ path }) => path)),
      ...describeWarnings(warnings, metadata.verdictReason, measures),
    ],
    algorithms,
  };
});

/** The same comparison, group by group of the reference. */
export const decomposeMeshCompareAnalysis = implementAnalysis(
  decomposeMeshCompare,
  async (parameters, inputs, context) => {
    const { groupBy } = parameters;
    const compared = await compare(parameters, groupBy, inputs, context);
    const { files, warnings, doubts, algorithms } = compared;
    const metadata = { ...compared.metadata, groupBy, groupCount: compared.groupCount };
    const { makes, title, measures } = decomposeMeshCompare;
    return {
      dataObjects: [{ kind: makes, name: title, metadata, files }],
      warnings: [
        ...surfaceWarnings(doubts, ...measures.map(({ path }) => path)),
        ...describeWarnings(warnings, metadata.verdictReason, measures),
      ],
      algorithms,
    };
  },
);

/** Reasons for an indeterminate verdict that leave the numbers uncertain, too. */
const openPose: readonly VerdictReason['code'][] = ['POSE_AMBIGUOUS', 'POSE_OF_CUT_SCAN', 'SELF_COMPARISON'];
const openParts: readonly VerdictReason['code'][] = ['NOT_FOUND', 'NOT_SCANNED'];
/** Measures whose value already states how much of the part was not found or scanned. */
const coverage = ['coveredShare', 'measuredShare', 'unmeasuredGroupCount'];

/** A gate on a number of a comparison is no more certain than the comparison itself. */
function describeWarnings<Path extends string>(
  warnings: readonly CompareWarning[],
  { code, message }: VerdictReason,
  measures: readonly { path: Path }[],
) {
  const described = warnings.map((warning) => ({
    ...warning,
    measures: measuresAbout(warning, { measures }),
    ...(warning.code === code ? { invalidates: true } : {}),
  }));
  const paths = measures.map(({ path }) => path);
  const open = openPose.includes(code)
    ? paths
    : openParts.includes(code)
      ? paths.filter((path) => !coverage.includes(path))
      : [];
  if (open.length === 0 || described.some(({ invalidates }) => invalidates)) return described;
  return [...described, { code: 'COMPARISON_OPEN' as const, message, measures: open, invalidates: true }];
}

/** Required deflection of a CAD model's triangulation: a tenth of the narrower side of the tolerance. */
export function deflectionFor({ lowerMm, upperMm }: { lowerMm: number; upperMm: number }): number {
  const sides = [Math.abs(lowerMm), Math.abs(upperMm), (upperMm - lowerMm) / 2].filter((side) => side > 0);
  return Math.min(...sides) / 10;
}

/** On an unreliable scan, a deviation still counts as real if it exceeds the tolerance by more than this many voxels. */
const doubtfulVoxels = 2;

/** How far the worst place is beyond the tolerance; infinite for a place without counterpart. */
const findBeyond = (
  places: readonly { worstMm: number | null }[],
  { lowerMm, upperMm }: CompareParameters['tolerance'],
) =>
  places.reduce(
    (most, { worstMm }) => (worstMm === null ? most : Math.max(most, lowerMm - worstMm, worstMm - upperMm)),
    0,
  );

/** Combined uncertainty of both surfaces, in mm. */
const findUncertainty = (scan: PartSurface, reference: PartSurface): number =>
  Math.hypot(
    surfaceUncertainty * (scan.voxelMm ?? 0),
    surfaceUncertainty * (reference.voxelMm ?? 0),
    scan.deflectionMm ?? 0,
    reference.deflectionMm ?? 0,
  );

/**
 * Uncertainties of the scan's surface, and of the reference if it is a scan too; null when either is unknown. The
 * triangles of a CAD model may all be off to the same side.
 */
function listErrors(scan: PartSurface, reference: PartSurface): SurfaceErrors | null {
  if (!scan.errors || !scan.grid || (reference.grid && !reference.errors)) return null;
  const { voxelSizeMm } = scan.grid;
  const { level, grid, curvature } = listShifts(scan.errors, voxelSizeMm);
  const other =
    reference.errors && reference.grid ? listShifts(reference.errors, reference.grid.voxelSizeMm) : null;
  const ofReference = other
    ? Math.hypot(other.level, other.grid, other.curvature)
    : (reference.deflectionMm ?? 0) / Math.sqrt(3);
  const voxelMm = meanEdge(voxelSizeMm);
  return {
    shiftsMm: { level, grid, curvature, ...(ofReference > 0 ? { reference: ofReference } : {}) },
    noiseMm: scan.errors.surface.noise * voxelMm,
    patchMm2: noisePatch * voxelMm ** 2,
    placesMm: scan.errors.placesMm,
    referenceMm: reference.errors ? (summarizePlaces(reference.errors.placesMm).medianMm ?? 0) / 2 : 0,
    edgeMm: voxelMm * Math.sqrt(scan.errors.surface.edgeVariance),
    voxelMm,
  };
}

/** A listed place: fails for certain, or is indeterminate. */
function describePlace({ worstVertex: _vertex, isSure, ...place }: CompareOutput['places'][number]) {
  return { ...place, verdict: isSure ? ('fail' as const) : ('indeterminate' as const) };
}

async function compare(
  parameters: CompareParameters,
  groupBy: GroupBy | undefined,
  inputs: AnalysisInputs,
  context: AnalysisContext,
) {
  const { tolerance, maxDistanceMm, region, alignment } = parameters;
  const { signal } = context;
  const reference = await partSurface(
    requireReference(inputs),
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
  const given = alignment === 'matrix' && parameters.matrix ? parameters.matrix : identityPose();
  const result = await runMeshWork(
    'compareSurfaces',
    {
      mesh: scan.mesh,
      grid: scan.grid,
      voxelMm: scan.voxelMm,
      reference,
      region,
      alignment: alignment === 'autoAlign' ? alignment : { matrices: [given] },
      tolerance,
      guardBandMm: parameters.guardBandMm ?? null,
      usualBandMm: findUncertainty(scan, reference),
      errors: listErrors(scan, reference),
      maxDistanceMm,
      groupBy,
    },
    signal,
    0,
    (fraction, stage) => context.progress(0.4 + 0.5 * fraction, stage),
    context.pool,
  );
  context.progress(0.92, 'Writing');
  const { statistics, mesh, missing, unmeasuredGroups, warnings, guardBandMm, placesMm } = result;
  const places = result.places.map(describePlace);
  const limits = { tolerance, guardBandMm, maxDistanceMm };
  const isSelfCheck = inputs.isSelfCheck ?? false;
  const doubts = [...scan.doubts, ...reference.doubts];
  const doubt = [...context.doubts, ...doubts].find(({ invalidates }) => invalidates);
  const slackMm = doubtfulVoxels * (scan.voxelMm ?? reference.voxelMm ?? 0);
  const judge = (verdict: CompareOutput['verdict'], beyondMm: number) => {
    if (isSelfCheck) return null;
    return doubt && beyondMm <= slackMm ? 'indeterminate' : verdict;
  };
  const groups = result.groups.map((group) => ({
    ...group,
    verdict: judge(group.verdict, group.beyondToleranceMm),
  }));
  const verdict = judge(result.verdict, findBeyond(places, tolerance));
  const isDoubtful = doubt && verdict === 'indeterminate' && result.verdict !== 'indeterminate';
  const metadata = {
    // Missing parts have no place on the scan, so the worst value covers both directions.
    ...withFurthest(statistics, places),
    fromReference:
      result.backward &&
      withFurthest(
        result.backward,
        places.filter(({ side }) => side === 'reference'),
      ),
    verdict,
    verdictReason: isSelfCheck
      ? selfComparison
      : isDoubtful
        ? { code: 'SCAN_QUALITY' as const, message: doubt.message }
        : explainVerdict(result, {
            ...limits,
            isOwnBand: placesMm !== null && parameters.guardBandMm === undefined,
          }),
    ...limits,
    ...(placesMm ? { placeUncertainty: summarizePlaces(placesMm) } : {}),
    uncertainties: result.uncertainties,
    measuredShare: result.measuredShare,
    coveredShare: result.coveredShare,
    foundShare: result.foundShare,
    notFoundAreaMm2: result.notFoundAreaMm2,
    notScannedAreaMm2: result.notScannedAreaMm2,
    poresLeftOut: result.pores,
    alignment: describeAlignment(alignment, result),
    regionCount: places.length,
    regions: places.slice(0, listed),
    groups: groups.slice(0, listed),
    unmeasuredGroupCount: unmeasuredGroups.length,
    unmeasuredGroups: unmeasuredGroups.slice(0, listed),
    vertices: mesh.positions.length / 3,
    triangles: mesh.indices.length / 3,
    isoValue: scan.isoValue,
    deflectionMm: reference.deflectionMm ?? null,
  };
  const write = (surface: TriangleMesh, baseName: string) =>
    runMeshWork('writeFiles', { mesh: surface, baseName, formats: [] }, signal);
  const files: ResultFile[] = [
    ...(await write(mesh, 'deviation')),
    ...(missing ? await write(missing, 'missing') : []),
    jsonFile('deviation.json', {
      ...metadata,
      ...(groupBy ? { groupBy } : {}),
      regions: places,
      groups,
      unmeasuredGroups,
    }),
    ...listTables({ statistics, places, groups }, groupBy),
  ];
  const algorithms = listVersions(
    'deviation',
    ...(alignment === 'autoAlign' ? (['alignment'] as const) : []),
    ...(groupBy ? (['referenceGroups'] as const) : []),
    ...reference.algorithms,
    ...scan.algorithms,
  );
  return { metadata, groupCount: groups.length, files, warnings, doubts, algorithms };
}

/** Beyond the search distance there is no value for the statistics, but the worst deviation is reported in full. */
function withFurthest(
  statistics: CompareOutput['statistics'],
  places: readonly { worstMm: number | null }[],
) {
  const worst = places.flatMap(({ worstMm }) => worstMm ?? []);
  const { minMm, maxMm } = statistics;
  return { ...statistics, minMm: Math.min(minMm, ...worst), maxMm: Math.max(maxMm, ...worst) };
}

function describeAlignment(
  mode: CompareParameters['alignment'],
  { alignment, matrix, isPoseAmbiguous }: CompareOutput,
) {
  if (!alignment) return { mode, matrix };
  const { alternatives: _alternatives, ...found } = alignment;
  return { mode, ...found, ambiguous: isPoseAmbiguous };
}

const percentiles = ['p1', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;

type Group = Omit<CompareOutput['groups'][number], 'verdict'> & { verdict: CompareOutput['verdict'] | null };

function listTables(
  {
    statistics,
    places,
    groups,
  }: Pick<CompareOutput, 'statistics'> & { places: ReturnType<typeof describePlace>[]; groups: Group[] },
  groupBy: GroupBy | undefined,
) {
  const tables = [
    histogramFile(statistics.histogram),
    tableFile(
      'regions.csv',
      ['side', 'verdict', 'areaMm2', 'notFoundAreaMm2', 'worstMm', 'uncertaintyMm', 'xMm', 'yMm', 'zMm'],
      places.map(({ areaMm2: area, worstMm, worstPointMm, ...place }) => [
        ...[place.side, place.verdict, area, place.notFoundAreaMm2, worstMm ?? '', place.uncertaintyMm ?? ''],
        ...worstPointMm,
      ]),
    ),
  ];
  if (!groupBy) return tables;
  const heading = [
    ...['key', 'name', 'verdict', 'beyondToleranceMm', 'inToleranceShare', 'coveredShare'],
    ...['count', 'areaMm2'],
  ];
  const lengths = ['meanMm', 'sdMm', 'rmsMm', 'minMm', 'maxMm'] as const;
  const uncertain = [...lengths, 'inToleranceShare'] as const;
  const rows = groups.map((group) => [
    ...[group.key, group.name, group.verdict ?? '', group.beyondToleranceMm, group.inToleranceShare],
    ...[group.coveredShare, group.count, group.areaMm2, ...lengths.map((name) => group[name])],
    ...percentiles.map((name) => group.percentilesMm[name]),
    ...uncertain.map((name) => group.uncertainties?.[name]?.expanded ?? ''),
    ...group.worstPointMm,
  ]);
  const expanded = uncertain.map((name) => `${name}Uncertainty`);
  const columns = [...heading, ...lengths, ...percentiles.map((name) => `${name}Mm`), ...expanded];
  return [...tables, tableFile('groups.csv', [...columns, 'worstXMm', 'worstYMm', 'worstZMm'], rows)];
}
