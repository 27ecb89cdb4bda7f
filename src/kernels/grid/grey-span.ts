import { KernelError } from '../kernel-error.ts';
import type { SummarizedVolume } from './outliers.ts';

/**
 * Kernels multiply differences of grey values with one another in single precision, which ends at 3.4e38 and begins at
 * 1.2e-38. Between these spans a scan that is scaled gives the same numbers to six digits; beyond them gradients overflow,
 * or vanish.
 */
const [leastSpan, mostSpan] = [1e-15, 1e15];

/** @throws KernelError BAD_INPUT for grey values too far apart, or too close together, to be computed with */
export function requireGreySpan({ histogram, range }: Pick<SummarizedVolume, 'histogram' | 'range'>): void {
  const span = histogram.max - histogram.min;
  // Of one value alone there is something else to say.
  if (range[0] === range[1] || (span >= leastSpan && span <= mostSpan)) return;
  throw new KernelError(
    'BAD_INPUT',
    `The grey values span ${span.toPrecision(2)}, and spans from ${leastSpan} to ${mostSpan.toExponential()} can be measured. Multiply them by a constant, then import the scan again.`,
  );
}
