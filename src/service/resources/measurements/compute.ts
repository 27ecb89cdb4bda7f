/** Computes the result of a measurement from its points; nothing else writes results. */

import { findCurveShift, findInward, findUnknownShift } from '#contract/analyses/scan-findings.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import {
  type FittedFeature,
  type Measurement,
  type MeasurementKind,
  type MeasurementResult,
  measurementVersion,
  type relationKinds,
} from '#contract/shapes/measurement.ts';
import { fitFeature } from '#kernels/features/fit-feature.ts';
import {
  estimateFeatureUncertainty,
  explainRefusal,
  isFeatureKind,
  type Measured,
  measurePoints,
  measureRelation,
  type RelatedFeature,
} from '#kernels/features/measure.ts';
import { estimatePointUncertainty, type PointUncertainty } from '#kernels/features/point-uncertainty.ts';
import { type DataObjectRow, narrowRow } from '#storage/db/schema-data.ts';
import { invalidField } from '../../http/problem.ts';

export interface MeasuredPoints {
  kind: MeasurementKind;
  points: Measurement['points'];
  placement: Measurement['placement'];
  /** data object that the points belong to */
  dataObject: DataObjectRow;
  surfaceName: string | null;
}

type RelationKind = (typeof relationKinds)[number];

/** Points of a scan that shifts faces by an unknown amount. */
const unlimited: PointUncertainty = {
  randomMm: Infinity,
  systematicMm: Infinity,
  grid: null,
  roundingMm2: 0,
  method: 'quality',
};

/** Uncertainty of a single point; null when only the scatter of the points shows it. */
function readPointUncertainty({ dataObject, placement }: MeasuredPoints): PointUncertainty | null {
  const volume = narrowRow(dataObject, 'volume');
  if (!volume || placement === 'free') return null;
  const { voxelSizeMm, originMm, directions, quality } = volume.metadata;
  const frame = { voxelSizeMm, originMm, directions, placement };
  if (!quality) return estimatePointUncertainty({ ...frame, quality: null });
  if (findUnknownShift(quality)) return unlimited;
  return estimatePointUncertainty({
    ...frame,
    quality: {
      ...quality,
      inwardVoxels: findInward(quality) ?? 0,
      curveShift: findCurveShift(quality),
      areRingsRemoved: quality.viewDoubts?.includes('RINGS_REMOVED') ?? false,
    },
  });
}

/** @throws Problem VALIDATION_FAILED naming `points` when they don't determine the value */
export function computeResult(measured: MeasuredPoints): MeasurementResult {
  const { kind, points } = measured;
  const uncertainty = readPointUncertainty(measured);
  const found = refusing('points', () =>
    measurePoints(kind as Exclude<MeasurementKind, RelationKind>, points, uncertainty),
  );
  const fitted = found.fit && `Least squares of the distances of ${points.length} points from the ${kind}. `;
  const read = {
    distance: 'Between two points. ',
    angle: 'Between the lines from the second point to the others. ',
    area: 'Of the polygon, along its mean normal. ',
    wall: 'Along a ray, from where it enters the part to where it leaves it. ',
    profile: 'Length of the line that grey values were read along. ',
  }[kind as string];
  return describeResult(
    measured,
    found,
    `${fitted ?? read ?? ''}${describeUncertainty(uncertainty, found, [measured])}`,
    uncertainty,
  );
}

/** @throws Problem VALIDATION_FAILED naming `featureIds` when the features have no such distance or angle */
export function relateFeatures(
  relation: MeasuredPoints,
  one: MeasuredPoints,
  other: MeasuredPoints,
): MeasurementResult {
  const [a, b] = [one, other].map((each): RelatedFeature => {
    const { kind, points } = each;
    if (!isFeatureKind(kind))
      throw invalidField(
        'featureIds',
        `a ${kind} is no feature: choose a line, plane, circle, sphere, cylinder or cone`,
      );
    const fit = refusing('featureIds', () => fitFeature(kind, points));
    return {
      feature: fit.feature,
      uncertainty: estimateFeatureUncertainty(fit, points, readPointUncertainty(each)),
    };
  }) as [RelatedFeature, RelatedFeature];
  const found = refusing('featureIds', () => measureRelation(relation.kind as RelationKind, a, b));
  const method = `Between the ${a.feature.kind} and the ${b.feature.kind}, each fitted by least squares${
    relation.kind === 'featureDistance'
      ? '; of parallel axes and planes (within 5°) the mean distance of their middles'
      : ''
  }. ${describeUncertainty(readPointUncertainty(one), found, [one, other])}`;
  return describeResult(relation, found, method, null);
}

function describeResult(
  { dataObject, surfaceName }: MeasuredPoints,
  { values, fit }: Measured,
  method: string,
  uncertainty: PointUncertainty | null,
): MeasurementResult {
  const feature: FittedFeature | null = fit && {
    ...fit.feature,
    rmsMm: fit.rmsMm,
    formErrorMm: fit.formErrorMm,
    pointCount: fit.pointCount,
  };
  return {
    values: values.map(({ standard, ...value }) => ({ ...value, uncertainty: expand(standard) })),
    feature,
    method,
    provenance: {
      dataObjectName: dataObject.name,
      dataObjectVersion: dataObject.version,
      surfaceName,
      voxelSizeMm: narrowRow(dataObject, 'volume')?.metadata.voxelSizeMm ?? null,
      pointUncertaintyMm:
        uncertainty === null || uncertainty === unlimited
          ? null
          : Math.hypot(uncertainty.randomMm, uncertainty.systematicMm),
      version: measurementVersion,
    },
  };
}

const expand = (standard: number | null): Uncertainty | null =>
  standard === null || !Number.isFinite(standard)
    ? null
    : { expanded: 2 * standard, k: 2, contributions: [{ name: 'points', value: standard }] };

function describeUncertainty(
  uncertainty: PointUncertainty | null,
  { values }: Measured,
  placed: readonly MeasuredPoints[],
): string {
  const [first] = values;
  const found = placed.flatMap(({ dataObject, placement }) => {
    const quality = placement === 'free' ? null : narrowRow(dataObject, 'volume')?.metadata.quality;
    return (quality && findUnknownShift(quality)?.found) ?? [];
  })[0];
  if (found) return `No uncertainty, because the scan shifts faces by an unknown amount: ${found}`;
  if (first.standard === null)
    return placed.some(({ placement }) => placement === 'free')
      ? 'No uncertainty: not all points lie on the determined surface.'
      : 'No uncertainty: a mesh does not say how exact it is.';
  const from =
    uncertainty === null
      ? 'the scatter of the points'
      : uncertainty.method === 'quality'
        ? 'noise, blur and uneven grey values of the scan'
        : 'the voxel size, as the blur of the scan is not known';
  return `Uncertainty (k = 2) from ${from}; the scale of the scanner is not in it.`;
}

/** Reports a kernel's refusal as a problem of a request field. */
function refusing<T>(field: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    const refusal = explainRefusal(error);
    throw refusal === null ? error : invalidField(field, refusal);
  }
}
