/** Distributes database events from one connection to the callers that may see them. */
import { and, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import { eventResources, eventTypes, type ServiceEvent } from '#contract/shapes/event.ts';
import { findMemberWorkspaces } from '#storage/access/access.ts';
import type { Connection } from '#storage/db/connection.ts';
import { type ChangeEvent, type Subscription, subscribe } from '#storage/db/events.ts';
import { organizationMembers, tokens, users } from '#storage/db/schema-accounts.ts';

const HEARTBEAT_MS = 15_000;
const RECHECK_MS = 5_000;
/** bytes buffered for a slow client before its stream is closed; the client then reconnects and refetches */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface Listener {
  userId: string;
  tokenId: string;
  expiresAt: Date | null;
  /** returns false when the text had to be buffered */
  write(text: string): boolean;
  waitingBytes(): number;
  end(): void;
}

interface Entry {
  listener: Listener;
  workspaceIds: Set<string>;
  organizationIds: Set<string>;
}

const types = new Set<string>(eventTypes);
const resources = new Set<string>(eventResources);

/** The public form of an event; undefined for events that the contract does not define. */
function toServiceEvent({
  type,
  resource,
  id,
  projectId,
  sharedView,
}: ChangeEvent): ServiceEvent | undefined {
  if (!resources.has(resource)) return undefined;
  return {
    type: (types.has(type) ? type : 'updated') as ServiceEvent['type'],
    resource: resource as ServiceEvent['resource'],
    id,
    ...(projectId === undefined ? {} : { projectId }),
    ...(sharedView === undefined ? {} : { sharedView }),
  };
}

function maySee({ listener, workspaceIds, organizationIds }: Entry, event: ChangeEvent): boolean {
  if (event.userId !== undefined) return event.userId === listener.userId;
  if (event.workspaceId !== undefined) return workspaceIds.has(event.workspaceId);
  return organizationIds.has(event.organizationId);
}

export class EventHub {
  readonly #connection: Connection;
  readonly #onError: (error: Error) => void;
  readonly #entries = new Set<Entry>();
  #subscription: Subscription | undefined;
  #timers: NodeJS.Timeout[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(connection: Connection, onError: (error: Error) => void) {
    this.#connection = connection;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#subscription = await subscribe(this.#connection.url, {
      onEvent: (event) => {
        // Events are handled in order, so that a change of rights applies to all later events.
        this.#last = this.#last.then(() => this.#take(event)).catch(this.#onError);
      },
      // Missed events are unknown, so all clients must reconnect and refetch.
      onGap: () => this.#endAll(),
      onError: this.#onError,
    });
    this.#timers = [
      setInterval(() => this.#writeAll(': still here\n\n'), HEARTBEAT_MS),
      setInterval(() => this.#recheck().catch(this.#onError), RECHECK_MS),
    ];
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#endAll();
    await this.#subscription?.close();
  }

  /** @returns a function that removes the listener */
  async add(listener: Listener): Promise<() => void> {
    const entry: Entry = { listener, workspaceIds: new Set(), organizationIds: new Set() };
    await this.#loadRights(entry);
    this.#entries.add(entry);
    return () => this.#entries.delete(entry);
  }

  async #loadRights(entry: Entry): Promise<void> {
    const { db } = this.#connection;
    const { userId } = entry.listener;
    const memberships = await db
      .select({ id: organizationMembers.organizationId })
      .from(organizationMembers)
      .where(eq(organizationMembers.userId, userId));
    entry.workspaceIds = new Set((await findMemberWorkspaces(db, userId)).map(({ id }) => id));
    entry.organizationIds = new Set(memberships.map(({ id }) => id));
  }

  async #take(event: ChangeEvent): Promise<void> {
    const shape = toServiceEvent(event);
    if (shape) {
      const text = `data: ${JSON.stringify(shape)}\n\n`;
      for (const entry of this.#entries) if (maySee(entry, event)) this.#write(entry, text);
    }
    // Changes of members and roles are reported as changes of the organization.
    if (event.resource === 'organization') await this.#recheck();
  }

  #writeAll(text: string): void {
    for (const entry of this.#entries) this.#write(entry, text);
  }

  #write(entry: Entry, text: string): void {
    if (!entry.listener.write(text) && entry.listener.waitingBytes() > MAX_WAITING_BYTES) this.#end(entry);
  }

  #end(entry: Entry): void {
    this.#entries.delete(entry);
    entry.listener.end();
  }

  #endAll(): void {
    for (const entry of this.#entries) this.#end(entry);
  }

  /** Closes the streams of revoked tokens and disabled accounts, and reloads the rights of the others. */
  async #recheck(): Promise<void> {
    if (this.#entries.size === 0) return;
    const ids = [...new Set([...this.#entries].map(({ listener }) => listener.tokenId))];
    const rows = await this.#connection.db
      .select({ id: tokens.id })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(
        and(
          inArray(tokens.id, ids),
          isNull(users.disabledAt),
          isNull(tokens.revokedAt),
          or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
        ),
      );
    const alive = new Set(rows.map(({ id }) => id));
    for (const entry of [...this.#entries]) {
      if (alive.has(entry.listener.tokenId)) await this.#loadRights(entry);
      else this.#end(entry);
    }
  }
}
