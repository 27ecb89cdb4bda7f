/** Searches CAD models in an organization with many, without scanning all of them. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../db/connection.ts';
import { organizations, users, workspaceMembers, workspaces } from '../db/schema-accounts.ts';
import { takeRow } from '../db/take-row.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { listForeignReferences } from './references.ts';

const MODELS = 12_000;
let database: TestDatabase;
let place: { projectId: string; organizationId: string; userId: string };

beforeAll(async () => {
  database = await testDatabase();
  const { db } = database;
  const user = takeRow(await db.insert(users).values({ email: 'a@example.com', name: 'A' }).returning());
  const organization = takeRow(await db.insert(organizations).values({ name: 'O', slug: 'o' }).returning());
  const organizationId = organization.id;
  const [open, closed] = await db
    .insert(workspaces)
    .values(['Open', 'Closed'].map((name) => ({ name, organizationId })))
    .returning();
  await db.insert(workspaceMembers).values({ workspaceId: open?.id ?? '', userId: user.id, role: 'viewer' });
  await db.execute(sql`
    with made as (
      insert into projects (organization_id, workspace_id, name, name_sort, search_text)
      select ${organizationId}, case when i % 1000 = 1 then ${closed?.id}::uuid else ${open?.id}::uuid end,
        'Housing ' || i, 'housing ' || i, 'housing ' || i || E'\n\n'
      from generate_series(1, ${MODELS}::int) i returning id, name
    ) insert into data_objects (project_id, kind, name, metadata, created_at)
      select id, kind, kind || ' of ' || name, jsonb_build_object('sourceFileName', 'Ünit' || right(name, 4) || '.STEP'),
        now() - substr(name, 9)::int * interval '1 second'
      from made, unnest(array['cad', 'volume']) kind`);
  await db.execute(sql`analyze`);
  place = { projectId: crypto.randomUUID(), organizationId, userId: user.id };
});
afterAll(() => database.close());

/** Returns the page and the number of data object rows read for it. */
const list = (search: string, kind?: 'volume') =>
  inTransaction(database.db, async (tx) => {
    const page = await listForeignReferences(tx, place, { page: 1, page_size: 3, search, kind });
    const { rows } = await tx.execute<{ read: number }>(sql`
      select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'data_objects'`);
    return { ...page, names: page.results.map(({ projectName }) => projectName), read: takeRow(rows).read };
  });

it.each([
  ['HOUSING 4711', ['Housing 4711'], 1],
  ['cad of housing 1200', ['Housing 1200', 'Housing 12000'], 2],
  ['ünit4712.step', ['Housing 4712'], 1],
  ['nothing has this', [], 0],
  // In a workspace without a role for the user.
  ['housing 4001', [], 0],
])('finds %s without reading every model', async (search, names, count) => {
  const found = await list(search);
  expect(found).toMatchObject({ names, count, isEstimate: false });
  expect(found.read).toBeLessThan(MODELS / 4);
});

it('finds scans of other projects like models', async () => {
  expect(await list('housing 4711')).toMatchObject({ names: ['Housing 4711'], count: 1 });
  const found = await list('housing 4711', 'volume');
  expect(found).toMatchObject({ names: ['Housing 4711'], count: 1 });
  expect(found.results[0]?.dataObject.kind).toBe('volume');
  expect(found.read).toBeLessThan(MODELS / 4);
});

it('returns the first page of a search that nearly all models match, without reading each', async () => {
  for (const search of ['housing', 'o', 'step']) {
    const found = await list(search);
    expect(found).toMatchObject({ names: ['Housing 2', 'Housing 3', 'Housing 4'], isEstimate: true });
    expect(found.count).toBeGreaterThan(10_000);
  }
});
