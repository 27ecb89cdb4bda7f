/** The caller's access tokens and notifications, and the health of the service. */
import { sql } from 'drizzle-orm';
import { MARK } from '#storage/claim-store.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { readDemoProgress } from '#storage/demo-state.ts';
import { isMigrated } from '#storage/migrate.ts';
import { canSendMail } from '#storage/send-mail.ts';
import { invalidField, Problem } from '../../http/problem.ts';
import { writeAccountAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import * as store from './store.ts';

const ownAccount = ({ userId: id, email }: { userId: string; email: string }) => ({ id, email });

const CHECK_MS = 3_000;

/** @throws Problem UNAVAILABLE stating which check failed and why */
async function check(name: string, work: () => Promise<boolean>, wrong: string): Promise<'ok'> {
  const inTime = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('too late')), CHECK_MS).unref();
  });
  const detail = await Promise.race([work(), inTime]).then(
    (isRight) => (isRight ? undefined : wrong),
    // The error message may contain hosts and folders, and this operation is public.
    () => 'does not answer',
  );
  if (detail === undefined) return 'ok';
  throw new Problem('UNAVAILABLE', `${name} ${detail}`, { field: name, headers: { 'retry-after': '2' } });
}

export const bindAccount: BindRoutes = (binder, { db, config, blobs, version }) => {
  binder.bind('readLiveness', async () => ({ status: 'ok' as const }));
  binder.bind('readReadiness', async () => ({
    status: 'ok' as const,
    checks: {
      database: await check(
        'database',
        async () => (await db.execute(sql`select 1`)).rowCount === 1,
        'does not answer',
      ),
      migrations: await check('migrations', () => isMigrated(db), 'are those of another version'),
      store: await check(
        'store',
        async () => (await blobs.head(MARK)) !== undefined,
        'does not hold the files of this database',
      ),
    },
  }));

  binder.bind('readHealth', async () => {
    try {
      await db.execute(sql`select 1`);
    } catch {
      throw new Problem('UNAVAILABLE', 'the database can’t be reached', { headers: { 'retry-after': '2' } });
    }
    const demo = config.demo ? await readDemoProgress(db) : null;
    return { status: 'ok' as const, version, sendsMail: canSendMail(config), demo };
  });
  binder.bindList('listAccessTokens', ({ caller, query }) => store.listTokens(db, caller.userId, query));
  binder.bind('createAccessToken', async ({ caller, body }) => {
    if (caller.tokenKind === 'personal')
      throw new Problem(
        'PERMISSION_DENIED',
        'an access token is made by who signed in with a password, not by another access token',
      );
    if (body.expiresAt !== undefined && Date.parse(body.expiresAt) <= Date.now())
      throw invalidField('expiresAt', 'must be in the future');
    return inTransaction(db, async (tx) => {
      const { name, scope } = body;
      await writeAccountAudit(tx, ownAccount(caller), caller, {
        action: 'createAccessToken',
        detail: { name, scope },
      });
      return store.insertToken(tx, caller.userId, body);
    });
  });
  binder.bind('revokeAccessToken', ({ id, caller }) =>
    inTransaction(db, async (tx) => {
      const name = await store.revokeToken(tx, id);
      await writeAccountAudit(tx, ownAccount(caller), caller, {
        action: 'revokeAccessToken',
        detail: { name },
      });
    }),
  );
  binder.bindList('listNotifications', ({ caller, query }) =>
    store.listNotifications(db, caller.userId, query, query.unread),
  );
  binder.bind('markNotificationsRead', ({ caller, body }) =>
    inTransaction(db, (tx) => store.markRead(tx, caller.userId, body?.ids)),
  );
};
