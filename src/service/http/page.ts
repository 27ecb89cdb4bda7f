/** The response envelope of lists. */
import type { FastifyRequest } from 'fastify';
import type { Page, PageRequest } from '#storage/db/page.ts';
import { invalidField, Problem } from './problem.ts';

export interface Envelope<Item> {
  count: number;
  countIsEstimate?: true;
  next: string | null;
  previous: string | null;
  nextCursor?: string;
  previousCursor?: string;
  results: Item[];
}

function withQuery(request: FastifyRequest, base: string, name: 'page' | 'cursor', value: string): string {
  const [path, query = ''] = request.url.split('?');
  const names = new URLSearchParams(query);
  names.set(name, value);
  return `${base}${path}?${names}`;
}

/**
 * Builds the envelope. Neighbouring pages are addressed like the requested one: by number or by cursor.
 *
 * @throws Problem NOT_FOUND beyond the last page; page 1 of an empty list exists
 */
export function makePage<Item>(
  request: FastifyRequest,
  { page, page_size, cursor }: PageRequest,
  { count, isEstimate, nextCursor, previousCursor, results, ...more }: Page<Item>,
): Envelope<Item> {
  if (cursor !== undefined && page > 1)
    throw invalidField('page', 'must not be combined with cursor; send one of them');
  if (results.length === 0 && page > 1) {
    const pages = `${isEstimate ? 'about ' : ''}${Math.max(1, Math.ceil(count / page_size))}`;
    throw new Problem(
      'NOT_FOUND',
      `there is no page ${page}: the list has ${pages} of ${page_size} results each`,
      {
        field: 'page',
      },
    );
  }
  const base = request.baseAddress;
  const to = (neighbour: string | null, number: number): string | null => {
    if (neighbour === null) return null;
    return cursor === undefined
      ? withQuery(request, base, 'page', String(number))
      : withQuery(request, base, 'cursor', neighbour);
  };
  return {
    count,
    ...(isEstimate ? { countIsEstimate: true } : {}),
    next: to(nextCursor, page + 1),
    previous: to(previousCursor, page - 1),
    ...(nextCursor === null ? {} : { nextCursor }),
    ...(previousCursor === null ? {} : { previousCursor }),
    results,
    ...more,
  };
}
