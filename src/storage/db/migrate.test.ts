import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../migrate.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { exampleContent } from '../testing/example-content.ts';
import { brokenConstraint, inTransaction, sqlState } from './connection.ts';
import { organizations, users, workspaces } from './schema-accounts.ts';
import { dataObjects } from './schema-data.ts';
import { blobs, projects } from './schema-projects.ts';
import { operations } from './schema-work.ts';
import { projectTexts } from './search-text.ts';

let database: TestDatabase;
let projectId: string;
let organizationId: string;

beforeAll(async () => {
  database = await testDatabase();
  const { db } = database;
  organizationId = (
    await db.insert(organizations).values({ name: 'Foundry', slug: 'foundry' }).returning()
  )[0].id;
  const [workspace] = await db.insert(workspaces).values({ organizationId, name: 'Castings' }).returning();
  const values = { organizationId, workspaceId: workspace.id, ...projectTexts({ name: 'Gehäuse' }) };
  projectId = (await db.insert(projects).values(values).returning())[0].id;
});
afterAll(() => database.close());

/** Creates an additional, empty database. */
async function emptyDatabase() {
  const name = `empty_${randomBytes(4).toString('hex')}`;
  await database.connection.pool.query(`create database ${name} encoding 'UTF8' template template0`);
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href });
  return {
    url: url.href,
    pool,
    async close() {
      await pool.end();
      await database.connection.pool.query(`drop database ${name}`);
    },
  };
}

/** Applies the migrations of an earlier version: those numbered up to `last`. */
async function applyUpTo(url: string, last: number): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'scanwright-migrations-'));
  const client = new pg.Client({ connectionString: url });
  try {
    await cp(path.join(import.meta.dirname, 'migrations'), folder, { recursive: true });
    const file = path.join(folder, 'meta', '_journal.json');
    const journal = JSON.parse(await readFile(file, 'utf8')) as { entries: { idx: number }[] };
    const entries = journal.entries.filter(({ idx }) => idx <= last);
    await writeFile(file, JSON.stringify({ ...journal, entries }));
    await client.connect();
    await applyMigrations(drizzle(client), { migrationsFolder: folder });
  } finally {
    await client.end();
    await rm(folder, { recursive: true });
  }
}

describe('the schema', () => {
  it('is applied once when several processes start at the same time', async () => {
    await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
    const { rows } = await database.connection.pool.query(
      'select count(*)::int as n from drizzle.__drizzle_migrations',
    );
    expect(rows[0].n).toBeGreaterThan(0);
    const again = await database.connection.pool.query(
      'select hash from drizzle.__drizzle_migrations group by hash having count(*) > 1',
    );
    expect(again.rows).toEqual([]);
  });

  it('accepts an email address once, ignoring case', async () => {
    await database.db.insert(users).values({ email: 'Ada@Example.org', name: 'Ada' });
    const failure = await database.db
      .insert(users)
      .values({ email: 'ada@example.ORG', name: 'Ada' })
      .catch((error: unknown) => error);
    expect(sqlState(failure)).toBe('23505');
    expect(brokenConstraint(failure)).toBe('users_email_key');
  });

  it('allows one pending or running direct request of a kind per project, and another one after it stops', async () => {
    const values = { projectId, organizationId, operation: 'createMesh', exclusive: true };
    const [first] = await database.db.insert(operations).values(values).returning();
    const failure = await database.db
      .insert(operations)
      .values(values)
      .catch((error: unknown) => error);
    expect(brokenConstraint(failure)).toBe('operations_one_waiting_or_running');
    await database.db.insert(operations).values({ ...values, exclusive: false });
    await database.db.update(operations).set({ status: 'cancelling' }).where(eq(operations.id, first.id));
    await database.db.insert(operations).values(values);
  });

  it('refuses to delete the row of a blob referenced by a project', async () => {
    await database.db.insert(blobs).values({ key: 'thumbnails/1.png', kind: 'object' });
    await database.db
      .update(projects)
      .set({ thumbnailKey: 'thumbnails/1.png' })
      .where(eq(projects.id, projectId));
    const failure = await database.db
      .delete(blobs)
      .where(eq(blobs.key, 'thumbnails/1.png'))
      .catch((error: unknown) => error);
    expect(sqlState(failure)).toBe('23503');
  });

  it('removes the volume of open meshes measured by earlier versions', async () => {
    const { db } = database;
    const { metadata: open } = exampleContent('mesh', { watertight: false, volumeMm3: -10.4 });
    const { metadata: closed } = exampleContent('mesh', { watertight: true, volumeMm3: 2 });
    const values = [open, closed].map((metadata) => ({
      projectId,
      kind: 'mesh' as const,
      name: metadata.watertight ? 'closed' : 'open',
      metadata,
    }));
    await db.insert(dataObjects).values(values);
    const folder = new URL('./migrations/', import.meta.url);
    const file = readdirSync(folder).find((name) => name.endsWith('_open_meshes.sql')) ?? '';
    await database.connection.pool.query(readFileSync(new URL(file, folder), 'utf8'));
    const rows = await db.select().from(dataObjects).where(eq(dataObjects.projectId, projectId));
    const found = Object.fromEntries(rows.map(({ name, metadata }) => [name, metadata]));
    const volumeReason = 'The surface is not closed.';
    expect(found).toEqual({ closed, open: { ...open, volumeMm3: null, volumeReason } });
  });

  it('retries a transaction after a deadlock', async () => {
    const { db } = database;
    const keys = ['deadlock/a', 'deadlock/b'];
    for (const key of keys) await db.insert(blobs).values({ key, kind: 'object', sizeBytes: 0 });
    let runs = 0;
    let entered = 0;
    let open: () => void = () => undefined;
    const bothEntered = new Promise<void>((resolve) => {
      open = resolve;
    });
    const changes: Promise<void>[] = [];
    const change = async (index: number, order: string[]) => {
      let attempts = 0;
      await inTransaction(db, async (tx) => {
        runs += 1;
        attempts += 1;
        // The retry waits for the other transaction, because both could deadlock again otherwise.
        if (attempts > 1) await changes[1 - index];
        for (const [step, key] of order.entries()) {
          const [row] = await tx.select().from(blobs).where(eq(blobs.key, key)).for('update');
          await tx
            .update(blobs)
            .set({ sizeBytes: (row.sizeBytes ?? 0) + 1 })
            .where(eq(blobs.key, key));
          if (step === 0) {
            entered += 1;
            if (entered === 2) open();
            await bothEntered;
          }
        }
      });
    };
    changes.push(change(0, keys), change(1, keys.toReversed()));
    await Promise.all(changes);
    expect(runs).toBe(3);
    const rows = await db.select().from(blobs).where(eq(blobs.key, keys[0]));
    expect(rows[0].sizeBytes).toBe(2);
  });
});

describe('a database of the version that cached lists in memory', () => {
  it('keeps its projects, except for verdicts without a measurement, and loses the data for that version’s lists', async () => {
    const old = await emptyDatabase();
    try {
      await applyUpTo(old.url, 4);
      const { pool } = old;
      await pool.query('create extension if not exists pg_trgm');
      await pool.query(`
        create index projects_search on projects using gin (search_text gin_trgm_ops);
        insert into organizations (name, slug) values ('A', 'a');
        insert into workspaces (organization_id, name) select id, 'W' from organizations;
        insert into projects (organization_id, workspace_id, name, name_sort, search_text, tags, verdict)
        select organization_id, id, 'Gehäuse ' || i, 'gehause ' || i, 'gehause ' || i, array['t' || i], 'pass'
        from workspaces, generate_series(1, 50) i`);
      const read = async () =>
        (await pool.query('select id, name, tags, verdict, version, created_at from projects order by id'))
          .rows;
      const before = await read();
      await migrate(old.url);
      expect(before).toHaveLength(50);
      // Nothing was measured on them, so no verdict can be computed.
      const expected = before.map((row) => ({ ...row, verdict: null, version: row.version + 1 }));
      expect(await read()).toEqual(expected);
      const left = await pool.query(`
        select proname as name from pg_proc where proname in ('count_projects', 'note_project_change')
        union select tgname from pg_trigger where tgrelid = 'projects'::regclass and not tgisinternal
        union select relname from pg_class where relname in ('project_counts', 'projects_changed')
        union select attname from pg_attribute where attrelid = 'projects'::regclass and attname = 'changed_in'`);
      expect(left.rows).toEqual([]);
      const found = await pool.query(
        `select count(*)::int as n from projects where ngrams(search_text) @> '{e 7}'`,
      );
      expect(found.rows).toEqual([{ n: 1 }]);
    } finally {
      await old.close();
    }
  });
});

describe('an unusable database', () => {
  it('is reported in one line without its password', async () => {
    const url = 'postgresql://someone:secret@127.0.0.1:9/none';
    const failure = (await migrate(url).catch((error: unknown) => error)) as Error;
    expect(failure.name).toBe('DatabaseUnavailable');
    expect(failure.message).toMatch(
      /^the database at postgresql:\/\/someone@127\.0\.0\.1:9\/none can't be reached: .+$/,
    );
    expect(failure.message).not.toContain('secret');
  });
});
