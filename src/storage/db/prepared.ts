import { type Executor, unwrapExecutor } from './connection.ts';

/**
 * Caches a frequent query, built once per executor, because building a small query takes longer than executing it. Its
 * parameters are drizzle placeholders. `build` must end in `.prepare('')`: a named statement would be unknown on the other
 * connections of a pooler.
 */
export function prepared<Query>(build: (db: Executor) => Query): (db: Executor) => Query {
  const queries = new WeakMap<Executor, Query>();
  return (db) => {
    // A query is bound to the connection that it was built on.
    const executor = unwrapExecutor(db);
    const made = queries.get(executor) ?? build(executor);
    queries.set(executor, made);
    return made;
  };
}
