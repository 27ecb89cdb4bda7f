/** Seconds that work may still take, or null while that can't be trusted: under 5 s or 8 % nothing is known. */
export function secondsLeft(fraction: number, elapsedSeconds: number): number | null {
  if (fraction < 0.08 || fraction >= 1 || elapsedSeconds < 5) return null;
  return (elapsedSeconds / fraction) * (1 - fraction);
}
