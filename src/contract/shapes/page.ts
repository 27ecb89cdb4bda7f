/** The envelope of every list. */
import { z } from 'zod';

export const pageSize = { default: 25, max: 200 } as const;
/** a count up to here is exact; beyond it may be an estimate, which then says so */
export const maxExactCount = 10_000;

export const PageQuery = z.strictObject({
  page: z.int().min(1).default(1).meta({ description: 'page number, from 1; beyond the last is a 404' }),
  page_size: z
    .int()
    .min(1)
    .max(pageSize.max)
    .default(pageSize.default)
    .meta({ description: 'results per page' }),
  cursor: z.string().max(4000).optional().meta({
    description:
      'nextCursor or previousCursor of another page, instead of page: no result comes twice or is left out when others are added meanwhile',
    'x-extension': true,
  }),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** What a list of work is narrowed to; a status that no work has finds nothing. */
export const StatusFilter = z
  .array(z.string())
  .optional()
  .meta({ description: 'may repeat; one must match' });

/** The same question without its pages. */
export const withoutPages = { page: true, page_size: true, cursor: true } as const;

export const countIsEstimate = z
  .literal(true)
  .optional()
  .meta({
    description: `the count is an estimate; only beyond ${maxExactCount.toLocaleString('en')}`,
  });

const cursor = (which: string) =>
  z
    .string()
    .optional()
    .meta({ description: `cursor of the ${which}, when there is one`, 'x-extension': true });

/** `{count, next, previous, results}` of `item`, named `<id>` in the OpenAPI document; with `more` that is of all pages. */
export function definePage<Item extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  item: Item,
  id: string,
  more: More = {} as More,
) {
  return z
    .object({
      count: z.int().min(0).meta({ description: 'results on all pages' }),
      countIsEstimate,
      next: z.string().nullable().meta({ description: 'address of the next page' }),
      previous: z.string().nullable().meta({ description: 'address of the page before' }),
      nextCursor: cursor('next page'),
      previousCursor: cursor('page before'),
      results: z.array(item),
      ...more,
    })
    .meta({ id });
}
