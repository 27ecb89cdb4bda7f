import { KernelError } from '../kernel-error.ts';
import type { SummarizedVolume } from './outliers.ts';

/**
 * Kernels multiply differences of grey values in single precision, whose range is 1.2e-38 to 3.4e38. Between these
 * spans a scaled scan gives the same numbers to six digits; outside them gradients overflow or vanish.
 */
const [minSpan, maxSpan] = [1e-15, 1e15];

/** @throws KernelError BAD_INPUT for a grey range too large or too small to compute with */
export function requireGreySpan({ histogram, range }: Pick<SummarizedVolume, 'histogram' | 'range'>): void {
  const span = histogram.max - histogram.min;
  // A constant volume gets another message.
  if (range[0] === range[1] || (span >= minSpan && span <= maxSpan)) return;
  throw new KernelError(
    'BAD_INPUT',
    `The grey values span ${span.toPrecision(2)}, and spans from ${minSpan} to ${maxSpan.toExponential()} can be measured. Multiply them by a constant, then import the scan again.`,
  );
}
