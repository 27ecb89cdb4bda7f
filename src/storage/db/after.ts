import { type SQL, sql } from 'drizzle-orm';

/**
 * So many seconds from now, by the clock of the database. What the database compares with its `now()` is written by the
 * same clock: that of another host may be minutes off.
 */
export const afterSeconds = (seconds: number): SQL<Date> =>
  sql<Date>`now() + make_interval(secs => ${seconds})`;
