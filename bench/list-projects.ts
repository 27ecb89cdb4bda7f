/** How long a page of the project list takes with 100,000 projects in one organization, through HTTP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { administrator, freePort, startService } from '../e2e/support/service.ts';
import { connect } from '../src/storage/db/connection.ts';
import { startDatabase } from '../src/storage/db/start.ts';

const PROJECTS = 100_000;
const REPEATS = 40;
const LIMIT_MS = 50;

const queries: Record<string, string> = {
  'newest first': '',
  'by name': 'ordering=name',
  'by name, backwards': 'ordering=-name',
  'by change': 'ordering=-updatedAt',
  'by state': 'ordering=state',
  'by bytes': 'ordering=-storageBytes',
  'by verdict': 'ordering=verdict',
  'page 2000': 'page=2000',
  'last page by name': 'page=3800&ordering=name',
  '200 a page': 'page_size=200',
  archived: 'state=archived',
  deleted: 'state=deleted',
  failed: 'verdict=fail',
  'without verdict, by name': 'verdict=none&ordering=name',
  'one tag': 'tag=alu',
  'two tags, by name': 'tag=alu&tag=rare&ordering=name',
  'search, many hits': 'search=part',
  'search, some hits, by name': 'search=housing%20123&ordering=name',
  'search, one hit': 'search=SN-0054321',
  'search, two letters': 'search=ar',
  'search and tag and state': 'search=housing&tag=alu&state=archived&ordering=-updatedAt',
};

export interface ListTimes {
  query: string;
  p50Ms: number;
  p95Ms: number;
}

async function fill(url: string): Promise<void> {
  const connection = connect(url, { max: 1 });
  await connection.db.execute(sql`
    with place as (select w.id as workspace_id, w.organization_id from workspaces w limit 1), extra as (
      insert into workspaces (organization_id, name)
      select organization_id, 'Workspace ' || i from place, generate_series(1, 9) i returning id
    ), roles as (
      insert into workspace_members (workspace_id, user_id, role) select extra.id, users.id, 'editor' from extra, users
    ) select 1`);
  await connection.db.execute(sql`
    insert into projects (organization_id, workspace_id, name, name_sort, search_text, state, tags, serial_number,
      verdict, storage_bytes, created_at, updated_at)
    select w.organization_id, w.id, n.name, lower(n.name), lower(n.name) || E'\n\nsn-' || lpad(i::text, 7, '0'),
      case when i % 10 = 0 then 'archived' when i % 33 = 0 then 'deleted' else 'active' end,
      case when i % 1000 = 0 then array['alu', 'rare'] when i % 5 = 0 then array['alu'] else array['steel'] end,
      'SN-' || lpad(i::text, 7, '0'),
      case when i % 4 = 0 then 'pass' when i % 50 = 1 then 'fail' when i % 4 = 2 then 'indeterminate' end,
      (i * 7919::bigint) % 1000003, now() - i * interval '1 minute', now() - (i * 31 % 100000) * interval '1 minute'
    from generate_series(1, ${PROJECTS}::int) i
    cross join lateral (select (array['Housing', 'Bracket', 'Part', 'Blade', 'Cover'])[1 + i % 5] || ' ' || (i * 17 % 100000) as name) n
    join (select id, organization_id, row_number() over (order by id) - 1 as place from workspaces) w on w.place = i % 10`);
  await connection.db.execute(sql`vacuum analyze`);
  await connection.close();
}

const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

async function measure(url: string, token: string, query: string): Promise<ListTimes> {
  const times: number[] = [];
  for (let i = 0; i < REPEATS + 5; i += 1) {
    const start = performance.now();
    const answer = await fetch(`${url}/api/v2/projects?${queries[query]}`, {
      headers: { Authorization: `Token ${token}` },
    });
    const { results } = (await answer.json()) as { results: unknown[] };
    if (i >= 5) times.push(performance.now() - start);
    if (answer.status !== 200 || results.length === 0)
      throw new Error(`${query}: ${answer.status}, nothing found`);
  }
  times.sort((a, b) => a - b);
  return { query, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
}

/** Starts a service on an empty folder, fills it, and asks for every kind of page. */
export async function benchListProjects(): Promise<ListTimes[]> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'scanwright-bench-'));
  const environment = { DATA_DIR: dataDir, WORKERS: '0', PORT: String(await freePort()) };
  try {
    await (await startService(environment)).stop({ keepData: true });
    const database = await startDatabase({ directory: path.join(dataDir, 'postgres') });
    await fill(database.url);
    await database.stop();
    const service = await startService(environment);
    const answer = await fetch(`${service.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(administrator),
    });
    const { token } = (await answer.json()) as { token: string };
    const rows: ListTimes[] = [];
    for (const query of Object.keys(queries)) rows.push(await measure(service.url, token, query));
    await service.stop();
    return rows;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const rows = await benchListProjects();
  console.log(
    `${PROJECTS} projects in one organization, ${REPEATS} requests each, limit p95 ≤ ${LIMIT_MS} ms`,
  );
  console.table(
    rows.map(({ query, p50Ms, p95Ms }) => ({ query, p50Ms: +p50Ms.toFixed(1), p95Ms: +p95Ms.toFixed(1) })),
  );
  if (rows.some(({ p95Ms }) => p95Ms > LIMIT_MS)) process.exitCode = 1;
}
