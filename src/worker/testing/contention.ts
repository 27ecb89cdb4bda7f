/** What the load is read from, and how long it takes on a free machine of the kind that the limits were set on. */
const rounds = 2_000_000;
const roundsMs = 60;

/**
 * How many times longer than on that free machine a thread takes here and now; at least 1. A limit on seconds times this
 * holds the program to them, and not to how fast the machine is or what else it does.
 */
export function contention(): number {
  const started = performance.now();
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum += Math.hypot(sum % 7, i);
  // The sum is asked for, so that it has to be worked out.
  return Math.max(1, (performance.now() - started) / (sum > 0 ? roundsMs : 0));
}

/**
 * Begins to measure a time; what it gives back tells the milliseconds since then, as that free machine would have taken
 * them. Load comes and goes meanwhile: the higher one of both ends counts.
 */
export function startStopwatch(): () => number {
  const atFirst = contention();
  const startedAt = performance.now();
  return () => {
    const tookMs = performance.now() - startedAt;
    return tookMs / Math.max(atFirst, contention());
  };
}
