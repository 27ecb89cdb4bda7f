/** Inputs and outputs of each kind of work. */
import type { Transaction } from '#storage/db/connection.ts';
import type { WorkError } from '#storage/db/schema-work.ts';
import type { ProjectRow, WorkName, WorkRow } from '#storage/work/kinds.ts';
import type { Place } from '#storage/work/queue.ts';
import type { WorkerContext } from '../context.ts';
import type { WorkBlobs } from './work-blobs.ts';
import type { WorkRun } from './work-run.ts';

export interface Work<Name extends WorkName = WorkName> {
  row: WorkRow<Name>;
  /** absent for work on many projects */
  project: Name extends 'bulk' ? undefined : ProjectRow;
  place: Place;
  context: WorkerContext;
  run: WorkRun;
  blobs: WorkBlobs;
}

export type OperationWork = Work<'operation'>;

/** A successful end of work. */
export interface Done {
  /** columns of its row */
  values?: Record<string, unknown>;
  status?: 'completed' | 'failed' | 'cancelled';
  error?: WorkError | null;
  /** further changes in the transaction that ends it */
  write?(tx: Transaction): Promise<void>;
  /** follow-up actions after the commit; their errors do not fail the work */
  afterwards?(): Promise<void>;
}

/**
 * `waiting`: other work has to end first and wakes it. `again`: its turn is over, but there is more to do. `ended`: it
 * wrote its end itself.
 */
export type Outcome = Done | 'waiting' | 'again' | 'ended';

/** The function for each kind of work. It throws what went wrong, or the signal's reason. */
export type WorkRunners = { [Name in WorkName]: (work: Work<Name>) => Promise<Outcome> };

/** Abort reason of cancelled work. */
export class CancelRequested extends Error {
  override name = 'CancelRequested';
}

/** Abort reason when the worker shuts down; the work will be taken again. */
export class WorkerStopping extends Error {
  override name = 'WorkerStopping';
}

/** Thrown by work that needs another kind of slot than it has. */
export class NeedsPlace extends Error {
  override name = 'NeedsPlace';
  readonly place: Place;

  constructor(place: Place) {
    super(`needs the place ${place}`);
    this.place = place;
  }
}
