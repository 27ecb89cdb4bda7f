import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { compactProjectCounts } from './project-counts.ts';
import type { ProjectFilter, ProjectOrder } from './project-filter.ts';
import { countProjects, type PageOptions, pageOfProjects } from './project-list.ts';
import { organizations, workspaces } from './schema-accounts.ts';
import { projectCounts, projects } from './schema-projects.ts';
import { normalizeForSearch, projectTexts } from './search-text.ts';

type Project = typeof projects.$inferSelect;
let database: TestDatabase;
let all: Project[];
let organizationId: string;
let workspaceIds: string[];

const names = ['Gehäuse', 'Turbine blade', 'IMPELLER', '100% dense_cube', 'Ärmel', 'Øre', 'straße'];

beforeAll(async () => {
  database = await testDatabase();
  const { db } = database;
  const two = await db
    .insert(organizations)
    .values([
      { name: 'A', slug: 'a' },
      { name: 'B', slug: 'b' },
    ])
    .returning();
  organizationId = two[0].id;
  const made = await db
    .insert(workspaces)
    .values(
      [1, 2, 3]
        .map((n) => ({ organizationId, name: `W${n}` }))
        .concat({ organizationId: two[1].id, name: 'Other' }),
    )
    .returning();
  workspaceIds = made.slice(0, 3).map(({ id }) => id);
  const rows = Array.from({ length: 400 }, (_, i) => {
    const workspace = made[i % 7 === 0 ? 3 : i % 3];
    const numbers = { partNumber: `PN-${i % 13}`, serialNumber: `SN${1000 + i}` };
    return {
      organizationId: workspace.organizationId,
      workspaceId: workspace.id,
      ...numbers,
      ...projectTexts({ name: `${names[i % names.length]} ${i % 50}`, ...numbers }),
      state: (['active', 'active', 'active', 'archived', 'deleted'] as const)[i % 5],
      verdict: (['pass', 'fail', 'indeterminate', null] as const)[i % 4],
      tags: [`t${i % 4}`, `lot ${i % 40}`, ...(i % 3 === 0 ? ['series'] : [])],
      storageBytes: (i * 7919) % 101,
      createdAt: new Date(1_700_000_000_000 + ((i * 104_729) % 97) * 1000),
      updatedAt: new Date(1_700_000_000_000 + ((i * 15_485_863) % 89) * 1000),
    };
  });
  all = await db.insert(projects).values(rows).returning();
});
afterAll(() => database.close());

/** The list by its definition, in plain code. */
function byDefinition(filter: ProjectFilter, order: ProjectOrder, isDescending: boolean): string[] {
  const wanted = normalizeForSearch(filter.search ?? '');
  const found = all.filter(
    (p) =>
      filter.organizationIds.includes(p.organizationId) &&
      (filter.workspaceIds === 'all' || filter.workspaceIds.includes(p.workspaceId)) &&
      (filter.state === undefined ? p.state !== 'deleted' : p.state === filter.state) &&
      (filter.verdict === undefined || p.verdict === filter.verdict) &&
      (filter.tags ?? []).every((tag) => p.tags.includes(tag)) &&
      [p.name, p.partNumber, p.serialNumber].some((text) => normalizeForSearch(text ?? '').includes(wanted)),
  );
  const value = (p: Project) => (order === 'name' ? p.nameSort : p[order]);
  const compare = (a: Project, b: Project): number => {
    const [x, y] = [value(a), value(b)];
    if (x === y || (x instanceof Date && y instanceof Date && x.getTime() === y.getTime()))
      return a.id < b.id ? -1 : 1;
    // PostgreSQL takes what has no value for the largest.
    if (x === null) return 1;
    if (y === null) return -1;
    return x < y ? -1 : 1;
  };
  const ids = found.sort(compare).map(({ id }) => id);
  return isDescending ? ids.reverse() : ids;
}

const orders: ProjectOrder[] = ['name', 'createdAt', 'updatedAt', 'state', 'storageBytes', 'verdict'];
const filters: [string, Partial<ProjectFilter>][] = [
  ['nothing', {}],
  ['some workspaces', { workspaceIds: [] }],
  ['a state', { state: 'archived' }],
  ['the trash and a verdict', { state: 'deleted', verdict: 'pass' }],
  ['an unknown state', { state: 'molten' }],
  ['two tags', { tags: ['t1', 'series'] }],
  ['one of more tags than bits', { tags: ['lot 7', 't3'] }],
  ['a name without its accents', { search: 'GEHAUSE' }],
  ['a name that Unicode does not take apart', { search: 'strasse' }],
  ['signs that mean something to LIKE', { search: '0% dense_' }],
  ['a serial number', { search: 'sn1017' }],
  ['everything', { search: 'e', tags: ['series'], state: 'active', verdict: 'fail' }],
  ['a search of blanks', { search: '  ' }],
];

/** In the index of the order, sorted, and from memory: the ways in which a list is found. */
const ways: PageOptions[] = [{ memory: 'never', maxSorted: 0 }, { memory: 'never' }, { memory: 'always' }];

describe.each(filters)('a list filtered by %s', (name, change) => {
  it.each(orders)('has all its pages and its count, ordered by %s', async (order) => {
    const filter: ProjectFilter = { organizationIds: [organizationId], workspaceIds: 'all', ...change };
    if (name === 'some workspaces') filter.workspaceIds = workspaceIds.slice(1);
    for (const isDescending of [false, true]) {
      const expected = byDefinition(filter, order, isDescending);
      for (const way of ways) {
        const pages: string[] = [];
        for (let offset = 0; offset === 0 || offset < expected.length; offset += 60) {
          const query = { filter, order, isDescending, offset, limit: 60 };
          const page = await pageOfProjects(database.db, query, way);
          expect(page.count).toBe(expected.length);
          pages.push(...page.ids);
        }
        expect(pages).toEqual(expected);
      }
    }
  });
});

describe('the counts of projects', () => {
  const counted = async () => {
    const { rows } = await database.db.execute(sql`
      select workspace_id, state, verdict, sum(change)::int as n from project_counts group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3`);
    return rows;
  };
  const really = async () => {
    const { rows } = await database.db.execute(
      sql`select workspace_id, state, verdict, count(*)::int as n from projects group by 1, 2, 3 order by 1, 2, 3`,
    );
    return rows;
  };

  it('follow every change, and stay when they are added up', async () => {
    const { db } = database;
    expect(await counted()).toEqual(await really());
    await db.transaction(async (tx) => {
      await tx.execute(
        sql`update projects set state = 'archived', workspace_id = ${workspaceIds[0]} where storage_bytes % 3 = 0`,
      );
      await tx.execute(
        sql`update projects set verdict = null where verdict = 'fail' and storage_bytes % 5 = 0`,
      );
      await tx.execute(sql`delete from projects where storage_bytes % 7 = 0`);
    });
    await db
      .transaction(async (tx) => {
        await tx.execute(sql`delete from projects`);
        tx.rollback();
      })
      .catch(() => undefined);
    expect(await counted()).toEqual(await really());
    const before = await db.$count(projectCounts);
    await compactProjectCounts(db);
    expect(await db.$count(projectCounts)).toBeLessThan(before);
    expect(await counted()).toEqual(await really());
    const filter = { organizationIds: [organizationId], workspaceIds };
    expect(await countProjects(db, filter)).toBe(
      await db.$count(projects, sql`organization_id = ${organizationId} and state <> 'deleted'`),
    );
  });
});
