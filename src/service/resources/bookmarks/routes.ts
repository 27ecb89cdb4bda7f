/** Bookmarks of views, and comments on them. */

import { findMemberWorkspaces } from '#storage/access/access.ts';
import { memberName } from '#storage/access/accounts.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { mapPage } from '#storage/db/page.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { lockActive } from '../../access/lock-project.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import * as renders from './renders.ts';
import * as store from './store.ts';

const audited = (
  { id: projectId, organizationId }: { id: string; organizationId: string },
  action: string,
  resourceId: string,
  name: string,
) => ({ organizationId, action, resource: 'bookmark', resourceId, projectId, detail: { name } });

export const bindBookmarks: BindRoutes = (binder, { db, addresses, blobs }) => {
  binder.bindList('listBookmarks', async ({ caller, query, request }) => {
    const workspaceIds = (await findMemberWorkspaces(db, caller.userId)).map(({ id }) => id);
    const sign = addresses.for(caller, request);
    return mapPage(store.listBookmarks(db, workspaceIds, query, query), (rows) =>
      store.bookmarkShapes(db, sign, rows),
    );
  });

  binder.bind('createBookmark', async ({ caller, project, body, request }) => {
    const { name, description, viewState, thumbnailPng } = body;
    const thumbnailKey = await store.keepPicture(db, blobs, thumbnailPng);
    const row = await inTransaction(db, async (tx) => {
      const values = {
        projectId: project.id,
        name,
        description,
        viewState,
        thumbnailKey,
        createdBy: caller.userId,
      };
      const made = await store.insertBookmark(tx, values);
      await writeAudit(tx, caller, audited(project, 'createBookmark', made.id, name));
      await store.announceBookmark(tx, 'created', project, made.id);
      return made;
    });
    return takeRow(await store.bookmarkShapes(db, addresses.for(caller, request), [row]));
  });

  binder.bind('readBookmark', async ({ id, caller, request }) => {
    const row = await store.readBookmark(db, id);
    return takeRow(await store.bookmarkShapes(db, addresses.for(caller, request), [row]));
  });

  binder.bind('updateBookmark', async ({ id, project, caller, body, request }) => {
    const { name, description, viewState, thumbnailPng } = body;
    const thumbnailKey = await store.keepPicture(db, blobs, thumbnailPng);
    const row = await inTransaction(db, async (tx) => {
      const picture = thumbnailKey === undefined ? {} : { thumbnailKey };
      const changed = await store.updateBookmark(tx, id, { name, description, viewState, ...picture });
      await store.announceBookmark(tx, 'updated', project, id);
      return changed;
    });
    return takeRow(await store.bookmarkShapes(db, addresses.for(caller, request), [row]));
  });

  binder.bind('deleteBookmark', ({ id, project, caller }) =>
    inTransaction(db, async (tx) => {
      const { name } = await store.readBookmark(tx, id);
      await store.deleteBookmark(tx, id);
      await writeAudit(tx, caller, audited(project, 'deleteBookmark', id, name));
      await store.announceBookmark(tx, 'deleted', project, id);
    }),
  );

  binder.bind('readStory', ({ project, caller, request }) =>
    store.readStory(db, addresses.for(caller, request), project.id),
  );

  binder.bind('orderStory', async ({ project, caller, body, request }) => {
    await inTransaction(db, async (tx) => {
      await lockActive(tx, project.id);
      await store.orderStory(tx, project.id, body.bookmarkIds);
      // One event is enough, because listeners refetch the whole story.
      await store.announceBookmark(tx, 'updated', project, takeRow(body.bookmarkIds));
    });
    return store.readStory(db, addresses.for(caller, request), project.id);
  });

  binder.bindList('listBookmarkComments', ({ id, query }) => store.listComments(db, id, query));

  binder.bind('createBookmarkComment', ({ id, project, caller, body }) =>
    inTransaction(db, async (tx) => {
      const name = await memberName(tx, project.organizationId, caller.userId);
      const author = { id: caller.userId, email: caller.email, name };
      const comment = await store.insertComment(tx, id, author, body.text);
      await store.announceBookmark(tx, 'updated', project, id);
      await store.announceComment(tx, project, id, author, body.text);
      return comment;
    }),
  );

  binder.bindList('listBookmarkRenders', ({ id, project, caller, query, request }) => {
    const sign = addresses.for(caller, request);
    return mapPage(renders.listRenders(db, id, query), (rows) =>
      rows.map((row) => renders.renderShape(sign, project.id, row)),
    );
  });

  for (const [operation, change] of [
    ['cancelBookmarkRender', renders.cancelRender],
    ['retryBookmarkRender', renders.retryRender],
  ] as const) {
    binder.bind(operation, async ({ id, project, caller, params, request }) => {
      const row = await inTransaction(db, (tx) => change(tx, id, params['renderId']));
      return renders.renderShape(addresses.for(caller, request), project.id, row);
    });
  }

  binder.bind('createBookmarkRender', async ({ id, project, caller, body, request }) => {
    const made = body.png === undefined ? null : await renders.keepRender(db, blobs, body.png, body);
    const row = await inTransaction(db, async (tx) => {
      const { width, height, viewState } = body;
      const request = { bookmarkId: id, width, height, viewState, createdBy: caller.userId };
      const inserted = await renders.insertRender(tx, request, made);
      await store.announceBookmark(tx, 'updated', project, id);
      return inserted;
    });
    return renders.renderShape(addresses.for(caller, request), project.id, row);
  });
};
