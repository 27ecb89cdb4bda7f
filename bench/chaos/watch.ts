/**
 * Watches the database while processes are killed: operations that hang, that no worker holds, or that are missing from
 * the queue.
 */
import pg from 'pg';
import type { Product } from './product.ts';

const LOOK_MS = 500;
/** A live worker sends a heartbeat each second. */
const SILENT_SECONDS = 3;
/** An operation whose worker is silent for this long is released; a worker with a free slot takes it. */
const LOST_SECONDS = 10;
const WAITING_MS = 2000;

interface Waiting {
  id: string;
  kind: string;
  place: string;
  silent: number | null;
  waits: boolean;
}

export class Watch {
  /** operations that are neither finished nor in the queue */
  readonly lost = new Map<string, string>();
  /** since when, at the last check, every worker has sent heartbeats and nothing has waited beside a free slot */
  calmAt = 0;
  /** current violations, and those of the last check that had any */
  troubles: string[] = [];
  lastTroubles: string[] = [];
  readonly #product: Product;
  readonly #waitsSince = new Map<string, number>();
  readonly #missing = new Map<string, number>();
  #isOver = false;
  #looking: Promise<void>;

  constructor(product: Product) {
    this.#product = product;
    this.#looking = this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#looking;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#look().catch(() => {
        this.troubles = ['the database is away'];
      });
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async #look(): Promise<void> {
    const rows = await query<Waiting>(
      this.#product,
      `select id, kind, place, extract(epoch from clock_timestamp() - beat_at)::float as silent,
         worker_id is null and run_at <= now() as waits from work_queue`,
    );
    const now = performance.now();
    const isLost = ({ silent }: Waiting) => (silent ?? 0) > LOST_SECONDS;
    const held = new Set(rows.filter((row) => row.silent !== null && !isLost(row)).map(({ place }) => place));
    const waiting = rows.filter((row) => (row.waits || isLost(row)) && !held.has(row.place));
    const isWaiting = (id: string) => waiting.some((row) => row.id === id);
    for (const id of this.#waitsSince.keys()) if (!isWaiting(id)) this.#waitsSince.delete(id);
    for (const { id } of waiting) if (!this.#waitsSince.has(id)) this.#waitsSince.set(id, now);
    this.troubles = rows
      .filter(
        (row) =>
          (!isLost(row) && (row.silent ?? 0) > SILENT_SECONDS) ||
          now - (this.#waitsSince.get(row.id) ?? now) > WAITING_MS,
      )
      .map((row) => {
        const { kind, id, place, silent } = row;
        return silent === null || isLost(row)
          ? `${kind} ${id} waits beside a free place (${place})`
          : `${kind} ${id} is held by nobody who lives (${place})`;
      });
    const silence = Math.max(0, ...rows.map((row) => (isLost(row) ? 0 : (row.silent ?? 0))));
    if (this.troubles.length > 0) this.lastTroubles = this.troubles;
    else this.calmAt = now - 1000 * silence;
    // Checked twice: a step may finish and wake its run between two statements of one check.
    const lost = await query<{ id: string; kind: string }>(this.#product, unqueued);
    for (const { id, kind } of lost) {
      const times = (this.#missing.get(id) ?? 0) + 1;
      this.#missing.set(id, times);
      if (times > 1) this.lost.set(id, `${kind} ${id} has not ended and is not in the queue`);
    }
  }
}

/**
 * Unfinished operations that nothing will ever continue: a run waits for its steps, a request for its runs, everything
 * else must be in the queue.
 */
const unqueued = `
  select 'operation' as kind, id from operations w where finished_at is null
    and not exists (select from work_queue q where q.id = w.id)
  union all select 'export', id from exports w where finished_at is null
    and not exists (select from work_queue q where q.id = w.id)
  union all select 'view', id from data_views w where finished_at is null
    and not exists (select from work_queue q where q.id = w.id)
  union all select 'render', id from bookmark_renders w where finished_at is null
    and not exists (select from work_queue q where q.id = w.id)
  union all select 'run', id from recipe_invocations w where finished_at is null
    and not exists (select from work_queue q where q.id = w.id)
    and not exists (select from operations o where o.invocation_id = w.id and o.finished_at is null)
  union all select 'bulk request', id from bulk_requests w where finished_at is null
    and not exists (select from work_queue q where q.id = w.id)
    and not exists (select from bulk_items i join recipe_invocations r on r.bulk_item_id = i.id
      where i.bulk_request_id = w.id and r.finished_at is null)`;

/** Lock waits in the database and holders of queue entries, to diagnose a hang. */
export async function describeHang(product: Product): Promise<string> {
  const sessions = await query<{ line: string }>(product, hangingSessions).catch(() => []);
  const held = await query<{ line: string }>(product, heldWork).catch(() => []);
  return [...sessions, ...held].map(({ line }) => `  ${line}`).join('\n');
}

const hangingSessions = `
  select concat_ws(' ', pid, application_name, state, wait_event_type, wait_event,
    'for', round(extract(epoch from clock_timestamp() - coalesce(xact_start, state_change))::numeric, 1), 's',
    'blocked by', pg_blocking_pids(pid)::text, left(regexp_replace(query, '\\s+', ' ', 'g'), 160)) as line
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and (xact_start is not null or cardinality(pg_blocking_pids(pid)) > 0)
  order by xact_start`;

const heldWork = `
  select concat_ws(' ', kind, id, place, 'worker', left(worker_id::text, 8), 'claim', claim, 'deaths', deaths,
    'losses', losses, 'silent', round(extract(epoch from clock_timestamp() - beat_at)::numeric, 1),
    'run at', run_at, 'created', created_at, case when is_cancelled then 'cancelled' end) as line
  from work_queue order by beat_at nulls last, created_at limit 40`;

/** Runs one statement on a separate connection. @throws Error while the database is down */
export async function query<Row extends object>(product: Product, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: product.databaseUrl, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
