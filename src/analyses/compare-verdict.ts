/** The reason for a comparison's verdict, as a sentence and a code. */
import type { VerdictReasonCode } from '#contract/analyses/mesh-compare.ts';
import type { ToleranceMm } from '#kernels/compare/deviation-statistics.ts';
import type { CompareOutput } from './compare-work.ts';

export interface VerdictReason {
  code: VerdictReasonCode;
  message: string;
}

export const selfComparison: VerdictReason = {
  code: 'SELF_COMPARISON',
  message: 'The reference comes from the same scan, so it can’t judge the part: there is no verdict.',
};

export function explainVerdict(
  judged: Pick<
    CompareOutput,
    'verdict' | 'places' | 'notScannedAreaMm2' | 'poseVerdicts' | 'isPoseOfCutScan'
  >,
  { tolerance, guardBandMm, isOwnBand }: { tolerance: ToleranceMm; guardBandMm: number; isOwnBand: boolean },
): VerdictReason {
  const { verdict, places, notScannedAreaMm2, poseVerdicts } = judged;
  const [worst] = places;
  const mm = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits(tolerance))} mm`;
  const where = (side: 'scan' | 'reference') => (side === 'scan' ? 'on the scan' : 'on the reference');
  if (verdict === 'fail') {
    const furthest = worst?.worstMm == null ? '' : `; the worst is ${mm(worst.worstMm)} ${where(worst.side)}`;
    const sure = places.filter(({ isSure }) => isSure).length;
    const others = sure < places.length ? `, ${places.length - sure} more may be` : '';
    return {
      code: 'BEYOND_TOLERANCE',
      message: `${sure} ${sure === 1 ? 'place is' : 'places are'} out of tolerance${others}${furthest}.`,
    };
  }
  if (verdict === 'pass')
    return { code: 'WITHIN_TOLERANCE', message: 'Both surfaces are within the tolerance everywhere.' };
  if (poseVerdicts.length > 0) {
    return {
      code: 'POSE_AMBIGUOUS',
      message: `The part fits its reference as well in other poses, in which the verdict is ${poseVerdicts.join(' or ')}.`,
    };
  }
  if (judged.isPoseOfCutScan) {
    return {
      code: 'POSE_OF_CUT_SCAN',
      message:
        'Places are out of tolerance, but the scan shows only a part of the body, and its pose was fitted to that part alone. Check the pose; if you enter it as a matrix, the comparison is judged.',
    };
  }
  const lost = places.filter(({ notFoundAreaMm2 }) => notFoundAreaMm2 > 0);
  if (lost.length > 0) {
    const area = lost.reduce((sum, { notFoundAreaMm2 }) => sum + notFoundAreaMm2, 0);
    const sides = [...new Set(lost.map(({ side }) => side))].map((side) => where(side)).join(' and ');
    return {
      code: 'NOT_FOUND',
      message: `${area.toPrecision(3)} mm² ${sides} have no counterpart within the search distance.`,
    };
  }
  if (notScannedAreaMm2 > 0) {
    return {
      code: 'NOT_SCANNED',
      message: `${notScannedAreaMm2.toPrecision(3)} mm² of the reference lie outside of the scan’s field of view.`,
    };
  }
  return {
    code: 'WITHIN_GUARD_BAND',
    message: isOwnBand
      ? `Some places are closer to a limit than their uncertainty (k = 2), which is ${guardBandMm.toFixed(digits(tolerance))} mm as a median.`
      : `Some places are closer to a limit than the guard band of ${guardBandMm.toFixed(digits(tolerance))} mm.`,
  };
}

/** Decimal places that show about a hundredth of the tolerance. */
function digits({ lowerMm, upperMm }: ToleranceMm): number {
  const reach = Math.max(Math.abs(lowerMm), Math.abs(upperMm));
  return reach > 0 ? Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(reach)))) : 3;
}
