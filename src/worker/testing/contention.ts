/** Milliseconds of computing that the machine's load is read from. */
const spinMs = 60;

/**
 * How many times longer than on a free machine a thread takes now: 1 while nothing else wants its processor. A limit on
 * seconds times this holds the program to them, and not to what else the machine does.
 */
export function contention(): number {
  const started = performance.now();
  const before = process.threadCpuUsage();
  const used = () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  while (used() < spinMs) Math.hypot(started, spinMs);
  return Math.max(1, (performance.now() - started) / used());
}
