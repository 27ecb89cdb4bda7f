/** What is the caller's own: access tokens and notifications; and whether the service can serve at all. */
import { sql } from 'drizzle-orm';
import { inTransaction } from '#storage/db/connection.ts';
import { baseAddress, pageOfResults } from '../../http/page.ts';
import { invalidField, Problem } from '../../http/problem.ts';
import type { BindRoutes } from '../../services.ts';
import * as store from './store.ts';

export const bindAccount: BindRoutes = (binder, { db, config, version }) => {
  binder.bind('readHealth', async () => {
    try {
      await db.execute(sql`select 1`);
    } catch {
      throw new Problem('UNAVAILABLE', 'the database can’t be reached', { headers: { 'retry-after': '2' } });
    }
    return { status: 'ok' as const, version };
  });
  binder.bind('listAccessTokens', async ({ caller, query, request }) => {
    const { count, results } = await store.listTokens(db, caller.userId, query);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, results);
  });
  binder.bind('createAccessToken', async ({ caller, body }) => {
    if (caller.tokenKind === 'personal')
      throw new Problem(
        'PERMISSION_DENIED',
        'an access token is made by who signed in with a password, not by another access token',
      );
    if (body.expiresAt !== undefined && Date.parse(body.expiresAt) <= Date.now())
      throw invalidField('expiresAt', 'must lie in the future');
    return store.insertToken(db, caller.userId, body);
  });
  binder.bind('revokeAccessToken', ({ id }) => store.revokeToken(db, id));
  binder.bind('listNotifications', async ({ caller, query, request }) => {
    const { count, results } = await store.listNotifications(db, caller.userId, query, query.unread);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, results);
  });
  binder.bind('markNotificationsRead', ({ caller, body }) =>
    inTransaction(db, (tx) => store.markRead(tx, caller.userId, body?.ids)),
  );
};
