import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { exampleContent } from '#storage/testing/example-content.ts';
import { organizations, workspaces } from '../db/schema-accounts.ts';
import { dataObjectFiles, dataObjects } from '../db/schema-data.ts';
import { blobDeletions, blobs, projects } from '../db/schema-projects.ts';
import { projectTexts } from '../db/search-text.ts';
import { settingOnce, signingSecret } from '../db/settings.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import type { BlobStore } from './blob-store.ts';
import { openDiskStore } from './disk-store.ts';
import { describeBlob, registerBlob, sweepBlobs } from './sweep.ts';

let database: TestDatabase;
let directory: string;
let store: BlobStore;
let projectId: string;

beforeAll(async () => {
  database = await testDatabase();
  directory = await mkdtemp(path.join(tmpdir(), 'scanwright-sweep-'));
  store = await openDiskStore(directory);
});
beforeEach(async () => {
  await database.connection.pool.query('truncate organizations, blobs, blob_deletions cascade');
  const { db } = database;
  const [{ id: organizationId }] = await db
    .insert(organizations)
    .values({ name: 'Lab', slug: 'lab' })
    .returning();
  const [{ id: workspaceId }] = await db
    .insert(workspaces)
    .values({ organizationId, name: 'All' })
    .returning();
  const values = { organizationId, workspaceId, ...projectTexts({ name: 'Part' }) };
  projectId = (await db.insert(projects).values(values).returning())[0].id;
});
afterAll(async () => {
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

async function write(key: string, kind: 'object' | 'volume' = 'object'): Promise<void> {
  await registerBlob(database.db, { key, kind });
  const { sizeBytes, sha256 } = await store.put(
    kind === 'volume' ? `${key}/c/0/0/0` : key,
    new Uint8Array([1, 2, 3]),
  );
  await describeBlob(database.db, key, { sizeBytes, sha256 });
}

it('deletes unreferenced blobs, and keeps blobs shared by copies until the last copy is deleted', async () => {
  const { db } = database;
  await write('files/shared');
  await write('files/lost');
  await write('volumes/shared', 'volume');
  await write('volumes/lost', 'volume');
  const values = { projectId, ...exampleContent('volume'), name: 'scan', volumeKey: 'volumes/shared' };
  const objects = await db.insert(dataObjects).values([values, values]).returning();
  for (const { id: dataObjectId } of objects) {
    await db.insert(dataObjectFiles).values({
      dataObjectId,
      fileName: 'scan.nrrd',
      mediaType: 'application/octet-stream',
      sizeBytes: 3,
      sha256: '0',
      blobKey: 'files/shared',
    });
  }
  expect(await sweepBlobs(db, store, 0)).toBe(2);
  expect([await store.head('files/lost'), await store.head('volumes/lost/c/0/0/0')]).toEqual([
    undefined,
    undefined,
  ]);
  await db.delete(dataObjects).where(eq(dataObjects.id, objects[0].id));
  expect(await sweepBlobs(db, store, 0)).toBe(0);
  expect(await store.head('volumes/shared/c/0/0/0')).toBeDefined();
  await db.delete(dataObjects).where(eq(dataObjects.id, objects[1].id));
  expect(await sweepBlobs(db, store, 0)).toBe(2);
  expect([await store.head('files/shared'), await store.head('volumes/shared/c/0/0/0')]).toEqual([
    undefined,
    undefined,
  ]);
});

it('keeps recently registered blobs', async () => {
  await write('files/young');
  expect(await sweepBlobs(database.db, store)).toBe(0);
  expect(await store.head('files/young')).toBeDefined();
});

it('finishes deletions left by a killed process', async () => {
  await store.put('files/half-deleted', new Uint8Array(1));
  await database.db.insert(blobDeletions).values({ key: 'files/half-deleted', kind: 'object' });
  expect(await sweepBlobs(database.db, store)).toBe(1);
  expect(await store.head('files/half-deleted')).toBeUndefined();
});

it('checks every column with a foreign key to blobs', async () => {
  const { rows } = await database.connection.pool.query<{ table: string; column: string }>(`
    select c.conrelid::regclass::text as table, a.attname as column from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid = 'blobs'::regclass`);
  expect(rows.length).toBeGreaterThan(8);
  for (const { table, column } of rows) {
    await write(`files/${table}.${column}`);
    // A row with only the reference, inserted with constraints disabled.
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      const { rows: needed } = await tx.execute<{ name: string; type: string }>(
        sql`select column_name as name, udt_name as type from information_schema.columns
            where table_name = ${table} and is_nullable = 'NO' and column_default is null and column_name <> ${column}`,
      );
      const filler: Record<string, string> = {
        uuid: 'gen_random_uuid()',
        jsonb: `'{}'`,
        int4: '1',
        int8: '1',
        timestamptz: 'now()',
      };
      const names = [column, ...needed.map(({ name }) => name)].map((name) => `"${name}"`);
      const values = [`'files/${table}.${column}'`, ...needed.map(({ type }) => filler[type] ?? `'x'`)];
      await tx.execute(sql.raw(`insert into ${table} (${names.join(',')}) values (${values.join(',')})`));
    });
  }
  expect(await sweepBlobs(database.db, store, 0)).toBe(0);
  expect((await database.db.select().from(blobs)).length).toBe(rows.length);
});

it('creates a setting once, even with concurrent requests', async () => {
  let made = 0;
  const ask = () =>
    settingOnce(database.db, 'test', () => {
      made += 1;
      return { made };
    });
  const values = await Promise.all([ask(), ask(), ask()]);
  expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(1);
  const [first, second] = [await signingSecret(database.db), await signingSecret(database.db)];
  expect(first).toEqual(second);
  expect(first).toHaveLength(32);
});
