/** The queues by name: what a job of each carries and how it is treated. */
import type { Queue } from 'pg-boss';

/** Jobs carry ids only; what is to be done is read from the row when the job begins. */
export interface Payloads {
  /** an analysis or an ingest */
  operation: { operationId: string };
  export: { exportId: string };
  view: { viewId: string };
  /** a picture of a bookmark */
  render: { renderId: string };
  bulk: { bulkRequestId: string };
  invocation: { invocationId: string };
  /** purge the trash, sweep blobs, expire exports, forget old tokens: whatever is due */
  maintenance: { task?: string };
}

export type QueueName = keyof Payloads;

/** Higher first. What somebody waits for in front of a page comes before what was asked for a thousand parts. */
export const priorities = { interactive: 100, recipe: 50, bulk: 0, maintenance: -10 } as const;

/** Where a job goes whose worker died, or whose handler threw, at every attempt. */
export const ABANDONED_QUEUE = 'abandoned';

export interface Abandoned<Name extends QueueName = QueueName> {
  queue: Name;
  payload: Payloads[Name];
  /** what the last attempt ended with */
  reason: string;
}

/** A worker that says nothing for this long has lost its job. PgBoss accepts no less. */
export const HEARTBEAT_SECONDS = 10;
/** How often lost jobs are looked for. */
export const SUPERVISE_SECONDS = 5;

const common: Omit<Queue, 'name'> = {
  policy: 'standard',
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: 23 * 3600,
  retryLimit: 3,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  retentionSeconds: 30 * 24 * 3600,
  deleteAfterSeconds: 24 * 3600,
  notify: true,
};

const work: Omit<Queue, 'name'> = { ...common, deadLetter: ABANDONED_QUEUE };

export const queues: Record<QueueName, Omit<Queue, 'name'>> = {
  operation: work,
  export: work,
  // Two requests for the same view while it waits are one job.
  view: { ...work, policy: 'short' },
  render: work,
  bulk: work,
  invocation: work,
  maintenance: { ...common, policy: 'short', retryLimit: 0 },
};
