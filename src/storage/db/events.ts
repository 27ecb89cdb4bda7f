/**
 * Change events, sent to every process through PostgreSQL's NOTIFY. An event is sent in the transaction of the change, so
 * rolled-back changes send none. It states which resource changed, not how; the listener reads the resource with the rights
 * of its user. Events are not stored: `onGap` tells a disconnected listener that it may have missed some.
 */
import { sql } from 'drizzle-orm';
import pg from 'pg';
import type { SharedView } from '#contract/shapes/shared-view.ts';
import type { Executor } from './connection.ts';

const CHANNEL = 'scanwright_events';
/** PostgreSQL refuses 8,000 bytes and more */
const MAX_PAYLOAD_BYTES = 7_900;
const CHECK_INTERVAL_MS = 10_000;
const MAX_RECONNECT_DELAY_MS = 5_000;

export interface ChangeEvent {
  /** created, updated, progressed, deleted, or a verb of the resource */
  type: string;
  /** project, operation, dataObject, export, bulkRequest, recipeInvocation, bookmark, notification ... */
  resource: string;
  id: string;
  projectId?: string;
  organizationId: string;
  workspaceId?: string;
  /** when only one user is meant */
  userId?: string;
  /** shared view sent to other viewers of the project; exists only in the event */
  sharedView?: SharedView;
}

/** Sends the event when the transaction commits; equal events of one transaction are delivered once. */
export async function notify(tx: Executor, event: ChangeEvent): Promise<void> {
  const payload = JSON.stringify(event);
  const size = Buffer.byteLength(payload);
  if (size > MAX_PAYLOAD_BYTES) {
    throw new RangeError(
      `an event holds ids only: this one has ${size} bytes, ${MAX_PAYLOAD_BYTES} are possible`,
    );
  }
  await tx.execute(sql`select pg_notify(${CHANNEL}, ${payload})`);
}

export interface Subscription {
  close(): Promise<void>;
}

export interface SubscriberOptions {
  onEvent(event: ChangeEvent): void;
  /** the connection was lost and restored, so events may have been missed */
  onGap?(): void;
  onError?(error: Error): void;
}

/** Listens on a separate connection, reconnecting when it is lost; resolves once it listens. */
export async function subscribe(url: string, options: SubscriberOptions): Promise<Subscription> {
  return listen(url, CHANNEL, {
    onPayload: (payload) => options.onEvent(JSON.parse(payload) as ChangeEvent),
    onGap: () => options.onGap?.(),
    onError: (error) => options.onError?.(error),
  });
}

/** Sends text on the given channel when the transaction commits. */
export async function notifyChannel(tx: Executor, channel: string, payload: string): Promise<void> {
  await tx.execute(sql`select pg_notify(${channel}, ${payload})`);
}

/** Listens on one channel until closed; the first connection must succeed. */
export async function listen(
  url: string,
  channel: string,
  on: { onPayload(payload: string): void; onGap(): void; onError(error: Error): void },
): Promise<Subscription> {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;

  const open = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'scanwright events',
      connectionTimeoutMillis: 10_000,
      query_timeout: CHECK_INTERVAL_MS,
      keepAlive: true,
    });
    next.on('error', (error) => lose(next, error));
    next.on('end', () => lose(next));
    next.on('notification', ({ payload }) => {
      if (payload !== undefined && !closed) on.onPayload(payload);
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      void next.end().catch(() => undefined);
      throw error;
    }
    client = next;
    failures = 0;
    check(next);
  };
  /** Detects a silently broken connection by a query without response. */
  const check = (current: pg.Client): void => {
    timer = setTimeout(() => {
      current.query('SELECT 1').then(
        () => current === client && check(current),
        (error: Error) => lose(current, error),
      );
    }, CHECK_INTERVAL_MS);
  };
  const lose = (lost: pg.Client, error?: Error): void => {
    if (closed || lost !== client) return;
    client = undefined;
    clearTimeout(timer);
    if (error) on.onError(error);
    void lost.end().catch(() => undefined);
    again();
  };
  const again = (): void => {
    timer = setTimeout(
      () => {
        open().then(
          () => on.onGap(),
          (error: Error) => {
            failures += 1;
            on.onError(error);
            if (!closed) again();
          },
        );
      },
      Math.min(MAX_RECONNECT_DELAY_MS, 100 * 2 ** failures),
    );
  };

  await open();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
