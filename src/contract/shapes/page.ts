/** The envelope of every list. */
import { z } from 'zod';

export const pageSize = { default: 25, max: 200 } as const;

export const PageQuery = z.strictObject({
  page: z.int().min(1).default(1).meta({ description: 'page number, from 1; beyond the last is a 404' }),
  page_size: z
    .int()
    .min(1)
    .max(pageSize.max)
    .default(pageSize.default)
    .meta({ description: 'results per page' }),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** `{count, next, previous, results}` of `item`, named `<id>` in the OpenAPI document. */
export function pageOf<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      count: z.int().min(0).meta({ description: 'results on all pages' }),
      next: z.string().nullable().meta({ description: 'address of the next page' }),
      previous: z.string().nullable().meta({ description: 'address of the page before' }),
      results: z.array(item),
    })
    .meta({ id });
}
