/** Idempotency-Key: a repeated POST returns the first response again. */
import { createHash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Database, inOneTransaction, sqlState, type Transaction } from '#storage/db/connection.ts';
import { idempotencyKeys } from '#storage/db/schema-system.ts';
import { invalidField, Problem } from './problem.ts';

const KEPT_HOURS = 24;
const MAX_LENGTH = 200;
/** how long a repeated request waits for the first one to finish */
const WAIT_SECONDS = 10;
const LOCK_NOT_AVAILABLE = '55P03';
const keptHeaders = ['etag', 'location'] as const;

interface Repeatable {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: { userId: string };
}

/**
 * Runs `answer` unless the key was used before. The key, the changes made by `answer` and the response are written in one
 * transaction, so a killed process leaves either all of them or none.
 *
 * @throws Problem IDEMPOTENCY_MISMATCH when the key belongs to another request
 */
export async function once(
  db: Database,
  call: Repeatable,
  answer: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const key = call.request.headers['idempotency-key'];
  if (key === undefined) return answer();
  if (typeof key !== 'string' || key === '' || key.length > MAX_LENGTH)
    throw invalidField('Idempotency-Key', `must be 1 to ${MAX_LENGTH} characters long`);
  const { userId } = call.caller;
  const requestHash = createHash('sha256')
    .update(JSON.stringify([call.request.method, call.request.url, call.request.body ?? null]))
    .digest('hex');
  const mine = and(eq(idempotencyKeys.userId, userId), eq(idempotencyKeys.key, key));
  return inOneTransaction(db, async (tx) => {
    if (!(await claimKey(tx, { userId, key, requestHash }))) {
      const [first] = await tx.select().from(idempotencyKeys).where(mine);
      return repeat(call, requestHash, first);
    }
    const text = await answer();
    const headers = keptHeaders.map((name) => [name, call.reply.getHeader(name)] as const);
    await tx
      .update(idempotencyKeys)
      .set({
        responseStatus: call.reply.statusCode,
        responseBody: text === undefined ? null : JSON.parse(text),
        responseHeaders: Object.fromEntries(
          headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
        ),
      })
      .where(mine);
    return text;
  });
}

/** Claims the key, waiting for an earlier request with the same key; false when that one has completed. */
async function claimKey(
  tx: Transaction,
  values: { userId: string; key: string; requestHash: string },
): Promise<boolean> {
  const fresh = {
    ...values,
    expiresAt: sql`now() + make_interval(hours => ${KEPT_HOURS})`,
    responseStatus: null,
  };
  try {
    await tx.execute(sql`select set_config('lock_timeout', ${`${WAIT_SECONDS}s`}, true)`);
    const claimed = await tx
      .insert(idempotencyKeys)
      .values(fresh)
      .onConflictDoUpdate({
        target: [idempotencyKeys.userId, idempotencyKeys.key],
        set: fresh,
        // A key without a response was left by an earlier version, which did not use one transaction.
        setWhere: sql`${idempotencyKeys.expiresAt} < now() or ${idempotencyKeys.responseStatus} is null`,
      })
      .returning({ key: idempotencyKeys.key });
    await tx.execute(sql`set local lock_timeout to default`);
    return claimed.length > 0;
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new Problem('CONFLICT', 'the first request with this Idempotency-Key is still running');
  }
}

function repeat(
  { reply }: Repeatable,
  requestHash: string,
  first: typeof idempotencyKeys.$inferSelect | undefined,
): string | undefined {
  if (first?.responseStatus == null || first.requestHash !== requestHash)
    throw new Problem(
      'IDEMPOTENCY_MISMATCH',
      'this Idempotency-Key was used with another request; choose a new one',
    );
  reply.code(first.responseStatus).headers({ ...first.responseHeaders, 'idempotent-replayed': 'true' });
  return JSON.stringify(first.responseBody);
}
