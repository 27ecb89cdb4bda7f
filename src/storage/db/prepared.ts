import { type Executor, unwrapExecutor } from './connection.ts';

/**
 * A query that is asked with nearly every request, put together once for each executor: for a small one that
 * takes longer than PostgreSQL does for the answer. Its parameters are drizzle's placeholders. `build` ends in
 * `.prepare('')`: without a name in the database, which a pooler in front of it would not know on its other
 * connections.
 */
export function prepared<Query>(build: (db: Executor) => Query): (db: Executor) => Query {
  const queries = new WeakMap<Executor, Query>();
  return (db) => {
    // A query keeps the connection that it was put together on.
    const executor = unwrapExecutor(db);
    const made = queries.get(executor) ?? build(executor);
    queries.set(executor, made);
    return made;
  };
}
