/** How long work has taken, and how long it may still take. Pure. */
export interface Times {
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

/** Seconds from its start to its end or `now` (ms since 1970); null before it has started. */
export function elapsedSeconds({ startedAt, finishedAt }: Times, now: number): number | null {
  if (startedAt === null) return null;
  const end = finishedAt === null ? now : Date.parse(finishedAt);
  return Math.max(0, (end - Date.parse(startedAt)) / 1000);
}

/** Seconds remaining, extrapolated from the share done; null before 10 % and five seconds, when it would be a guess. */
export function restSeconds(progress: number, elapsed: number | null): number | null {
  if (elapsed === null || elapsed < 5 || progress < 0.1 || progress >= 1) return null;
  return (elapsed / progress) * (1 - progress);
}
