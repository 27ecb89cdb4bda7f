/**
 * How far an operation is, put into the lists that show it. Its progress changes nothing else in them, so one request for
 * the operation takes the place of one for each list.
 */
import type { Query, QueryClient } from '@tanstack/react-query';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { Operation } from '#contract/shapes/operation.ts';
import { readOperationOptions } from './generated/@tanstack/react-query.gen.ts';
import { keyMatches } from './live-event-queries.ts';

const lists = ['listOperations', 'listProjectOperations', 'listProjects'] as const;

type Progress = Pick<Operation, 'id' | 'status' | 'progress' | 'stage'>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An operation of a list, or a project with its newest one; the same object where it is about another operation. */
function updateRow(row: unknown, { id, ...progress }: Progress): unknown {
  if (!isObject(row)) return row;
  if ('latestOperation' in row) {
    const latestOperation = updateRow(row.latestOperation, { id, ...progress });
    return latestOperation === row.latestOperation ? row : { ...row, latestOperation };
  }
  return 'id' in row && row.id === id ? { ...row, ...progress } : row;
}

/** A page of a list with what is known of an operation now; the same page where the operation is not in it. */
export function updatePage(page: unknown, progress: Progress): unknown {
  if (!isObject(page) || !('results' in page) || !Array.isArray(page.results)) return page;
  const rows: readonly unknown[] = page.results;
  const results = rows.map((row) => updateRow(row, progress));
  return results.some((row, at) => row !== rows[at]) ? { ...page, results } : page;
}

const isList = ({ queryKey }: Query) => lists.some((operation) => keyMatches(queryKey, { operation }));

/** Asks how far an operation is, where something on the page shows it, and shows that. */
export async function refreshProgress(client: QueryClient, id: string): Promise<void> {
  const cache = client.getQueryCache();
  const shows = (query: Query) => updatePage(query.state.data, makeUnstarted(id)) !== query.state.data;
  const pages = cache.findAll({ predicate: isList }).filter(shows);
  const options = readOperationOptions({ path: { id } });
  const isRead = cache.find({ queryKey: options.queryKey })?.isActive() ?? false;
  // Whoever comes to a page that is not seen now finds it asked for again.
  const unseen = pages.filter((query) => !query.isActive());
  await client.invalidateQueries({ predicate: (query) => unseen.includes(query), refetchType: 'none' });
  if (!isRead && unseen.length === pages.length) return;
  const { status, progress, stage } = await client.fetchQuery({ ...options, staleTime: 0 });
  // What has ended has made something as well: the event of its end has the lists asked for again, whole.
  if (!isUnfinished(status)) return;
  for (const query of pages) {
    const { data, isInvalidated, dataUpdatedAt } = query.state;
    // One that is asked for again will be newer than this, and must not count as new before.
    if (isInvalidated || !query.isActive()) continue;
    const page = updatePage(data, { id, status, progress, stage });
    if (page !== data) client.setQueryData(query.queryKey, page, { updatedAt: dataUpdatedAt });
  }
}

const makeUnstarted = (id: string): Progress => ({ id, status: 'processing', progress: 0, stage: null });
