/**
 * Keeps the columns of large organizations in memory (see project-columns.ts) and true: PostgreSQL takes some
 * 50 ms of computing to search 100,000 projects for two letters, and the columns a tenth of it.
 *
 * True means: whatever was committed before the question is in the answer. So each question asks PostgreSQL
 * first what changed since the snapshot that the columns stand for. `projects.changed_in` is the transaction
 * that wrote a row last, kept by a trigger; a row is new to the columns when that transaction is not visible in
 * their snapshot. Rows that are gone don't show up there, but in the number of rows, which triggers keep too
 * (`project_counts`): when it differs, the columns are thrown away. While they are read, PostgreSQL answers.
 */
import { type SQL, sql } from 'drizzle-orm';
import { PgTransaction } from 'drizzle-orm/pg-core';
import type { Database, Executor } from './connection.ts';
import { type ColumnRow, ProjectColumns } from './project-columns.ts';
import { compactWhenMany, numberOfProjects } from './project-counts.ts';
import { projectCounts, projects } from './schema-projects.ts';

/** up to here PostgreSQL answers as fast */
const MIN_ROWS = 3000;
/** of all organizations together, some 40 MB for each 100,000; the one unused longest is dropped beyond it */
const MAX_ROWS = 400_000;
/** reading takes no more than this share of the time, however often projects are removed */
const READING_SHARE = 0.1;
/** more changes than this at once are read anew, aside */
const MAX_CHANGES = 2000;

/** The moment that the columns stand for. */
interface Snapshot {
  snapshot: string;
  /** another server, or one restarted from a backup, counts its transactions otherwise */
  server: string;
}

interface Kept extends Snapshot {
  columns: ProjectColumns;
  /** the question under way, and the one that waits for it and may be shared until it starts */
  asking: Promise<boolean> | undefined;
  waiting: Promise<boolean> | undefined;
}

interface Memory {
  kept: Map<string, Kept>;
  reading: Map<string, Promise<void>>;
  /** when an organization may be read again, by performance.now() */
  notBefore: Map<string, number>;
}

export interface MemoryOptions {
  /** `auto`: for large organizations, once they are read; the others are for tests */
  memory?: 'auto' | 'always' | 'never';
}

const memories = new WeakMap<Database, Memory>();

function memoryOf(db: Database): Memory {
  const memory = memories.get(db) ?? { kept: new Map(), reading: new Map(), notBefore: new Map() };
  memories.set(db, memory);
  return memory;
}

const now: SQL = sql`pg_current_snapshot()::text as snapshot, pg_postmaster_start_time()::text as server`;

const columnsOfRow: SQL = sql`${projects.id} as "id", ${projects.workspaceId} as "workspaceId",
  ${projects.nameSort} as "nameSort", ${projects.searchText} as "searchText", ${projects.state} as "state",
  ${projects.verdict} as "verdict", ${projects.tags} as "tags",
  ${projects.storageBytes}::float8 as "storageBytes",
  (extract(epoch from ${projects.createdAt}) * 1000)::float8 as "createdAtMs",
  (extract(epoch from ${projects.updatedAt}) * 1000)::float8 as "updatedAtMs"`;

/**
 * The columns of these organizations as of now; undefined when PostgreSQL shall answer: they are few, or not
 * read yet, or this is inside of a transaction, whose own changes nobody else may see.
 */
export async function columnsInMemory(
  db: Executor,
  organizationIds: string[],
  { memory: mode = 'auto' }: MemoryOptions = {},
): Promise<ProjectColumns[] | undefined> {
  if (mode === 'never' || db instanceof PgTransaction) return undefined;
  const memory = memoryOf(db);
  if (!organizationIds.every((id) => memory.kept.has(id))) {
    const rows = mode === 'always' ? undefined : await numberOfProjects(db, organizationIds);
    if (rows !== undefined && (rows < MIN_ROWS || rows > MAX_ROWS)) return undefined;
    if (mode === 'always') memory.notBefore.clear();
    const readings = organizationIds.map((id) => startReading(db, memory, id));
    if (mode !== 'always') return undefined;
    await Promise.all(readings);
  }
  const fresh = await Promise.all(organizationIds.map((id) => freshColumns(db, memory, id)));
  if (fresh.every((columns) => columns !== undefined)) return fresh;
  return mode === 'always' ? columnsInMemory(db, organizationIds, { memory: mode }) : undefined;
}

/** Reads an organization unless that is under way; never rejects, since nobody may be waiting. */
function startReading(db: Database, memory: Memory, organizationId: string): Promise<void> {
  if (memory.kept.has(organizationId)) return Promise.resolve();
  const under = memory.reading.get(organizationId);
  if (under !== undefined) return under;
  const start = performance.now();
  if (start < (memory.notBefore.get(organizationId) ?? 0)) return Promise.resolve();
  const reading = read(db, organizationId)
    .then((kept) => {
      memory.kept.set(organizationId, kept);
      dropUnused(memory);
    })
    // The database is away or closing: the next question says so itself, or starts anew.
    .catch(() => undefined)
    .finally(() => {
      const end = performance.now();
      memory.notBefore.set(organizationId, end + (end - start) / READING_SHARE);
      memory.reading.delete(organizationId);
    });
  memory.reading.set(organizationId, reading);
  return reading;
}

async function read(db: Database, organizationId: string): Promise<Kept> {
  const [snapshot, rows] = await db.transaction(
    async (tx) => {
      const moment = await tx.execute<Snapshot & Record<string, unknown>>(sql`select ${now}`);
      const all = await tx.execute<ColumnRow & Record<string, unknown>>(
        sql`select ${columnsOfRow} from ${projects} where ${projects.organizationId} = ${organizationId}
            order by ${projects.id}`,
      );
      return [moment.rows[0], all.rows];
    },
    // One snapshot for both statements.
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
  return { ...snapshot, columns: await ProjectColumns.of(rows), asking: undefined, waiting: undefined };
}

function dropUnused({ kept }: Memory): void {
  let rows = 0;
  for (const { columns } of kept.values()) rows += columns.size;
  for (const [id, { columns }] of kept) {
    if (rows <= MAX_ROWS || kept.size === 1) return;
    kept.delete(id);
    rows -= columns.size;
  }
}

async function freshColumns(
  db: Database,
  memory: Memory,
  organizationId: string,
): Promise<ProjectColumns | undefined> {
  const kept = memory.kept.get(organizationId);
  if (kept === undefined) return undefined;
  // Moves to the end of the map: used last.
  memory.kept.delete(organizationId);
  memory.kept.set(organizationId, kept);
  try {
    if (await bringUpToDate(db, kept, organizationId)) return kept.columns;
  } catch (error) {
    if (memory.kept.get(organizationId) === kept) memory.kept.delete(organizationId);
    throw error;
  }
  if (memory.kept.get(organizationId) === kept) memory.kept.delete(organizationId);
  void startReading(db, memory, organizationId);
  return undefined;
}

/**
 * One question at a time, so that an older answer never overwrites a newer one. Who comes while one is under
 * way needs the next, since the present one may have begun before a commit that the caller knows of.
 */
function bringUpToDate(db: Database, kept: Kept, organizationId: string): Promise<boolean> {
  const ask = (): Promise<boolean> => {
    const asking = takeChanges(db, kept, organizationId).finally(() => {
      if (kept.asking === asking) kept.asking = undefined;
    });
    kept.asking = asking;
    return asking;
  };
  if (kept.waiting !== undefined) return kept.waiting;
  if (kept.asking === undefined) return ask();
  kept.waiting = kept.asking
    .catch(() => false)
    .then(() => {
      kept.waiting = undefined;
      return ask();
    });
  return kept.waiting;
}

/** Beside each change, what is true of them all; the change is null when there is none. */
type ChangeRow = Snapshot & { count: number; changes: number } & {
  [Name in keyof ColumnRow]: ColumnRow[Name] | null;
};

/** @returns false when the columns can't be brought up to date and are to be read anew */
async function takeChanges(db: Database, kept: Kept, organizationId: string): Promise<boolean> {
  const since = sql`${kept.snapshot}::pg_snapshot`;
  // One statement, so one snapshot for the number of rows and the changes. Without changes there is one row
  // of nulls. Transactions beyond the present ones come from a restored backup and say nothing.
  const { rows } = await db.execute<ChangeRow & Record<string, unknown>>(sql`
    select ${now}, moment.*, changed.* from (
      select coalesce(sum(${projectCounts.change}), 0)::float8 as count, count(*)::int as changes from ${projectCounts}
      where ${projectCounts.organizationId} = ${organizationId}
    ) moment left join (
      select ${columnsOfRow} from ${projects}
      where ${projects.organizationId} = ${organizationId}
        and ${projects.changedIn} >= pg_snapshot_xmin(${since})
        and ${projects.changedIn} < pg_snapshot_xmax(pg_current_snapshot())
        and not pg_visible_in_snapshot(${projects.changedIn}, ${since})
      limit ${MAX_CHANGES + 1}
    ) changed on true`);
  const { snapshot, server, count, changes } = rows[0];
  compactWhenMany(db, changes);
  if (server !== kept.server || rows.length > MAX_CHANGES) return false;
  kept.columns.update(rows.filter((row): row is typeof row & ColumnRow => row.id !== null));
  kept.snapshot = snapshot;
  return kept.columns.size === count;
}
