/** The list from memory beside the list by its definition, while projects come, change and go. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import type { ProjectFilter, ProjectOrder } from './project-filter.ts';
import { pageOfProjects } from './project-list.ts';
import { columnsInMemory } from './project-memory.ts';
import { organizations, workspaces } from './schema-accounts.ts';
import { projects } from './schema-projects.ts';
import { normalizeForSearch, projectTexts } from './search-text.ts';

type Project = typeof projects.$inferSelect;
const seed = Number(process.env['SCANWRIGHT_SEED'] ?? Date.now() % 1_000_000);
const ORDERS: ProjectOrder[] = ['name', 'createdAt', 'updatedAt', 'state', 'storageBytes', 'verdict'];
const STATES = ['active', 'archived', 'deleted'] as const;
const VERDICTS = ['pass', 'fail', 'indeterminate', null] as const;
const TAGS = ['alu', 'steel', 'series', 'rare', 'ünusual'];
/** `ﬀ` is one character that searches as two; the last two sort otherwise by UTF-16 than by UTF-8 */
const WORDS = ['Gehäuse', 'blade', 'IMPELLER', '100% dense_cube', 'straße', 'oﬀset', '\u{1f680}', '\uff5e'];

/** Mulberry32, public domain, Tommy Ettinger 2017: numbers in [0, 1). */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = randomNumbers(seed);
const below = (n: number): number => Math.floor(random() * n);
const pick = <T>(values: readonly T[]): T => values[below(values.length)];
const some = <T>(values: readonly T[], share: number): T[] => values.filter(() => random() < share);

let database: TestDatabase;
let places: { id: string; organizationId: string }[];

function randomProject() {
  const place = pick(places);
  const numbers = {
    partNumber: pick([null, `PN-${below(30)}`]),
    serialNumber: pick([null, `SN${below(900)}`]),
  };
  return {
    organizationId: place.organizationId,
    workspaceId: place.id,
    ...numbers,
    ...projectTexts({ name: `${pick(WORDS)} ${pick(WORDS)} ${below(40)}`, ...numbers }),
    state: pick(STATES),
    verdict: pick(VERDICTS),
    tags: some(TAGS, 0.4),
    storageBytes: pick([below(50), below(2 ** 50)]),
    createdAt: new Date(1_700_000_000_000 + below(200)),
    updatedAt: new Date(1_700_000_000_000 + below(2 ** 40)),
  };
}

beforeAll(async () => {
  console.log(`seed ${seed}: SCANWRIGHT_SEED=${seed} repeats this run`);
  database = await testDatabase();
  const { db } = database;
  const two = await db
    .insert(organizations)
    .values([
      { name: 'A', slug: 'a' },
      { name: 'B', slug: 'b' },
    ])
    .returning();
  places = await db
    .insert(workspaces)
    .values([0, 0, 0, 1, 1].map((of, i) => ({ organizationId: two[of].id, name: `W${i}` })))
    .returning();
  await db.insert(projects).values(Array.from({ length: 600 }, randomProject));
});
afterAll(() => database.close());

function randomFilter(): ProjectFilter {
  const organizationIds = [...new Set(places.map((place) => place.organizationId))];
  const chosen = random() < 0.5 ? organizationIds : [pick(organizationIds)];
  const inside = places.filter(({ organizationId }) => chosen.includes(organizationId)).map(({ id }) => id);
  const search = pick([
    undefined,
    'a',
    'SS',
    'häu',
    'off',
    '0% d',
    '_',
    'sn1',
    'pn-2',
    ' 1',
    '\u{1f680}',
    'zzz',
  ]);
  return {
    organizationIds: chosen,
    workspaceIds: random() < 0.5 ? 'all' : inside.slice(below(inside.length)),
    state: pick([undefined, undefined, ...STATES, 'molten']),
    verdict: pick([undefined, undefined, 'pass', 'fail', 'none', 'odd']),
    tags: pick([undefined, [], [pick(TAGS)], some(TAGS, 0.4), ['unheard of']]),
    search,
  };
}

/** The list by its definition, in plain code, of the rows that are there now. */
function byDefinition(
  all: Project[],
  filter: ProjectFilter,
  order: ProjectOrder,
  isDescending: boolean,
): string[] {
  const wanted = normalizeForSearch(filter.search ?? '');
  const found = all.filter(
    (p) =>
      filter.organizationIds.includes(p.organizationId) &&
      (filter.workspaceIds === 'all' || filter.workspaceIds.includes(p.workspaceId)) &&
      (filter.state === undefined ? p.state !== 'deleted' : p.state === filter.state) &&
      (filter.verdict === undefined || (p.verdict ?? 'none') === filter.verdict) &&
      (filter.tags ?? []).every((tag) => p.tags.includes(tag)) &&
      [p.name, p.partNumber, p.serialNumber].some((text) => normalizeForSearch(text ?? '').includes(wanted)),
  );
  const key = (p: Project) => (order === 'name' ? Buffer.from(p.nameSort) : p[order]);
  const compare = (a: Project, b: Project): number => {
    const [x, y] = [key(a), key(b)];
    const difference =
      Buffer.isBuffer(x) && Buffer.isBuffer(y)
        ? Buffer.compare(x, y)
        : Number(x === null) - Number(y === null) ||
          Number((x ?? '') > (y ?? '')) - Number((x ?? '') < (y ?? ''));
    return difference || (a.id < b.id ? -1 : 1);
  };
  const ids = found.sort(compare).map(({ id }) => id);
  return isDescending ? ids.reverse() : ids;
}

async function expectTrueLists(times: number): Promise<void> {
  const { db } = database;
  const all = await db.select().from(projects);
  for (let i = 0; i < times; i += 1) {
    const filter = randomFilter();
    const [order, isDescending, limit] = [pick(ORDERS), random() < 0.5, pick([1, 25, 200])];
    const expected = byDefinition(all, filter, order, isDescending);
    const offset = pick([0, below(expected.length + 3), Math.max(0, expected.length - limit)]);
    const asked = { filter, order, isDescending, offset, limit };
    const wanted = { count: expected.length, ids: expected.slice(offset, offset + limit) };
    for (const memory of ['always', 'never'] as const)
      expect(await pageOfProjects(db, asked, { memory }), JSON.stringify({ seed, memory, asked })).toEqual(
        wanted,
      );
  }
}

describe('the list from memory', () => {
  it('is the list by its definition, for any filter, order and page', () => expectTrueLists(150));

  it('follows every insert, change, move and removal at once', async () => {
    const { db } = database;
    const changes = [
      () => db.insert(projects).values(Array.from({ length: 1 + below(20) }, randomProject)),
      async () => {
        const chosen = await db.select({ id: projects.id }).from(projects).limit(30).offset(below(500));
        for (const { id } of some(chosen, 0.2))
          await db.update(projects).set(randomProject()).where(sql`${projects.id} = ${id}`);
      },
      () => db.execute(sql`update projects set verdict = 'fail' where storage_bytes % 11 = ${below(11)}`),
      () => db.execute(sql`delete from projects where storage_bytes % 97 = ${below(97)}`),
      () =>
        db.transaction(async (tx) => {
          // As many go as come, so that their number says nothing.
          await tx.execute(sql`delete from projects where id = (select max(id::text)::uuid from projects)`);
          await tx.insert(projects).values(randomProject());
        }),
    ];
    for (let round = 0; round < 25; round += 1) {
      await pick(changes)();
      await expectTrueLists(4);
    }
  });

  it('knows nothing of a transaction that is open or rolled back, and all of it once it is committed', async () => {
    const { db } = database;
    await expectTrueLists(2);
    const client = await database.connection.pool.connect();
    try {
      for (const end of ['rollback', 'commit']) {
        await client.query('begin');
        await client.query(
          `update projects set name_sort = 'aaa', tags = '{alu}' where storage_bytes % 2 = 0`,
        );
        // Later transactions are committed before it: it is no longer the newest when it ends.
        await db.insert(projects).values(randomProject());
        await expectTrueLists(3);
        await db.insert(projects).values(randomProject());
        await expectTrueLists(3);
        await client.query(end);
        await expectTrueLists(6);
      }
    } finally {
      client.release();
    }
  });

  it('counts a change in a savepoint as one of its transaction', async () => {
    await expectTrueLists(2);
    await database.db.transaction((tx) =>
      tx.transaction(async (inner) => {
        await inner.execute(sql`update projects set state = 'active' where storage_bytes % 3 = 0`);
      }),
    );
    await expectTrueLists(6);
  });

  it('leaves the changes of an open transaction to itself', async () => {
    const { db } = database;
    const organizationId = places[0].organizationId;
    const filter = { organizationIds: [organizationId], workspaceIds: 'all' as const, search: 'only inside' };
    const query = { filter, order: 'name' as const, isDescending: false, offset: 0, limit: 5 };
    await db
      .transaction(async (tx) => {
        const inside = {
          ...randomProject(),
          organizationId,
          workspaceId: places[0].id,
          state: 'active' as const,
        };
        await tx.insert(projects).values({ ...inside, ...projectTexts({ name: 'only inside' }) });
        expect((await pageOfProjects(tx, query, { memory: 'always' })).count).toBe(1);
        expect((await pageOfProjects(db, query, { memory: 'always' })).count).toBe(0);
        tx.rollback();
      })
      .catch(() => undefined);
    expect((await pageOfProjects(db, query, { memory: 'always' })).count).toBe(0);
  });

  it('answers questions that come together, each with what was committed before it', async () => {
    const { db } = database;
    const organizationId = places[0].organizationId;
    const ask = (search: string) =>
      pageOfProjects(
        db,
        {
          filter: { organizationIds: [organizationId], workspaceIds: 'all', search },
          order: 'createdAt',
          isDescending: true,
          offset: 0,
          limit: 5,
        },
        { memory: 'always' },
      );
    const asked = Array.from({ length: 12 }, async (_, i) => {
      const name = `together ${String.fromCharCode(97 + i)}`;
      const made = {
        ...randomProject(),
        organizationId,
        workspaceId: places[0].id,
        state: 'active' as const,
      };
      await db.insert(projects).values({ ...made, ...projectTexts({ name }) });
      return (await ask(name)).count;
    });
    expect(await Promise.all(asked)).toEqual(asked.map(() => 1));
  });

  it('is not kept for an organization that PostgreSQL answers as fast', async () => {
    const fresh = await testDatabase();
    try {
      expect(await columnsInMemory(fresh.db, [places[0].organizationId])).toBeUndefined();
    } finally {
      await fresh.close();
    }
  });

  it('is there for a large organization soon after the first question, and gone with its projects', async () => {
    const { db } = database;
    const [large] = await db.insert(organizations).values({ name: 'L', slug: 'l' }).returning();
    const [place] = await db.insert(workspaces).values({ organizationId: large.id, name: 'W' }).returning();
    await db.execute(sql`
      insert into projects (organization_id, workspace_id, name, name_sort, search_text)
      select ${large.id}, ${place.id}, 'p' || i, 'p' || i, 'p' || i from generate_series(1, 5000) i`);
    expect(await columnsInMemory(db, [large.id])).toBeUndefined();
    await expect.poll(() => columnsInMemory(db, [large.id]).then((found) => found?.[0].size)).toBe(5000);
    await db.execute(sql`delete from projects where organization_id = ${large.id}`);
    const filter = { organizationIds: [large.id], workspaceIds: 'all' as const };
    const query = { filter, order: 'name' as const, isDescending: false, offset: 0, limit: 5 };
    expect(await pageOfProjects(db, query)).toEqual({ count: 0, ids: [] });
  });
});
