/** What each kind of work is given and gives back. */
import type { Transaction } from '#storage/db/connection.ts';
import type { WorkError } from '#storage/db/schema-work.ts';
import type { ProjectRow, WorkName, WorkRow } from '#storage/work/kinds.ts';
import type { Place } from '#storage/work/queue.ts';
import type { WorkerContext } from '../context.ts';
import type { WorkBlobs } from './work-blobs.ts';
import type { WorkRun } from './work-run.ts';

export interface Work<Name extends WorkName = WorkName> {
  row: WorkRow<Name>;
  /** none for work on many projects */
  project: Name extends 'bulk' ? undefined : ProjectRow;
  place: Place;
  context: WorkerContext;
  run: WorkRun;
  blobs: WorkBlobs;
}

export type OperationWork = Work<'operation'>;

/** How a piece of work has ended well. */
export interface Done {
  /** columns of its row */
  values?: Record<string, unknown>;
  status?: 'completed' | 'failed' | 'cancelled';
  error?: WorkError | null;
  /** what else becomes true, in the transaction that ends it */
  write?(tx: Transaction): Promise<void>;
  /** what can be done once that is known; what goes wrong here fails nothing */
  afterwards?(): Promise<void>;
}

/**
 * `waiting`: other work has to end first, which wakes it. `again`: its turn is over, there is more to do. `ended`: it wrote
 * its end itself.
 */
export type Outcome = Done | 'waiting' | 'again' | 'ended';

/** What does the work of each kind. It throws what went wrong, and the reason of the signal. */
export type WorkRunners = { [Name in WorkName]: (work: Work<Name>) => Promise<Outcome> };

/** The reason of the signal of work that somebody cancelled. */
export class CancelRequested extends Error {
  override name = 'CancelRequested';
}

/** The reason of the signal of work whose worker is shutting down; it will be taken again. */
export class WorkerStopping extends Error {
  override name = 'WorkerStopping';
}

/** Thrown by work that found out that it needs another place than it has. */
export class NeedsPlace extends Error {
  override name = 'NeedsPlace';
  readonly place: Place;

  constructor(place: Place) {
    super(`needs the place ${place}`);
    this.place = place;
  }
}
