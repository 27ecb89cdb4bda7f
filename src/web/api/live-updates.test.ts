import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startLiveUpdates } from './live-updates.ts';

afterEach(() => vi.unstubAllGlobals());

/** A page that is signed in, whose stream of events opens when told to. */
function signedInPage() {
  const opened = Promise.withResolvers<Response>();
  vi.stubGlobal('localStorage', {
    getItem: () => JSON.stringify({ token: 't', expiresAt: '2999-01-01T00:00:00.000Z' }),
  });
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('fetch', () => opened.promise);
  return { open: () => opened.resolve(new Response(new ReadableStream())) };
}

describe('What a page was told', () => {
  test('before its stream of events was open is asked for again, and nothing that no event is about', async () => {
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
    // It ends while nobody listens yet.
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
});
