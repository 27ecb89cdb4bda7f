/** An Idempotency-Key makes a repeated POST give the first answer again. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, lt, sql } from 'drizzle-orm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '#storage/db/connection.ts';
import { idempotencyKeys } from '#storage/db/schema-system.ts';
import { invalidField, Problem } from './problem.ts';

const KEPT_HOURS = 24;
const MAX_LENGTH = 200;
/** how long a repeat waits for the first request to end */
const WAIT_MS = 10_000;
/** a first request that took longer than this died with its process */
const ABANDONED_MS = 120_000;
const keptHeaders = ['etag', 'location'] as const;

/**
 * Runs `answer` unless the key was used before.
 *
 * @throws Problem IDEMPOTENCY_MISMATCH when the key belongs to another request
 */
interface Repeatable {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: { userId: string };
}

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
  for (const end = Date.now() + WAIT_MS; ; await delay(50)) {
    const now = Date.now();
    await db.delete(idempotencyKeys).where(
      and(
        mine,
        sql`(${idempotencyKeys.expiresAt} < now() or (${idempotencyKeys.responseStatus} is null
        and ${lt(idempotencyKeys.createdAt, new Date(now - ABANDONED_MS))}))`,
      ),
    );
    const inserted = await db
      .insert(idempotencyKeys)
      .values({ userId, key, requestHash, expiresAt: new Date(now + KEPT_HOURS * 3_600_000) })
      .onConflictDoNothing()
      .returning({ key: idempotencyKeys.key });
    if (inserted.length > 0) break;
    const [first] = await db.select().from(idempotencyKeys).where(mine);
    if (!first) continue;
    if (first.requestHash !== requestHash)
      throw new Problem(
        'IDEMPOTENCY_MISMATCH',
        'this Idempotency-Key was used with another request; choose a new one',
      );
    if (first.responseStatus !== null) {
      call.reply
        .code(first.responseStatus)
        .headers({ ...first.responseHeaders, 'idempotent-replayed': 'true' });
      return JSON.stringify(first.responseBody);
    }
    if (now > end)
      throw new Problem('CONFLICT', 'the first request with this Idempotency-Key is still under way');
  }
  return answerAndKeep(db, call, mine, answer);
}

async function answerAndKeep(
  db: Database,
  call: Repeatable,
  mine: ReturnType<typeof and>,
  answer: () => Promise<string | undefined>,
): Promise<string | undefined> {
  let text: string | undefined;
  try {
    text = await answer();
  } catch (error) {
    await db.delete(idempotencyKeys).where(mine);
    throw error;
  }
  const responseHeaders: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = call.reply.getHeader(name);
    if (value !== undefined) responseHeaders[name] = String(value);
  }
  const responseBody: unknown = text === undefined ? null : JSON.parse(text);
  await db
    .update(idempotencyKeys)
    .set({ responseStatus: call.reply.statusCode, responseBody, responseHeaders })
    .where(mine);
  return text;
}
