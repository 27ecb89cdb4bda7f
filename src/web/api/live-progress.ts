/**
 * Updates the progress of an operation in the lists that show it. Progress changes nothing else in a row, so one
 * request for the operation replaces one request per list.
 */
import type { Query, QueryClient } from '@tanstack/react-query';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { Operation } from '#contract/shapes/operation.ts';
import { readOperationOptions } from './generated/@tanstack/react-query.gen.ts';
import { keyMatches } from './live-event-queries.ts';

const lists = ['listOperations', 'listProjectOperations', 'listProjects'] as const;

type Progress = Pick<Operation, 'id' | 'status' | 'progress' | 'stage'>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Updates an operation's row, or a project's row with its latest operation; returns the same object if the row shows
 * another operation.
 */
function updateRow(row: unknown, { id, ...progress }: Progress): unknown {
  if (!isObject(row)) return row;
  if ('latestOperation' in row) {
    const latestOperation = updateRow(row.latestOperation, { id, ...progress });
    return latestOperation === row.latestOperation ? row : { ...row, latestOperation };
  }
  return 'id' in row && row.id === id ? { ...row, ...progress } : row;
}

/** A page of a list with the operation's progress updated; the same page if the operation is not in it. */
export function updatePage(page: unknown, progress: Progress): unknown {
  if (!isObject(page) || !('results' in page) || !Array.isArray(page.results)) return page;
  const rows: readonly unknown[] = page.results;
  const results = rows.map((row) => updateRow(row, progress));
  return results.some((row, at) => row !== rows[at]) ? { ...page, results } : page;
}

const isList = ({ queryKey }: Query) => lists.some((operation) => keyMatches(queryKey, { operation }));

/** Fetches the progress of an operation and shows it, if anything on the page shows the operation. */
export async function refreshProgress(client: QueryClient, id: string): Promise<void> {
  const cache = client.getQueryCache();
  const shows = (query: Query) => updatePage(query.state.data, makeUnstarted(id)) !== query.state.data;
  const pages = cache.findAll({ predicate: isList }).filter(shows);
  const options = readOperationOptions({ path: { id } });
  const isRead = cache.find({ queryKey: options.queryKey })?.isActive() ?? false;
  // Inactive queries are only marked stale; they refetch when their page opens.
  const unseen = pages.filter((query) => !query.isActive());
  await client.invalidateQueries({ predicate: (query) => unseen.includes(query), refetchType: 'none' });
  if (!isRead && unseen.length === pages.length) return;
  const { status, progress, stage } = await client.fetchQuery({ ...options, staleTime: 0 });
  // An ended operation may also have created data. The event of its end refetches the lists as a whole.
  if (!isUnfinished(status)) return;
  for (const query of pages) {
    const { data, isInvalidated, dataUpdatedAt } = query.state;
    // A query that is being refetched will be newer than this progress and must not be marked fresh before.
    if (isInvalidated || !query.isActive()) continue;
    const page = updatePage(data, { id, status, progress, stage });
    if (page !== data) client.setQueryData(query.queryKey, page, { updatedAt: dataUpdatedAt });
  }
}

const makeUnstarted = (id: string): Progress => ({ id, status: 'processing', progress: 0, stage: null });
