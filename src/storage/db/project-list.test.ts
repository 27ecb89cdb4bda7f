import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { inOneSnapshot } from './connection.ts';
import type { Page } from './page.ts';
import type { ProjectFilter, ProjectOrder, ProjectQuery } from './project-filter.ts';
import { readProjectPage } from './project-list.ts';
import { estimateMatches } from './project-sample.ts';
import { organizations, workspaces } from './schema-accounts.ts';
import { projects } from './schema-projects.ts';
import { normalizeForSearch, projectTexts } from './search-text.ts';

type Project = typeof projects.$inferSelect;

const seed = Number(process.env['SCANWRIGHT_SEED']);
let state = seed;
/** mulberry32, from 0 to 1 */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (end: number): number => Math.floor(random() * end);
const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
const some = <T>(values: readonly T[], share: number): T[] => values.filter(() => random() < share);

const ORDERS: ProjectOrder[] = ['name', 'createdAt', 'updatedAt', 'state', 'storageBytes', 'verdict'];
const STATES = ['active', 'archived', 'deleted'] as const;
const VERDICTS = ['pass', 'fail', 'indeterminate', null] as const;
const TAGS = ['alu', 'lot 7', 'a "b", {c}', 'größe', 'series'];
const WORDS = ['Gehäuse', 'straße', '100% dense_cube', 'Øre', 'off', 'ßß', '\u{1f680} x', 'ﬁn', 'a'];

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
    .values([0, 0, 0, 1, 1].map((of, i) => ({ organizationId: two[of]?.id ?? '', name: `W${i}` })))
    .returning();
  await db.insert(projects).values(Array.from({ length: 900 }, randomProject));
});
afterAll(() => database.close());

function randomFilter(): ProjectFilter {
  const organizationIds = [...new Set(places.map((place) => place.organizationId))];
  const chosen = random() < 0.5 ? organizationIds : [pick(organizationIds)];
  const inside = places.filter(({ organizationId }) => chosen.includes(organizationId)).map(({ id }) => id);
  const searches = [
    'a',
    'SS',
    'häu',
    'off',
    '0% d',
    '_',
    '%',
    'sn1',
    'pn-2',
    ' 1',
    '\u{1f680}',
    'zzz',
    'q',
    '\\',
  ];
  return {
    organizationIds: chosen,
    workspaceIds: random() < 0.5 ? inside : inside.slice(below(inside.length)),
    state: pick([undefined, undefined, ...STATES, 'molten']),
    verdict: pick([undefined, undefined, 'pass', 'fail', 'none', 'odd']),
    tags: pick([undefined, undefined, [], [pick(TAGS)], some(TAGS, 0.4), ['unheard of']]),
    search: pick([undefined, undefined, '  ', ...searches]),
  };
}

/** Reference implementation of the list in plain code. */
function byDefinition(all: Project[], { filter, order, isDescending }: ProjectQuery): string[] {
  const wanted = normalizeForSearch(filter.search ?? '');
  const found = all.filter(
    (p) =>
      filter.organizationIds.includes(p.organizationId) &&
      filter.workspaceIds.includes(p.workspaceId) &&
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

const pageAt = (query: ProjectQuery, page: number, size: number, maxFew?: number): Promise<Page<string>> =>
  readProjectPage(database.db, query, { page, page_size: size }, maxFew);

/** With the default limit matches are counted and sorted; with 0, pages are found by an index walk if it is not too long. */
const ways = [undefined, 0];

describe('the list of projects', () => {
  it('has correct pages and counts for any filter and order', async () => {
    const all = await database.db.select().from(projects);
    for (let i = 0; i < 250; i += 1) {
      const query = { filter: randomFilter(), order: pick(ORDERS), isDescending: random() < 0.5 };
      const expected = byDefinition(all, query);
      const size = pick([1, 25, 200]);
      const page = pick([1, 1 + below(Math.ceil(expected.length / size) + 1)]);
      for (const maxFew of ways) {
        const found = await pageAt(query, page, size, maxFew);
        const about = JSON.stringify({ seed, query, page, size, maxFew });
        expect(found.results, about).toEqual(expected.slice((page - 1) * size, page * size));
        if (found.isEstimate) expect(maxFew, about).toBe(0);
        else expect(found.count, about).toBe(expected.length);
        if (found.results.length > 0) {
          expect(found.nextCursor === null, about).toBe(page * size >= expected.length);
          expect(found.previousCursor === null, about).toBe(page === 1);
        }
      }
    }
  });

  it('returns every project once by cursors, forwards and backwards, for any filter and order', async () => {
    const all = await database.db.select().from(projects);
    for (let i = 0; i < 60; i += 1) {
      const query = { filter: randomFilter(), order: pick(ORDERS), isDescending: random() < 0.5 };
      const expected = byDefinition(all, query);
      const size = 1 + below(90);
      for (const maxFew of ways) {
        const about = JSON.stringify({ seed, query, size, maxFew });
        const follow = async (first: string | null, side: 'nextCursor' | 'previousCursor') => {
          const pages: string[][] = [];
          for (let cursor = first; cursor !== null; ) {
            const request = { page: 1, page_size: size, cursor };
            const page = await readProjectPage(database.db, query, request, maxFew);
            pages.push(page.results);
            cursor = page[side];
            if (cursor === null && side === 'nextCursor') return { pages, last: page };
          }
          return { pages, last: undefined };
        };
        const first = await pageAt(query, 1, size, maxFew);
        const forwards = await follow(first.nextCursor, 'nextCursor');
        expect([first.results, ...forwards.pages].flat(), about).toEqual(expected);
        const back = await follow(forwards.last?.previousCursor ?? null, 'previousCursor');
        expect([...back.pages.toReversed(), forwards.last?.results ?? first.results].flat(), about).toEqual(
          expected,
        );
      }
    }
  });

  it('omits no project when a walk passes many of one organization before those of another', async () => {
    const { db } = database;
    const two = await db
      .insert(organizations)
      .values([
        { name: 'N', slug: 'n' },
        { name: 'O', slug: 'o' },
      ])
      .returning();
    const [first = '', second = ''] = two.map(({ id }) => id);
    const inside = await db
      .insert(workspaces)
      .values([first, second].map((organizationId) => ({ organizationId, name: 'W' })))
      .returning();
    const row = (organizationId: string, at: number, verdict: 'pass' | 'fail', id?: string) => ({
      organizationId,
      workspaceId: inside.find((place) => place.organizationId === organizationId)?.id ?? '',
      ...projectTexts({ name: `${at}`, partNumber: null, serialNumber: null }),
      verdict,
      createdAt: new Date(1_700_000_000_000 + at),
      ...(id ? { id } : {}),
    });
    // Ids ending with 00 are in the sample, which has matches only at the beginning.
    const id = (i: number, end: string) => `${String(i).padStart(8, '0')}-0000-4000-8000-0000000000${end}`;
    const sampled = (i: number) => id(i, '00');
    const others = (i: number) => id(i, 'ff');
    const values = [
      row(first, 0, 'pass', sampled(0)),
      row(first, 1, 'pass', sampled(1)),
      ...Array.from({ length: 300 }, (_, i) => row(first, 2 + i, 'fail', others(i))),
      ...[400, 401].map((at) => row(first, at, 'pass', others(at))),
      ...Array.from({ length: 9 }, (_, i) => row(second, 500 + i, 'pass', others(500 + i))),
      ...Array.from({ length: 9 }, (_, i) => row(second, 600 + i, 'fail', sampled(600 + i))),
    ];
    await db.insert(projects).values(values);
    const filter = {
      organizationIds: [first, second],
      workspaceIds: inside.map(({ id }) => id),
      verdict: 'pass',
    };
    const query = { filter, order: 'createdAt' as const, isDescending: false };
    const { results } = await pageAt(query, 1, 5, 0);
    expect(results).toEqual(values.flatMap((p) => (p.verdict === 'pass' && p.id ? [p.id] : [])).slice(0, 5));
  });

  it('finds projects whose tags and text exceed an index entry', async () => {
    const { db } = database;
    const [organization] = await db.insert(organizations).values({ name: 'L', slug: 'l' }).returning();
    const organizationId = organization?.id ?? '';
    const [place] = await db.insert(workspaces).values({ organizationId, name: 'W' }).returning();
    const workspaceId = place?.id ?? '';
    const letters = () => String.fromCodePoint(...Array.from({ length: 200 }, () => 0x1_f300 + below(300)));
    const values = Array.from({ length: 40 }, (_, i) => {
      const numbers = { partNumber: letters(), serialNumber: letters() };
      return {
        organizationId,
        workspaceId,
        ...numbers,
        ...projectTexts({ name: `${letters()} ${'ﷺ'.repeat(i)}`, ...numbers }),
        tags: ['common', ...Array.from({ length: i % 2 === 0 ? 99 : 2 }, () => letters().slice(0, 64))],
      };
    });
    const rows = await db.insert(projects).values(values).returning();
    const filter = { organizationIds: [organizationId], workspaceIds: [workspaceId] };
    const query = { filter, order: 'name' as const, isDescending: false };
    for (const maxFew of ways) {
      const common = { ...query, filter: { ...filter, tags: ['common'] } };
      expect((await pageAt(common, 1, 200, maxFew)).results).toHaveLength(40);
      for (const { id, tags, partNumber } of rows.slice(0, 4)) {
        const byTag = await pageAt({ ...query, filter: { ...filter, tags: tags.slice(-1) } }, 1, 5, maxFew);
        expect(byTag.results).toEqual([id]);
        const search = partNumber ?? '';
        expect((await pageAt({ ...query, filter: { ...filter, search } }, 1, 5, maxFew)).results).toEqual([
          id,
        ]);
      }
    }
  });
});

describe('a large list', () => {
  const PROJECTS = 45_000;
  let filter: ProjectFilter;
  beforeAll(async () => {
    const { db } = database;
    const [large] = await db.insert(organizations).values({ name: 'M', slug: 'm' }).returning();
    const organizationId = large?.id ?? '';
    const [place] = await db.insert(workspaces).values({ organizationId, name: 'W' }).returning();
    filter = { organizationIds: [organizationId], workspaceIds: [place?.id ?? ''] };
    await db.execute(sql`
      insert into projects (organization_id, workspace_id, name, name_sort, search_text, tags, created_at)
      select ${organizationId}, ${place?.id}, 'p', i::text, 'p' || i % 5, case when i <= 9900 then array['first'] else '{}' end,
        now() - i * interval '1 second'
      from generate_series(1, ${PROJECTS}::int) i`);
  });
  const ask = (change: Partial<ProjectFilter>, page: number, order: ProjectOrder = 'createdAt') =>
    inOneSnapshot(database.db, () =>
      pageAt({ filter: { ...filter, ...change }, order, isDescending: false }, page, 100),
    );

  it('marks a count above 10,000 as an estimate, and is close to it', async () => {
    const { count, isEstimate, results } = await ask({}, 1);
    expect([isEstimate, results.length]).toEqual([true, 100]);
    expect(Math.abs(count - PROJECTS) / PROJECTS).toBeLessThan(0.2);
    expect(await ask({}, PROJECTS / 100)).toMatchObject({
      count: PROJECTS,
      isEstimate: false,
      nextCursor: null,
    });
    expect((await ask({}, PROJECTS / 100 + 1)).results).toEqual([]);
  });

  it.each([
    ['a tag', { tags: ['first'] }, 9900],
    ['a search', { search: 'p3' }, 9000],
    ['nothing', { tags: ['none'] }, 0],
  ])(
    'counts up to 10,000 matches of %s exactly, wherever they are in the order',
    async (_, change, expected) => {
      for (const order of ['createdAt', 'name', 'state'] as const)
        expect(await ask(change, 1, order)).toMatchObject({ count: expected, isEstimate: false });
    },
  );

  it('estimates the remaining projects of one state, which are sorted by id', async () => {
    const query = { filter, order: 'state' as const, isDescending: false };
    const slice = {
      after: sql`(sort_key, id) > ('active', '80000000-0000-4000-8000-000000000000')`,
      orderBy: sql`sort_key, id`,
      offset: 0,
      limit: 101,
      isBackwards: false,
      isDescending: false,
    };
    const { left } = await estimateMatches(database.db, query, slice);
    expect(Math.abs(left - PROJECTS / 2) / (PROJECTS / 2)).toBeLessThan(0.3);
  });
});
