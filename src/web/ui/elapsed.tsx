import { useEffect, useState } from 'react';
import { formatDuration } from './quantity.ts';
import { elapsedSeconds, restSeconds, type Times } from './work-time.ts';

interface ElapsedProps extends Times {
  progress: number;
}

/** Elapsed time, updated every second while the work runs, with an estimate of the rest once it is reliable. */
export function Elapsed({ startedAt, finishedAt, createdAt, progress }: ElapsedProps) {
  const ticks = startedAt !== null && finishedAt === null;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticks) return;
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [ticks]);
  const elapsed = elapsedSeconds({ createdAt, startedAt, finishedAt }, now);
  if (elapsed === null) return <span>–</span>;
  const rest = ticks ? restSeconds(progress, elapsed) : null;
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {formatDuration(elapsed)}
      {rest !== null && `, about ${formatDuration(rest)} to go`}
    </span>
  );
}
