/** The envelope of lists. */
import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

export interface PageRequest {
  page: number;
  page_size: number;
}

export interface Page<Item> {
  count: number;
  next: string | null;
  previous: string | null;
  results: Item[];
}

/** Where this service is reached, without a slash at the end: the setting, else as the request came in. */
export function baseAddress(request: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}

function withPage(request: FastifyRequest, base: string, page: number): string {
  const [path, query = ''] = request.url.split('?');
  const names = new URLSearchParams(query);
  names.set('page', String(page));
  return `${base}${path}?${names}`;
}

export const offsetOf = ({ page, page_size }: PageRequest): number => (page - 1) * page_size;

/**
 * @param results of the page that was asked for
 * @throws Problem NOT_FOUND beyond the last page; page 1 of an empty list is there
 */
export function pageOfResults<Item>(
  request: FastifyRequest,
  base: string,
  { page, page_size }: PageRequest,
  count: number,
  results: Item[],
): Page<Item> {
  const pages = Math.max(1, Math.ceil(count / page_size));
  if (page > pages) {
    throw new Problem(
      'NOT_FOUND',
      `there is no page ${page}: the list has ${pages} of ${page_size} results each`,
      {
        field: 'page',
      },
    );
  }
  return {
    count,
    next: page < pages ? withPage(request, base, page + 1) : null,
    previous: page > 1 ? withPage(request, base, page - 1) : null,
    results,
  };
}
