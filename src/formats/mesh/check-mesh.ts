import { malformed } from '../format-error.ts';

/** @throws FormatError MALFORMED for a coordinate that 32-bit numbers can't hold, or that is none */
export function requireNumbers(positions: Float32Array, where: string): void {
  const broken = positions.findIndex((mm) => !Number.isFinite(mm));
  if (broken < 0) return;
  throw malformed(
    `${where}: vertex ${Math.floor(broken / 3) + 1} has a coordinate that is too large, or no number.`,
  );
}

/** What is said to who uploads a surface that encloses nothing. @param reason as a sentence */
export const describeOpen = (where: string, reason: string): string =>
  `${where} has no volume. ${reason} Check that the file is complete.`;
