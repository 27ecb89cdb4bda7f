/** A measurement in progress: its points so far and the preliminary result. Pure. */
import {
  formatHeadline,
  kindTitles,
  type MeasurementKind,
  type relationKinds,
} from '#contract/shapes/measurement.ts';
import { minPoints } from '#kernels/features/feature.ts';
import { spanPlane } from '#kernels/features/guess-feature.ts';
import { explainRefusal, isFeatureKind, measurePoints, pointCounts } from '#kernels/features/measure.ts';
import { add, minus, scale, unit } from '#kernels/grid/vectors.ts';
import type { MeasurementInput } from '#web/api/generated/types.gen.ts';
import type { PickedPoint, ShownMeasurement } from '#web/viewer/state/measuring.ts';

export type DrawnKind = Exclude<MeasurementKind, (typeof relationKinds)[number]>;

export interface Draft {
  kind: DrawnKind;
  points: PickedPoint[];
  /** a click takes the whole face around the point */
  takesFace: boolean;
}

/** Number of points that completes the measurement; null if there is no limit. */
export const countPoints = (kind: DrawnKind): number | null =>
  isFeatureKind(kind) || pointCounts[kind][0] !== pointCounts[kind][1] ? null : pointCounts[kind][0];

/** Whether a face of the surface can define the feature. */
export const canTakeFace = (kind: DrawnKind): boolean =>
  ['plane', 'sphere', 'cylinder', 'cone'].includes(kind);

/** The next step, or why the points cannot be used, in a sentence. */
export function describeNext({ kind, points, takesFace }: Draft): string {
  if (takesFace && points.length === 0) return 'Click on a face of the surface.';
  if (kind === 'wall' && points.length === 0)
    return 'Click on the surface, or on its contour in a slice: the wall is measured along its normal.';
  const least = isFeatureKind(kind) ? minPoints[kind] : pointCounts[kind][0];
  if (kind === 'angle' && points.length === 1) return 'Place the vertex.';
  if (points.length < least)
    return `Place ${least - points.length} more ${least - points.length === 1 ? 'point' : 'points'} in a slice or on the surface.`;
  const { problem } = evaluateDraft({ kind, points });
  return problem ?? (countPoints(kind) === null ? 'Save, or place more points.' : 'Save.');
}

/** The draft as drawn; `problem` says why it can't be saved yet. */
export function evaluateDraft({ kind, points }: Omit<Draft, 'takesFace'>): {
  shown: Omit<ShownMeasurement, 'id'>;
  problem: string | null;
} {
  const places = points.map(({ pointWorld }) => pointWorld);
  const shown = { name: '', kind, points: places, value: null, feature: null };
  try {
    const { values, fit } = measurePoints(kind, places, null);
    const [first] = values;
    const feature = fit && {
      ...fit.feature,
      rmsMm: fit.rmsMm,
      formErrorMm: fit.formErrorMm,
      pointCount: fit.pointCount,
    };
    const value = formatHeadline([{ ...first, uncertainty: null }]);
    return { shown: { ...shown, value, feature }, problem: null };
  } catch (error) {
    const problem = explainRefusal(error);
    if (problem === null) throw error;
    return { shown, problem };
  }
}

/** Why the value will have no ±, in a sentence; null if it will have one, or if that depends on the fit. */
export function explainNoUncertainty({ kind, points }: Omit<Draft, 'takesFace'>): string | null {
  const free = points.filter(({ placement }) => placement === 'free').length;
  if (free === 0 || isFeatureKind(kind)) return null;
  const which =
    free === points.length
      ? 'the points are'
      : `${free} of ${points.length} points ${free === 1 ? 'is' : 'are'}`;
  return `No ±: ${which} not on the determined surface.`;
}

/** `Distance 3`: the lowest number not used in these names. */
export function chooseName(kind: MeasurementKind, names: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = `${kindTitles[kind]} ${number}`;
    if (!names.includes(name)) return name;
  }
}

/** The request body. Its placement is that of the least certain point: free, else edge, else surface. */
export function describeDraft(
  { kind, points }: Omit<Draft, 'takesFace'>,
  dataObjectId: string,
  names: readonly string[],
): MeasurementInput {
  const placements = new Set(points.map(({ placement }) => placement));
  return {
    dataObjectId,
    surfaceId: points.find(({ surfaceId }) => surfaceId !== null)?.surfaceId ?? null,
    name: chooseName(kind, names),
    kind,
    points: points.map(({ pointWorld }) => pointWorld),
    placement: placements.has('free') ? 'free' : placements.has('edge') ? 'edge' : 'surface',
  };
}

type Point = [number, number, number];

/** Samples along a line, two per voxel, requested as a plane with one row. */
export function describeLine(from: Point, to: Point, voxelMm: number) {
  const along = minus(to, from);
  const lengthMm = Math.hypot(...along);
  const width = Math.min(1024, Math.max(64, Math.ceil((2 * lengthMm) / voxelMm) + 1));
  const step = scale(along, 1 / (width - 1));
  const [across] = spanPlane(unit(along));
  const vMm = scale(across, voxelMm);
  // The service samples at the centres of its cells.
  const cornerMm = minus(from, scale(add(step, vMm), 0.5));
  const uMm = scale(step, width);
  return {
    lengthMm,
    query: { axis: 'oblique' as const, cornerMm, uMm, vMm, width, height: 1, format: 'raw' as const },
  };
}
