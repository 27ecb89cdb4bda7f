import type { Arena } from '../arena.ts';
import { inPieces } from '../pool.ts';
import { eachBatch } from './each-batch.ts';
import type { ProjectionLayout } from './filter-projections.ts';
import { findCenter, type HowFound, type MeasuredCenter } from './find-center.ts';
import type { ScanGeometry } from './geometry.ts';
import { type Plan, purpose, type ReconstructionWarning } from './plan.ts';
import { surveyRows } from './tasks.ts';

/** Computes means over all angles, in the detector's own order, and the centre of rotation. */
export async function surveyScan(plan: Plan, arena: Arena) {
  const { radiographs, options, detector, cover, layout } = plan;
  const { geometry } = radiographs;
  const { columns, rows } = geometry;
  const mean = new Float64Array(columns * rows);
  const alternating = new Float64Array(columns * rows);
  const known = knownCenter(plan);
  if (known && !options.ringCorrection) return { mean, alternating, center: known };
  const mark = arena.mark();
  const plain: ProjectionLayout = { ...layout, stripes: 0, rowsReversed: false };
  const [sums, signed] = [mean, alternating].map(({ byteLength }) => arena.allocate(byteLength, purpose));
  for (const address of [sums, signed]) arena.doubles(address, mean.length).fill(0);
  const upward = Math.min(rows - 1, Math.max(0, Math.round(detector.middleRow)));
  const keptRow = detector.rowsReversed ? rows - 1 - upward : upward;
  const sinogram = new Float32Array(columns * geometry.anglesDeg.length);
  const total = cover.weights.reduce((sum, weight) => sum + weight, 0);
  await eachBatch(plan, arena, async (raw, from, to, projectionBytes) => {
    const kept = arena.allocate((to - from) * columns * 4, purpose);
    const weights = [...cover.weights.subarray(from, to)].map((weight) => weight / total);
    const size = Math.max(1, Math.floor(2e6 / (columns * (to - from))));
    await inPieces(arena, { from: 0, to: rows, size }, (rowFrom, rowTo) =>
      arena.run(surveyRows, {
        ...{ layout: plain, raw, projectionBytes, weights, rowFrom, rowTo, keptRow, kept },
        ...{ firstView: from, sums, alternating: signed },
      }),
    );
    sinogram.set(arena.floats(kept, (to - from) * columns), from * columns);
    options.progress?.((0.15 * to) / geometry.anglesDeg.length, 'Reading the radiographs');
  });
  mean.set(arena.doubles(sums, mean.length));
  alternating.set(arena.doubles(signed, mean.length));
  arena.release(mark);
  if (known) return { mean, alternating, center: known };
  options.progress?.(0.15, 'Finding the centre of rotation');
  const found = await findCenter({ geometry, detector, cover, mean, sinogram }, arena);
  const center = chooseCenter(geometry, detector.middleColumn, found, plan.warnings);
  return { mean, alternating, center };
}

export interface ChosenCenter {
  column: number;
  howFound: HowFound;
  mismatch: number | null;
  /** columns; null unless it was measured */
  uncertainty: number | null;
}

/** The centre that a user entered, or that follows from the poses of all projections. */
function knownCenter({ radiographs: { geometry }, options, detector }: Plan): ChosenCenter | undefined {
  const { centerOfRotationMm: given } = options;
  const none = { mismatch: null, uncertainty: null };
  if (given !== undefined) {
    const column = given / geometry.pixelSizeMm[0] + (geometry.columns - 1) / 2;
    return { column, howFound: 'given', ...none };
  }
  return geometry.views && { column: detector.middleColumn, howFound: 'geometry', ...none };
}

/**
 * A measured centre that differs from the given one by more than this share of the detector's width, or a pixel, is
 * reported.
 */
const smallShare = 0.02;

/** The given geometry has priority; without one, the measured centre is used if it is reliable. */
function chooseCenter(
  { columns, pixelSizeMm, isPoseGiven }: ScanGeometry,
  givenColumn: number,
  found: MeasuredCenter | undefined,
  warnings: ReconstructionWarning[],
): ChosenCenter {
  const given: ChosenCenter = {
    column: givenColumn,
    howFound: 'geometry',
    mismatch: null,
    uncertainty: null,
  };
  if (found === undefined || found.doubt !== null) {
    const reason = found?.doubt ? `: ${found.doubt}` : '';
    if (!isPoseGiven)
      warnings.push({
        code: 'CENTER_ASSUMED',
        message: `The radiographs do not tell where the axis of rotation is${reason}. The centre of the geometry was used.`,
      });
    return given;
  }
  const inMm = (column: number) =>
    `${((column - (columns - 1) / 2) * pixelSizeMm[0]).toFixed(3).replace('-', '\u2212')} mm`;
  const isFar =
    Math.abs(found.column - givenColumn) >
    Math.max(1, found.uncertainty, isPoseGiven ? 0.005 * columns : smallShare * columns);
  if (isFar)
    warnings.push({
      code: isPoseGiven ? 'CENTER_DIFFERS' : 'CENTER_MEASURED',
      message: `The radiographs put the axis of rotation at ${inMm(found.column)} ± ${(found.uncertainty * pixelSizeMm[0]).toFixed(3)} mm from the detector’s middle, the geometry at ${inMm(givenColumn)}. ${
        isPoseGiven ? 'The geometry was used' : 'That of the radiographs was used'
      }; set the centre of rotation to use another one.`,
    });
  return isPoseGiven ? given : found;
}
