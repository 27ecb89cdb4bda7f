import { malformed } from '../format-error.ts';

/** @throws FormatError MALFORMED for coordinates that are NaN or exceed 32-bit floats */
export function requireNumbers(positions: Float32Array, where: string): void {
  const broken = positions.findIndex((mm) => !Number.isFinite(mm));
  if (broken < 0) return;
  throw malformed(
    `${where}: vertex ${Math.floor(broken / 3) + 1} has a coordinate that is too large, or no number.`,
  );
}

/** Warning for an uploaded surface that encloses no volume. @param reason a sentence */
export const describeOpen = (where: string, reason: string): string =>
  `${where} has no volume. ${reason} Check that the file is complete.`;
