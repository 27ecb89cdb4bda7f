/** Limits of time and memory for work, and the errors for exceeding them. */
import { totalmem } from 'node:os';
import type { WorkError } from '#storage/db/schema-work.ts';
import type { Begun } from '#storage/work/life.ts';
import type { Place } from '#storage/work/queue.ts';

export interface Limits {
  memoryBytes: number;
  seconds: number;
  /** without any progress */
  stallSeconds: number;
}

/** Share of the machine's memory; the rest is for the database, the service and the system. */
const memoryShares: Partial<Record<Place, number>> = { compute: 0.75, import: 0.6, judge: 0.6 };
const OTHER_SHARE = 0.4;
const MAX_SECONDS = 24 * 3600;
/** base time for reading a file, plus time per megabyte */
const READ_SECONDS = 600;
const SECONDS_PER_MEGABYTE = 1;
const STALL_SECONDS = 900;

/** Memory of the machine, or of its container. */
export function machineMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}

const isImport = ({ name, row }: Begun): boolean =>
  name === 'operation' && 'operation' in row && row.operation === 'ingest';

export function findLimits(begun: Begun, place: Place): Limits {
  const parameters = 'parameters' in begun.row ? begun.row.parameters : {};
  const megabytes = Number(parameters['sizeBytes'] ?? 0) / 1e6;
  return {
    memoryBytes: (memoryShares[place] ?? OTHER_SHARE) * machineMemoryBytes(),
    seconds: isImport(begun) ? READ_SECONDS + SECONDS_PER_MEGABYTE * megabytes : MAX_SECONDS,
    stallSeconds: STALL_SECONDS,
  };
}

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
const duration = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;

export function describeLimit(begun: Begun, limits: Limits, limit: 'memory' | 'time' | 'stall'): WorkError {
  const { label } = begun;
  const work = isImport(begun) ? `Reading ${label}` : `Work on ${label}`;
  const advice = isImport(begun) ? 'Simplify or split the file.' : 'Choose a smaller region.';
  const what = {
    memory: `took more than ${gibibytes(limits.memoryBytes)} of memory, which is the limit on this machine`,
    time: `took longer than ${duration(limits.seconds)}, which is the limit`,
    stall: `made no progress for ${duration(limits.stallSeconds)}, which is the limit`,
  }[limit];
  return { code: 'LIMIT_EXCEEDED', detail: `${work} ${what}, so it was stopped. ${advice}` };
}

export function describeSetAside({ label, row }: Begun, ends: number, what: 'process' | 'worker'): WorkError {
  const detail =
    what === 'process'
      ? `${label} ended the process that worked on it ${ends} times, so it was set aside. The log has it under ${row.id}.`
      : `The worker ended ${ends} times while it worked on ${label}, so it was set aside. The log has it under ${row.id}.`;
  return { code: 'SET_ASIDE', detail };
}
