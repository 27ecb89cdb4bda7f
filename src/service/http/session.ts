/** Authentication: resolves the Authorization header to the caller. */
import { createHash, randomBytes } from 'node:crypto';
import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import { afterSeconds } from '#storage/db/after.ts';
import type { Executor } from '#storage/db/connection.ts';
import { prepared } from '#storage/db/prepared.ts';
import { tokens, users } from '#storage/db/schema-accounts.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { Problem } from './problem.ts';

export interface Caller {
  userId: string;
  email: string;
  name: string;
  tokenId: string;
  tokenKind: 'session' | 'personal';
  /** the token is read-only */
  readOnly: boolean;
  /** IP address of the request */
  address: string;
  /** null for a personal token that never expires */
  expiresAt: Date | null;
}

const HEADER = /^(?:Token|Bearer) +([\w.~+/-]{16,200}=*) *$/i;
const LAST_USED_RESOLUTION_MS = 60_000;

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A new token with 256 bits; secret scanners recognize the prefix `sw_` in accidental commits. */
export const newToken = (): string => `sw_${randomBytes(32).toString('base64url')}`;

/** Problem for a request without a valid token. */
export const notAuthenticated = (detail: string): Problem =>
  new Problem('NOT_AUTHENTICATED', detail, { headers: { 'www-authenticate': 'Token' } });

const findSession = prepared((db) =>
  db
    .select({
      userId: users.id,
      email: users.email,
      name: users.name,
      tokenId: tokens.id,
      tokenKind: tokens.kind,
      scope: tokens.scope,
      expiresAt: tokens.expiresAt,
      lastUsedAt: tokens.lastUsedAt,
    })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(
      and(
        eq(tokens.hash, sql.placeholder('hash')),
        isNull(tokens.revokedAt),
        isNull(users.disabledAt),
        or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
      ),
    )
    .limit(1)
    .prepare(''),
);

/** @throws Problem NOT_AUTHENTICATED */
export async function authenticate(
  db: Executor,
  header: string | undefined,
  address: string,
): Promise<Caller> {
  if (header === undefined)
    throw notAuthenticated('send the header Authorization: Token <token>; POST /api/login gives one');
  const token = HEADER.exec(header)?.[1];
  if (token === undefined)
    throw notAuthenticated('the Authorization header must be “Token <token>” or “Bearer <token>”');
  const [row] = await findSession(db).execute({ hash: hashToken(token) });
  if (!row) throw notAuthenticated('the token is not known or has ended; sign in again');
  if (row.lastUsedAt === null || Date.now() - row.lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS)
    await db.update(tokens).set({ lastUsedAt: new Date() }).where(eq(tokens.id, row.tokenId));
  const { scope, lastUsedAt: _, ...caller } = row;
  return { ...caller, address, readOnly: scope === 'read' };
}

const MAX_USER_AGENT_LENGTH = 300;

/** Creates a session token and deletes the user's sessions that ended more than a week ago. */
export async function openSession(
  db: Executor,
  userId: string,
  lifetimeHours: number,
  from?: { ip: string; headers: Record<string, unknown> },
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken();
  const userAgent = String(from?.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH) || null;
  const values = {
    userId,
    kind: 'session' as const,
    hash: hashToken(token),
    expiresAt: afterSeconds(lifetimeHours * 3_600),
    address: from?.ip ?? null,
    userAgent: userAgent?.toWellFormed() ?? null,
  };
  const expiresAt = sql<Date>`${tokens.expiresAt}`.mapWith(tokens.expiresAt);
  const session = takeRow(await db.insert(tokens).values(values).returning({ expiresAt }));
  await db
    .delete(tokens)
    .where(
      and(
        eq(tokens.userId, userId),
        eq(tokens.kind, 'session'),
        lt(tokens.expiresAt, sql`now() - interval '7 days'`),
      ),
    );
  return { token, expiresAt: session.expiresAt };
}
