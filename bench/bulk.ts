/**
 * Measures archiving 10,000 of 50,000 projects with one bulk request, and the latency of another user's requests
 * meanwhile: a page of the list, a project, a change of a project. For comparison, the same requests are timed on an
 * idle service, which shows how busy the machine was. Also reports event loop delay.
 * `node bench/bulk.ts`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { type Client, signInTo } from '../e2e/support/client.ts';
import { freePort, type RunningService, startService } from '../e2e/support/service.ts';
import { connect } from '../src/storage/db/connection.ts';
import { startDatabase } from '../src/storage/db/start.ts';
import { computedMs } from './computed-ms.ts';

const PROJECTS = 50_000;
const ARCHIVED = 10_000;
const LIMIT_SECONDS = 10;
const OTHERS_LIMIT_MS = 100;
/** between two requests of the other user */
const PAUSE_MS = 20;
const ALONE_ROUNDS = 60;

interface Percentiles {
  count: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
}

interface EventLoopDelay {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface BulkTimes {
  /** from the request until the operation completes */
  archiveSeconds: number;
  undoSeconds: number;
  /** CPU time of service, worker and database for each operation; Linux only */
  archiveCpuSeconds: number | undefined;
  undoCpuSeconds: number | undefined;
  /** latency of the other user's requests, by kind */
  others: { request: string; alone: Percentiles; meanwhile: Percentiles }[];
  /** event loop delay, from the service's own gauges */
  eventLoopAlone: EventLoopDelay;
  eventLoopMeanwhile: EventLoopDelay;
  load: number;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Nearest rank. */
function computePercentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1];
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

/** Since the previous call. */
async function eventLoopDelay(url: string): Promise<EventLoopDelay> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const at = (share: string) => {
    const seconds = new RegExp(`^nodejs_eventloop_lag_${share}_seconds (\\S+)$`, 'm').exec(text)?.[1];
    if (seconds === undefined) throw new Error(`/metrics does not say nodejs_eventloop_lag_${share}_seconds`);
    return Number(seconds) * 1000;
  };
  return { p50Ms: at('p50'), p99Ms: at('p99'), maxMs: at('max') };
}

async function fill(url: string): Promise<string[]> {
  const connection = connect(url, { max: 1 });
  const { rows } = await connection.db.execute<{ id: string }>(sql`
    insert into projects (organization_id, workspace_id, name, name_sort, search_text, tags)
    select w.organization_id, w.id, 'Part ' || i, 'part ' || i, 'part ' || i || E'\\n\\n', array['ct']
    from generate_series(1, ${PROJECTS}::int) i cross join (select * from workspaces limit 1) w
    returning id`);
  await connection.db.execute(sql`vacuum analyze`);
  await connection.close();
  return rows.map(({ id }) => id);
}

/** Another user who sees the same projects. */
async function signInAnother(service: RunningService, { call }: Client): Promise<Client> {
  const { results } = await call<{ results: { organizationId: string; workspaceId: string }[] }>(
    'GET',
    '/api/v2/projects?page_size=1',
  );
  const { organizationId, workspaceId } = results[0];
  const email = 'other@example.com';
  const password = 'another long enough password';
  await call('POST', `/api/v2/organizations/${organizationId}/members`, {
    email,
    password,
    workspaces: [{ id: workspaceId, role: 'editor' }],
  });
  return signInTo({ url: service.url, email, password });
}

async function measure(service: RunningService, ids: readonly string[]): Promise<BulkTimes> {
  const client = await signInTo(service);
  const other = await signInAnother(service, client);
  const requests: Record<string, () => Promise<unknown>> = {
    'a page of the list': () => other.call('GET', '/api/v2/projects?ordering=name&page_size=25'),
    'a project': () => other.call('GET', `/api/v2/projects/${ids[PROJECTS - 1]}`),
    'a change of a project': () => other.call('PATCH', `/api/v2/projects/${ids[PROJECTS - 2]}`, { lot: 'L' }),
  };
  const newTimes = () => new Map(Object.keys(requests).map((name) => [name, [] as number[]]));
  const round = async (times: Map<string, number[]>) => {
    for (const [name, ask] of Object.entries(requests)) {
      const begun = performance.now();
      await ask();
      times.get(name)?.push(performance.now() - begun);
      await pause(PAUSE_MS);
    }
  };
  for (let i = 0; i < 20; i += 1) await round(newTimes());
  const alone = newTimes();
  await eventLoopDelay(service.url);
  for (let i = 0; i < ALONE_ROUNDS; i += 1) await round(alone);
  const eventLoopAlone = await eventLoopDelay(service.url);
  const meanwhile = newTimes();
  const pid = service.process.pid ?? 0;
  const run = async (requestPath: string, body?: unknown) => {
    const before = await computedMs(pid);
    const begun = performance.now();
    const { id } = await client.call<{ id: string }>('POST', requestPath, body);
    for (let finishedAt: string | null = null; finishedAt === null; ) {
      await round(meanwhile);
      const row = await client.call<{ finishedAt: string | null; createdAt: string }>(
        'GET',
        `/api/v2/bulkRequests/${id}`,
      );
      finishedAt = row.finishedAt;
    }
    const seconds = (performance.now() - begun) / 1000;
    const after = await computedMs(pid);
    const cpuSeconds = before === undefined || after === undefined ? undefined : (after - before) / 1000;
    return { id, seconds, cpuSeconds };
  };
  const archive = await run('/api/v2/bulkProjects/archive', { projectIds: ids.slice(0, ARCHIVED) });
  const undo = await run(`/api/v2/bulkRequests/${archive.id}/undo`);
  const eventLoopMeanwhile = await eventLoopDelay(service.url);
  return {
    eventLoopAlone,
    eventLoopMeanwhile,
    archiveSeconds: archive.seconds,
    undoSeconds: undo.seconds,
    archiveCpuSeconds: archive.cpuSeconds,
    undoCpuSeconds: undo.cpuSeconds,
    others: Object.keys(requests).map((request) => ({
      request,
      alone: computePercentiles(alone.get(request) ?? []),
      meanwhile: computePercentiles(meanwhile.get(request) ?? []),
    })),
    load: loadavg()[0],
  };
}

export async function benchBulk(): Promise<BulkTimes> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'scanwright-bench-'));
  const environment = { DATA_DIR: dataDir, PORT: String(await freePort()) };
  try {
    await (await startService(environment)).stop({ keepData: true });
    const database = await startDatabase({ directory: path.join(dataDir, 'postgres') });
    const ids = await fill(database.url);
    await database.stop();
    const service = await startService(environment);
    try {
      return await measure(service, ids);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Prints the times; false when one of them is beyond its limit. */
export function reportBulkTimes(times: BulkTimes): boolean {
  const { archiveSeconds, undoSeconds, archiveCpuSeconds, undoCpuSeconds, others, load } = times;
  console.log(
    `\n${ARCHIVED} of ${PROJECTS} projects archived by one request, and taken back; load of the machine ${load.toFixed(1)}`,
  );
  const row = (seconds: number, cpuSeconds: number | undefined) => ({
    seconds: +seconds.toFixed(2),
    cpuSeconds: cpuSeconds === undefined ? undefined : +cpuSeconds.toFixed(2),
    limit: LIMIT_SECONDS,
  });
  console.table({
    archived: row(archiveSeconds, archiveCpuSeconds),
    undone: row(undoSeconds, undoCpuSeconds),
  });
  console.table(
    others.map(({ request, alone, meanwhile }) => ({
      'asked for by another': request,
      'alone p50 ms': +alone.p50Ms.toFixed(1),
      'alone p95 ms': +alone.p95Ms.toFixed(1),
      times: meanwhile.count,
      'p50 ms': +meanwhile.p50Ms.toFixed(1),
      'p95 ms': +meanwhile.p95Ms.toFixed(1),
      'max ms': +meanwhile.maxMs.toFixed(1),
      limit: OTHERS_LIMIT_MS,
    })),
  );
  console.log("how late the service's event loop is");
  console.table({ alone: times.eventLoopAlone, meanwhile: times.eventLoopMeanwhile });
  return (
    archiveSeconds <= LIMIT_SECONDS &&
    undoSeconds <= LIMIT_SECONDS &&
    others.every(({ meanwhile }) => meanwhile.maxMs < OTHERS_LIMIT_MS) &&
    times.eventLoopMeanwhile.maxMs < OTHERS_LIMIT_MS
  );
}

if (import.meta.main && !reportBulkTimes(await benchBulk())) process.exitCode = 1;
