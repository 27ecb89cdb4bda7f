import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { brokenConstraint, inTransaction, sqlState } from './connection.ts';
import { migrate } from './migrate.ts';
import { organizations, users, workspaces } from './schema-accounts.ts';
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

  it('takes an address of mail once, whatever its case', async () => {
    await database.db.insert(users).values({ email: 'Ada@Example.org', name: 'Ada' });
    const failure = await database.db
      .insert(users)
      .values({ email: 'ada@example.ORG', name: 'Ada' })
      .catch((error: unknown) => error);
    expect(sqlState(failure)).toBe('23505');
    expect(brokenConstraint(failure)).toBe('users_email_key');
  });

  it('lets one direct request of a kind wait or run in a project, and another one once it stops', async () => {
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

  it('refuses to forget a blob that a project refers to', async () => {
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

  it('runs a transaction again that met a deadlock', async () => {
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
        // Who was turned away comes back when the other is through, else both could meet in the same way again.
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

describe('a database that can not be used', () => {
  it('is named in one line without its password', async () => {
    const url = 'postgresql://someone:secret@127.0.0.1:9/none';
    const failure = (await migrate(url).catch((error: unknown) => error)) as Error;
    expect(failure.name).toBe('DatabaseUnavailable');
    expect(failure.message).toMatch(
      /^the database at postgresql:\/\/someone@127\.0\.0\.1:9\/none can't be reached: .+$/,
    );
    expect(failure.message).not.toContain('secret');
  });
});
