/**
 * Takes as much work from the queue as this worker can start, and handles each piece: heartbeats, progress,
 * cancellation, and its place in the queue.
 */
import type { Logger } from 'pino';
import { finishDeletions } from '#storage/blobs/sweep.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { listen, type Subscription } from '#storage/db/events.ts';
import { type Begun, beginWork, endWork, type WorkEnd, WorkLost, writeProgress } from '#storage/work/life.ts';
import { type Claim, type Place, WORK_CHANNEL, WorkerQueue } from '#storage/work/queue.ts';
import type { WorkerContext } from '../context.ts';
import type { Settlement, Task } from './carry-out.ts';
import { describeLimit, describeSetAside, findLimits, type Limits } from './limits.ts';
import { Repeater } from './repeater.ts';
import { CancelRequested, WorkerStopping } from './work.ts';
import type { Death } from './work-process.ts';
import type { Report } from './work-run.ts';

/** Concurrent pieces of work of each sort. */
const capacities: Record<Place, number> = {
  compute: 1,
  import: 2,
  judge: 2,
  export: 2,
  pack: 1,
  report: 1,
  picture: 2,
  turn: 4,
};
const PROGRESS_MS = 250;
const BEAT_MS = 1_000;
/** delay before retrying work that found no database, and before polling the database again */
const PAUSE_MS = 1_000;
/** Work that killed its process this often is set aside. */
const MAX_DEATHS = 2;
/** Work whose worker was lost this often is set aside, because it may crash the whole machine. */
const MAX_LOSSES = 30;

/** Runs the work, in this process or another one. */
export type CarryOut = (
  task: Task,
  limits: Limits,
  signal: AbortSignal,
  report: Report,
) => Promise<Settlement | Death>;

export interface WorkLoopOptions {
  carryOut: CarryOut;
  /** replaces the usual limits in tests */
  limits?: typeof findLimits;
}

interface Running {
  claim: Claim;
  controller: AbortController;
  begun: Begun | undefined;
  /** progress as reported, and as written */
  progress: { progress: number; stage: string | null };
  written: { progress: number; stage: string | null };
}

export class WorkLoop {
  readonly #context: WorkerContext;
  readonly #carryOut: CarryOut;
  readonly #findLimits: typeof findLimits;
  readonly #queue: WorkerQueue;
  readonly #log: Logger;
  readonly #running = new Map<string, Running>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #filling = new Repeater(
    () => this.#takeWork(),
    // The timer retries while the database is unavailable.
    (err) => this.#log.warn({ err }, 'no work could be taken'),
  );
  readonly #beating = new Repeater(
    () => this.#sendHeartbeat(),
    (err) => this.#log.warn({ err }, 'the heartbeat of this worker could not be written'),
  );
  #subscription: Subscription | undefined;
  #isStopping = false;
  #writing: Promise<void> | undefined;
  #onIdle: () => void = () => undefined;

  constructor(context: WorkerContext, { carryOut, limits = findLimits }: WorkLoopOptions) {
    this.#context = context;
    this.#carryOut = carryOut;
    this.#findLimits = limits;
    this.#queue = new WorkerQueue(context.db);
    this.#log = context.log;
  }

  async start(): Promise<void> {
    this.#subscription = await listen(this.#context.connection.url, WORK_CHANNEL, {
      onPayload: (what) => (what === 'cancel' ? this.#beating.request() : this.#filling.request()),
      onGap: () => this.#beating.request(),
      onError: (err) => this.#log.warn({ err }, 'the connection that hears of new work was lost'),
    });
    this.#timers.push(setInterval(() => this.#writeProgress(), PROGRESS_MS));
    this.#timers.push(setInterval(() => this.#beating.request(), BEAT_MS));
    this.#timers.push(setInterval(() => this.#filling.request(), PAUSE_MS));
    this.#filling.request();
  }

  /** Aborts running work, waits until it has stopped, and returns it to the queue. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#filling.settle();
    for (const { controller } of this.#running.values()) {
      controller.abort(new WorkerStopping('the worker is shutting down'));
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    if (this.#running.size > 0) await promise;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#beating.settle(), this.#writing]);
    await this.#subscription?.close();
  }

  /** Takes work while there are free slots. */
  async #takeWork(): Promise<void> {
    while (!this.#isStopping) {
      const claim = await this.#queue.claim(this.#freePlaces(), [...this.#running.keys()]);
      if (!claim) return;
      void this.#run(claim);
    }
  }

  #freePlaces(): Place[] {
    const taken = Object.groupBy(this.#running.values(), ({ claim }) => claim.place);
    const places = Object.entries(capacities) as [Place, number][];
    return places.flatMap(([place, most]) => ((taken[place]?.length ?? 0) < most ? place : []));
  }

  async #run(claim: Claim): Promise<void> {
    const nothing = { progress: 0, stage: null };
    const running: Running = {
      claim,
      controller: new AbortController(),
      begun: undefined,
      progress: nothing,
      written: nothing,
    };
    this.#running.set(claim.id, running);
    try {
      await this.#settle(claim, await this.#begin(running));
    } catch (err) {
      // Missing heartbeats let whoever reaches the database next take it up again.
      this.#log.warn({ err, id: claim.id, kind: claim.kind }, 'work is left to be taken again');
    } finally {
      this.#running.delete(claim.id);
      if (this.#running.size === 0) this.#onIdle();
      this.#filling.request();
    }
  }

  async #begin(running: Running): Promise<Settlement | 'died'> {
    const { claim, controller } = running;
    const { db, store } = this.#context;
    const begun = await inTransaction(db, (tx) => beginWork(tx, claim));
    if (!begun) {
      await finishDeletions(db, store);
      return 'ended';
    }
    const { name, row } = begun;
    if (claim.losses >= MAX_LOSSES) {
      const error = describeSetAside(begun, claim.losses, 'worker');
      return this.#end(begun, claim, { status: 'failed', error });
    }
    running.begun = begun;
    running.written = { progress: row.progress, stage: row.stage };
    running.progress = running.written;
    const task: Task = { name, id: row.id, claim: claim.claim, place: claim.place };
    const limits = this.#findLimits(begun, claim.place);
    const { signal } = controller;
    const outcome = await this.#carryOut(task, limits, signal, (progress, stage) => {
      running.progress = { progress, stage };
    });
    if (typeof outcome === 'string' || 'moveTo' in outcome) return outcome;
    this.#log.warn({ ...outcome, id: row.id, kind: name }, 'the process of a piece of work has ended');
    if (outcome.died === 'unbegun') return 'released';
    if (outcome.died === 'stopped') {
      if (!(signal.reason instanceof CancelRequested)) return 'released';
      return this.#end(begun, claim, { status: 'cancelled' });
    }
    if (outcome.died !== 'unknown') {
      return this.#end(begun, claim, {
        status: 'failed',
        error: describeLimit(begun, limits, outcome.died),
      });
    }
    const deaths = claim.deaths + 1;
    if (deaths < MAX_DEATHS) return 'died';
    return this.#end(begun, claim, { status: 'failed', error: describeSetAside(begun, deaths, 'process') });
  }

  /** Writes the end of work whose process is gone. */
  async #end({ name, row }: Begun, { claim }: Claim, end: WorkEnd): Promise<Settlement> {
    const { db, store } = this.#context;
    this.#log.error({ id: row.id, kind: name, ...end }, 'work is ended by the worker');
    await inTransaction(db, (tx) => endWork(tx, name, row.id, end, claim));
    await finishDeletions(db, store);
    return 'ended';
  }

  async #settle(claim: Claim, settlement: Settlement | 'died'): Promise<void> {
    if (settlement === 'released') {
      // When stopping, the work is released at once; after a lost database it is released with a delay.
      const pauseSeconds = this.#isStopping ? undefined : PAUSE_MS / 1000;
      await this.#queue.release(claim, { pauseSeconds });
    } else if (settlement === 'died') await this.#queue.release(claim, { isDeath: true });
    else if (settlement === 'again') await this.#queue.release(claim);
    else if (typeof settlement === 'object') await this.#queue.release(claim, { place: settlement.moveTo });
    else await this.#queue.endTurn(claim);
  }

  /** Sends heartbeats, and stops work that was cancelled or lost. */
  async #sendHeartbeat(): Promise<void> {
    const running = [...this.#running];
    const held = await this.#queue.beat(running.map(([id]) => id));
    for (const [id, { claim, controller }] of running) {
      const row = held.get(id);
      if (row?.claim !== claim.claim) controller.abort(new WorkLost(`${claim.kind} ${id} is held no longer`));
      else if (row.isCancelled) controller.abort(new CancelRequested(`${claim.kind} ${id} was cancelled`));
    }
  }

  #writeProgress(): void {
    this.#writing ??= (async () => {
      for (const running of this.#running.values()) {
        const { begun, progress, written } = running;
        if (!begun || (progress.progress === written.progress && progress.stage === written.stage)) continue;
        running.written = progress;
        await inTransaction(this.#context.db, (tx) => writeProgress(tx, begun, progress));
      }
    })()
      // Failing to write progress is no reason to fail.
      .catch(() => undefined)
      .finally(() => {
        this.#writing = undefined;
      });
  }
}
