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
  let [cut, most] = [0, 0];
  for (let view = 0; view < anglesDeg.length; view += every) {
    const raw = await radiographs.projections.readSlab(view, view + 1);
    lineIntegrals(raw, 0, pixels, columns, correction, integrals);
    const sorted = Float32Array.from(integrals).sort();
    const dense = sorted[Math.floor(densest * (sorted.length - 1))];
    most = Math.max(most, dense);
    detector.look(raw, integrals, dense);
    if (isCutAtSide(integrals, columns, rows, minShare * dense)) cut++;
  }
  arena.release(mark);
  if (cut >= fewest)
    plan.warnings.push({
      code: 'FIELD_TRUNCATED',
      message:
        'The part reaches beyond the detector at its sides. What lies there is missing in the volume, and grey values rise towards it.',
    });
  plan.warnings.push(...listFaults(detector.conclude()));
  return { densest: most };
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

function isCutAtSide(integrals: Float32Array, columns: number, rows: number, level: number): boolean {
  const side = Math.max(1, Math.round(sideShare * columns));
  const height = Math.min(rows, Math.ceil(pixelsOfReading / side));
  for (let from = 0; from + height <= rows; from += height) {
    for (const start of [0, columns - side]) {
      let sum = 0;
      for (let row = from; row < from + height; row++)
        for (let column = start; column < start + side; column++) sum += integrals[row * columns + column];
      if (level > 0 && sum > level * side * height) return true;
    }
  }
  return false;
}
