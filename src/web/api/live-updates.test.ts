import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ServiceEvent } from '#contract/shapes/event.ts';
import { client as serviceClient } from './generated/client.gen.ts';
import { refreshProgress } from './live-progress.ts';
import { startLiveUpdates } from './live-updates.ts';

afterEach(() => vi.unstubAllGlobals());

/** A signed-in page whose event stream opens when `open` is called. */
function signedInPage() {
  const opened = Promise.withResolvers<Response>();
  vi.stubGlobal('localStorage', {
    getItem: () => JSON.stringify({ token: 't', expiresAt: '2999-01-01T00:00:00.000Z' }),
  });
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('fetch', () => opened.promise);
  const told: ReadableStreamDefaultController<Uint8Array>[] = [];
  const stream = new ReadableStream<Uint8Array>({ start: (controller) => void told.push(controller) });
  return {
    open: () => opened.resolve(new Response(stream)),
    tell: (event: ServiceEvent) =>
      told[0]?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)),
  };
}

describe('Live data', () => {
  test('read before the event stream was open is refetched, and nothing that no event covers', async () => {
    const page = signedInPage();
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: 15_000 } } });
    let status = 'pending';
    const request = new QueryObserver(client, {
      queryKey: [{ _id: 'readBulkRequest', path: { bulk_request_id: '1' } }],
      queryFn: () => status,
    });
    const slices = vi.fn(() => 'bytes');
    const slice = new QueryObserver(client, { queryKey: ['slice'], queryFn: slices });
    const answered = Promise.withResolvers<string>();
    const answers = [answered.promise, Promise.resolve('completed')];
    const late = new QueryObserver(client, {
      queryKey: [{ _id: 'listBulkRequests' }],
      queryFn: () => answers.shift() ?? 'too often',
    });
    const endings = [request, slice, late].map((observer) => observer.subscribe(() => undefined));
    const end = startLiveUpdates(client);
    await expect.poll(() => request.getCurrentResult().data).toBe('pending');
    // The bulk request completes before the stream is open.
    status = 'completed';
    page.open();
    await expect.poll(() => client.isFetching()).toBe(1);
    answered.resolve('pending');
    await expect.poll(() => late.getCurrentResult().data).toBe('completed');
    await expect.poll(() => request.getCurrentResult().data).toBe('completed');
    expect(slices).toHaveBeenCalledTimes(1);
    end();
    for (const ending of endings) ending();
  });

  test('is refetched as soon as an event reports a change, however slow another refetch is', async () => {
    const page = signedInPage();
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: 15_000 } } });
    const never = Promise.withResolvers<number>();
    const slow = vi.fn(() => (slow.mock.calls.length < 3 ? 1 : never.promise));
    const data = vi.fn(() => 1);
    const path = { id: crypto.randomUUID() };
    const upload = new QueryObserver(client, { queryKey: [{ _id: 'readUpload', path }], queryFn: slow });
    const list = new QueryObserver(client, { queryKey: [{ _id: 'listProjectData', path }], queryFn: data });
    const endings = [upload, list].map((observer) => observer.subscribe(() => undefined));
    const end = startLiveUpdates(client);
    page.open();
    await expect.poll(() => [slow.mock.calls.length, data.mock.calls.length]).toEqual([2, 2]);
    page.tell({ type: 'updated', resource: 'upload', id: path.id });
    await expect.poll(() => slow.mock.calls.length).toBe(3);
    page.tell({ type: 'created', resource: 'dataObject', id: crypto.randomUUID(), projectId: path.id });
    await expect.poll(() => data.mock.calls.length).toBe(3);
    expect(slow).toHaveBeenCalledTimes(3);
    end();
    for (const ending of endings) ending();
  });

  test.each(['shown', 'loaded ahead'])(
    'whose first response is on its way, %s, is refetched after an event',
    async (how) => {
      const page = signedInPage();
      const client = new QueryClient({ defaultOptions: { queries: { staleTime: 15_000 } } });
      const id = crypto.randomUUID();
      const lists = vi.fn(() => 1);
      const list = new QueryObserver(client, { queryKey: [{ _id: 'listBulkRequests' }], queryFn: lists });
      const endings = [list.subscribe(() => undefined)];
      await expect.poll(() => lists.mock.calls.length).toBe(1);
      const end = startLiveUpdates(client);
      page.open();
      await expect.poll(() => lists.mock.calls.length).toBe(2);
      const answered = Promise.withResolvers<string>();
      const answers = [answered.promise, Promise.resolve('completed')];
      const options = {
        queryKey: [{ _id: 'readBulkRequest', path: { bulk_request_id: id } }],
        queryFn: () => answers.shift() ?? 'too often',
      };
      const request = new QueryObserver(client, options);
      if (how === 'shown') endings.push(request.subscribe(() => undefined));
      else void client.prefetchQuery(options);
      page.tell({ type: 'updated', resource: 'bulkRequest', id });
      await expect.poll(() => lists.mock.calls.length).toBe(3);
      answered.resolve('pending');
      if (how !== 'shown') {
        await expect.poll(() => client.getQueryState(options.queryKey)?.isInvalidated).toBe(true);
        endings.push(request.subscribe(() => undefined));
      }
      await expect.poll(() => request.getCurrentResult().data).toBe('completed');
      end();
      for (const ending of endings) ending();
    },
  );
});

describe('The progress of an operation', () => {
  test('is requested once, however many lists show it, and other lists are left alone', async () => {
    const page = signedInPage();
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: 15_000 } } });
    const [id, projectId] = [crypto.randomUUID(), crypto.randomUUID()];
    const row = { id, status: 'processing', progress: 0.1, stage: 'Reading', operation: 'ingest' };
    const asked = vi.fn();
    const list = (key: object, results: unknown[]) => {
      const queryFn = () => {
        asked(key);
        return { count: 1, results };
      };
      return new QueryObserver<unknown>(client, { queryKey: [key], queryFn });
    };
    const path = { project_id: projectId };
    const lists = [
      list({ _id: 'listOperations', query: { status: 'processing' } }, [row, { ...row, id: projectId }]),
      list({ _id: 'listProjectOperations', path }, [row]),
      list({ _id: 'listProjectOperations', path, query: { operation: 'ingest' } }, [row]),
      list({ _id: 'listProjects' }, [{ id: projectId, latestOperation: row }, { latestOperation: null }]),
      list({ _id: 'listProjects', query: { page: 2 } }, []),
    ];
    const endings = lists.map((each) => each.subscribe(() => undefined));
    // Loaded before and inactive now.
    const unseen = [{ _id: 'listOperations', query: { page: 2 } }];
    client.setQueryData(unseen, { count: 1, results: [row] });
    const end = startLiveUpdates(client);
    page.open();
    // Once on mount, and once when the stream opened.
    await expect.poll(() => asked.mock.calls.length).toBe(2 * lists.length);
    await expect.poll(() => client.isFetching()).toBe(0);
    const reads: string[] = [];
    const further = { ...row, progress: 0.6, stage: 'Counting' };
    const answer = async (request: string | URL | Request) => {
      reads.push(new URL((request as Request).url).pathname);
      return Response.json(further);
    };
    serviceClient.setConfig({ baseUrl: 'http://service.test', fetch: answer });
    page.tell({ type: 'progressed', resource: 'operation', id, projectId });
    page.tell({ type: 'progressed', resource: 'operation', id, projectId });
    await expect
      .poll(() => lists[0]?.getCurrentResult().data)
      .toEqual({
        count: 1,
        results: [further, { ...row, id: projectId }],
      });
    expect(lists[3]?.getCurrentResult().data).toMatchObject({
      results: [{ latestOperation: further }, { latestOperation: null }],
    });
    expect(reads).toEqual([`/api/v2/operations/${id}`]);
    expect(asked).toHaveBeenCalledTimes(2 * lists.length);
    expect(client.getQueryState(unseen)?.isInvalidated).toBe(true);
    // No list shows this operation.
    page.tell({ type: 'progressed', resource: 'operation', id: crypto.randomUUID(), projectId });
    page.tell({ type: 'progressed', resource: 'operation', id, projectId });
    await expect.poll(() => reads.length).toBe(2);
    expect(new Set(reads).size).toBe(1);
    end();
    for (const ending of endings) ending();
  });

  test('does not mark an operation as ended in lists, which refetch it together with its results', async () => {
    const client = new QueryClient();
    const id = crypto.randomUUID();
    const row = { id, status: 'processing', progress: 0.9, stage: null, outputDataObjectIds: [] as string[] };
    const ended = { ...row, status: 'completed', progress: 1, outputDataObjectIds: [crypto.randomUUID()] };
    const queryKey = [{ _id: 'listProjectOperations', path: { project_id: crypto.randomUUID() } }];
    const list = new QueryObserver(client, { queryKey, queryFn: () => ({ count: 1, results: [row] }) });
    const end = list.subscribe(() => undefined);
    await expect.poll(() => list.getCurrentResult().isSuccess).toBe(true);
    const answer = vi.fn(async () => Response.json(ended));
    serviceClient.setConfig({ baseUrl: 'http://service.test', fetch: answer });
    await refreshProgress(client, id);
    expect(answer).toHaveBeenCalledTimes(1);
    expect(list.getCurrentResult().data).toEqual({ count: 1, results: [row] });
    end();
  });
});
