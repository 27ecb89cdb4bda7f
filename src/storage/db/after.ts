import { type SQL, sql } from 'drizzle-orm';

/**
 * A time so many seconds from now, by the clock of the database. Times compared with the database's `now()` must come from
 * the same clock, because the clock of another host may be off by minutes.
 */
export const afterSeconds = (seconds: number): SQL<Date> =>
  sql<Date>`now() + make_interval(secs => ${seconds})`;
