import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDiskStore } from './blobs/disk-store.ts';
import { registerBlob } from './blobs/sweep.ts';
import { claimStore, MARK } from './claim-store.ts';
import { settings } from './db/schema-system.ts';
import { testDatabase } from './testing/database.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let folders: string[];
beforeEach(async () => {
  database = await testDatabase();
  folders = await Promise.all([0, 1].map(() => mkdtemp(path.join(tmpdir(), 'claim-'))));
});
afterEach(async () => {
  await database.close();
  for (const folder of folders) await rm(folder, { recursive: true });
});

const claim = async (folder: string, db = database.db) =>
  claimStore(db, await openDiskStore(folder), { dataDir: folder, s3: undefined });

test('the first start claims an empty folder, and later starts recognize it', async () => {
  await claim(folders[0]);
  await claim(folders[0]);
});

test('a second host with its own folder is refused with a one-line instruction', async () => {
  await claim(folders[0]);
  const refusal = await claim(folders[1]).catch((error: Error) => error.message);
  expect(refusal).toBe(
    `DATA_DIR=${folders[1]} does not hold the files of this database: every host of a database needs the same folder (shared between them), or a bucket (S3_BUCKET)`,
  );
});

test('when two hosts start at once with their own folders, one is refused', async () => {
  const results = await Promise.allSettled([claim(folders[0]), claim(folders[1])]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('two hosts with a shared folder both start, even at once', async () => {
  await Promise.all([claim(folders[0]), claim(folders[0])]);
});

test('the folder of another database is refused', async () => {
  await claim(folders[0]);
  const other = await testDatabase();
  await expect(claim(folders[0], other.db)).rejects.toThrow('holds the files of another database');
  await other.close();
});

test('a start killed between its steps is completed by the next one', async () => {
  await claim(folders[0]);
  await database.db.delete(settings).where(eq(settings.key, 'storeClaimed'));
  await claim(folders[0]);
  await expect(claim(folders[1])).rejects.toThrow('does not hold');
});

test('an earlier installation claims the folder that contains its files, and no other', async () => {
  await registerBlob(database.db, { key: 'files/aa/part', kind: 'object' });
  await expect(claim(folders[1])).rejects.toThrow('does not hold the files of this database');
  const store = await openDiskStore(folders[0]);
  await store.put('files/aa/part', new Uint8Array(3));
  await claim(folders[0]);
  expect(await store.head(MARK)).toBeDefined();
});
