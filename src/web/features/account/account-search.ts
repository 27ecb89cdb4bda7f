import { z } from 'zod';
import { searchWords } from '#web/ui/search-field.tsx';

/** State of the account page stored in its address. */
export const AccountSearch = z.object({ token: z.unknown().transform(searchWords).optional() });
export type AccountSearch = z.infer<typeof AccountSearch>;
