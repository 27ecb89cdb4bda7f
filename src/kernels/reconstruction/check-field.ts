/** Checks a sample of the projections: whether the part is within the sides of the detector, its density, and faults. */
import type { Arena } from '../arena.ts';
import { type DetectorFaults, watchDetector } from './detector-faults.ts';
import { lineIntegrals } from './line-integrals.ts';
import { type Plan, purpose, type ReconstructionWarning } from './plan.ts';

/** Minimum number of sampled projections, and the number of them that must show a fault to report it. */
const [lookedAt, fewest] = [64, 2];
/** Columns at each side, as a share of all, and the pixels averaged per reading, because single pixels are noisy. */
const sideShare = 0.02;
const pixelsOfReading = 60;
/** Minimum reading at a side, as a share of that in dense places of the part: above noise and uneven light. */
const minShare = 0.1;
/**
 * A beam that is darker than the flat field darkens all of the sides equally. A part that reaches beyond both sides over
 * the whole height does so, too, but as a mean over all views every part is round: its depth differs by more than this
 * share between the side and the columns next to it, up to a part about twice as wide as the detector.
 */
const evenShare = 0.01;
const densest = 0.98;

export interface Field {
  /** 98th percentile of the line integrals, in the densest of the projections */
  densest: number;
}

/** Examines evenly spaced projections and warns if the part extends beyond them. O(pixels of up to 127 projections). */
export async function checkField(plan: Plan, arena: Arena): Promise<Field> {
  const { radiographs, layout } = plan;
  const { columns, rows, anglesDeg } = radiographs.geometry;
  const pixels = columns * rows;
  const mark = arena.mark();
  const integrals = arena.floats(arena.allocate(pixels * 4, purpose), pixels);
  const correction = {
    values: layout.values,
    dark: arena.floats(layout.dark, pixels),
    gain: arena.floats(layout.gain, pixels),
    scatterShare: layout.scatterShare,
  };
  const every = Math.max(1, Math.floor(anglesDeg.length / lookedAt));
  const isWhole = layout.values === 'counts' && !layout.dataType.startsWith('float');
  const detector = watchDetector(columns, rows, isWhole ? correction.gain : null);
  const views: (SideReadings & { dense: number })[] = [];
  for (let view = 0; view < anglesDeg.length; view += every) {
    const raw = await radiographs.projections.readSlab(view, view + 1);
    lineIntegrals(raw, 0, pixels, columns, correction, integrals);
    const sorted = Float32Array.from(integrals).sort();
    const dense = sorted[Math.floor(densest * (sorted.length - 1))];
    detector.look(raw, integrals, dense);
    views.push({ dense, ...readSides(integrals, columns, rows) });
  }
  arena.release(mark);
  if (countCut(views) >= fewest)
    plan.warnings.push({
      code: 'FIELD_TRUNCATED',
      message:
        'The part reaches beyond the detector at its sides. What lies there is missing in the volume, and grey values rise towards it.',
    });
  plan.warnings.push(...listFaults(detector.conclude()));
  return { densest: Math.max(...views.map(({ dense }) => dense)) };
}

function listFaults({ isSaturated, starved, repeatedRow }: DetectorFaults): ReconstructionWarning[] {
  const warnings: ReconstructionWarning[] = [];
  if (isSaturated)
    warnings.push({
      code: 'BEAM_SATURATED',
      message:
        'The detector was saturated beside the part: its brightest counts are exactly the same in all projections. Where the part absorbs little, it is missing in the volume. Scan it with a shorter exposure or a lower current.',
    });
  if (starved >= fewest)
    warnings.push({
      code: 'BEAM_ABSORBED',
      message:
        'Behind the densest places of the part nothing is left of the beam but noise, or counts end at a lowest value. Grey values are wrong there. Scan it with a higher voltage, or longer.',
    });
  if (repeatedRow !== null)
    warnings.push({
      code: 'ROW_REPEATED',
      message: `Row ${repeatedRow + 1} of the radiographs is the same as row ${repeatedRow} in all projections. If rows were doubled or lost, the volume is stretched or torn there.`,
    });
  return warnings;
}

/** Readings of one projection, each a mean of some pixels. */
interface SideReadings {
  least: number;
  most: number;
  /** means over both sides, and over the columns next to them */
  outer: number;
  inner: number;
}

function readSides(integrals: Float32Array, columns: number, rows: number): SideReadings {
  const side = Math.max(1, Math.round(sideShare * columns));
  const height = Math.min(rows, Math.ceil(pixelsOfReading / side));
  const readMean = (from: number, start: number) => {
    let sum = 0;
    for (let row = from; row < from + height; row++)
      for (let column = start; column < start + side; column++) sum += integrals[row * columns + column];
    return sum / (side * height);
  };
  const bands = Array.from({ length: Math.floor(rows / height) }, (_, i) => i * height);
  const readAt = (starts: number[]) => bands.flatMap((from) => starts.map((start) => readMean(from, start)));
  const atSides = readAt([0, columns - side]);
  return {
    least: Math.min(...atSides),
    most: Math.max(...atSides),
    outer: findMean(atSides),
    inner: findMean(readAt([side, columns - 2 * side])),
  };
}

const findMean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Number of projections in which a side is darker than the beam alone. */
function countCut(views: readonly (SideReadings & { dense: number })[]): number {
  const outer = findMean(views.map((view) => view.outer));
  const inner = findMean(views.map((view) => view.inner));
  const isEven = Math.abs(inner - outer) <= evenShare * outer;
  return views.filter(({ least, most, dense }) => {
    const beam = isEven ? Math.max(0, least) : 0;
    return dense > beam && most - beam > minShare * (dense - beam);
  }).length;
}
