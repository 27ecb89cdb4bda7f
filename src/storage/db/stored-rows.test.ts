import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataObjectKinds, findMaker, metadataSchemas } from '#contract/analyses/data-kinds.ts';
import { stepAnalyses } from '#contract/analyses/steps.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { storedRows } from '../testing/example-content.ts';
import { organizations, workspaces } from './schema-accounts.ts';
import { dataObjects } from './schema-data.ts';
import { projects } from './schema-projects.ts';
import { operations } from './schema-work.ts';
import { projectTexts } from './search-text.ts';

let database: TestDatabase;
let projectId: string;
let operationId: string;

/** Applies the statements of an already applied migration again. */
async function applyAgain(name: string): Promise<void> {
  const folder = path.join(import.meta.dirname, 'migrations');
  const file = (await readdir(folder)).find((each) => each.endsWith(`_${name}.sql`));
  const text = await readFile(path.join(folder, file ?? ''), 'utf8');
  for (const statement of text.split('--> statement-breakpoint'))
    await database.connection.pool.query(statement);
}

beforeAll(async () => {
  database = await testDatabase();
  const { db } = database;
  const [{ id: organizationId }] = await db
    .insert(organizations)
    .values({ name: 'Foundry', slug: 'foundry' })
    .returning();
  const [workspace] = await db.insert(workspaces).values({ organizationId, name: 'Castings' }).returning();
  const texts = projectTexts({ name: 'Part' });
  const values = { organizationId, workspaceId: workspace.id, ...texts };
  projectId = (await db.insert(projects).values(values).returning())[0].id;
  const parameters = { surface: { mode: 'auto' }, smoothing: 'auto' };
  const operation = { projectId, organizationId, operation: 'ingest', parameters };
  operationId = (await db.insert(operations).values(operation).returning())[0].id;
  await database.connection.pool.query('alter table data_objects drop column warnings');
  await database.connection.pool.query('alter table operations drop column warnings');
  for (const { kind, metadata } of storedRows)
    await database.connection.pool.query(
      'insert into data_objects (project_id, kind, name, metadata, created_by_operation_id) values ($1, $2, $3, $4, $5)',
      [projectId, kind, kind, metadata, operationId],
    );
  await applyAgain('warnings');
  await applyAgain('local_surfaces');
});
afterAll(() => database.close());

it('rows written by earlier versions include each kind and each analysis', () => {
  expect(new Set(storedRows.map(({ kind }) => kind))).toEqual(new Set(dataObjectKinds));
  const makers = storedRows.map((row) => findMaker(row)?.key);
  expect(makers).toEqual(expect.arrayContaining(stepAnalyses.map(({ key }) => key)));
});

it('rows written by earlier versions are read completely, with warnings converted to records with a code', async () => {
  const rows = await database.db.select().from(dataObjects);
  expect(rows).toHaveLength(storedRows.length);
  for (const { kind, metadata, warnings } of rows) {
    const parsed = metadataSchemas[kind].safeParse(metadata);
    expect([kind, parsed.error?.issues ?? []]).toEqual([kind, []]);
    // Nothing is omitted in the response.
    expect(parsed.data).toEqual(metadata);
    expect(metadata).not.toHaveProperty('warnings');
    for (const warning of warnings) expect(warning).toMatchObject({ code: 'OTHER', measures: [] });
  }
  const old = storedRows.flatMap(({ metadata }) => (metadata['warnings'] as string[] | undefined) ?? []);
  expect(old.length).toBeGreaterThan(0);
  expect(rows.flatMap(({ warnings }) => warnings.map(({ message }) => message)).sort()).toEqual(old.sort());
  const [operation] = await database.db.select().from(operations).where(eq(operations.id, operationId));
  expect(operation.parameters).toEqual({ surface: { mode: 'local' }, smoothing: 'auto' });
  expect(operation.warnings.map(({ message }) => message).sort()).toEqual([...new Set(old)].sort());
});
