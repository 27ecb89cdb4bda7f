/** Pagination: query and response envelope of every list. */
import { z } from 'zod';

export const pageSize = { default: 25, max: 200 } as const;
/** Counts up to this number are exact; larger ones may be estimates, marked by `countIsEstimate`. */
export const maxExactCount = 10_000;

export const PageQuery = z.strictObject({
  page: z
    .int()
    .min(1)
    .default(1)
    .meta({ description: 'page number, starting at 1; a page beyond the last is a 404' }),
  page_size: z
    .int()
    .min(1)
    .max(pageSize.max)
    .default(pageSize.default)
    .meta({ description: 'results per page' }),
  cursor: z.string().max(4000).optional().meta({
    description:
      '`nextCursor` or `previousCursor` of another page, instead of `page`; no result is repeated or skipped when others are added meanwhile',
    'x-extension': true,
  }),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** Filter of a list by status; an unknown status matches nothing. */
export const StatusFilter = z
  .array(z.string())
  .optional()
  .meta({ description: 'may be repeated; any may match' });

/** Mask that omits pagination from a list query. */
export const withoutPages = { page: true, page_size: true, cursor: true } as const;

export const countIsEstimate = z
  .literal(true)
  .optional()
  .meta({
    description: `true: the count is an estimate; only above ${maxExactCount.toLocaleString('en')}`,
  });

const cursor = (which: string) =>
  z
    .string()
    .optional()
    .meta({ description: `cursor of the ${which}; absent when there is none`, 'x-extension': true });

/**
 * Page `{count, next, previous, results}` of `item`, named `id` in the OpenAPI document; `more` holds further fields
 * that concern all pages.
 */
export function definePage<Item extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  item: Item,
  id: string,
  more: More = {} as More,
) {
  return z
    .object({
      count: z.int().min(0).meta({ description: 'total number of results on all pages' }),
      countIsEstimate,
      next: z.string().nullable().meta({ description: 'URL of the next page; null on the last' }),
      previous: z.string().nullable().meta({ description: 'URL of the previous page; null on the first' }),
      nextCursor: cursor('next page'),
      previousCursor: cursor('previous page'),
      results: z.array(item),
      ...more,
    })
    .meta({ id });
}
