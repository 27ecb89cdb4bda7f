/** Bookmarks of views, and what people say about them. */

import { workspacesOf } from '#storage/access/access.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { baseAddress, pageOfResults } from '../../http/page.ts';
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

export const bindBookmarks: BindRoutes = (binder, { db, config, addresses, blobs, queue }) => {
  binder.bind('listBookmarks', async ({ caller, query, request }) => {
    const workspaceIds = (await workspacesOf(db, caller.userId)).map(({ id }) => id);
    const { count, rows } = await store.listBookmarks(db, workspaceIds, query, query);
    const base = baseAddress(request, config.publicUrl);
    return pageOfResults(request, base, query, count, await store.shapesOf(db, addresses, base, rows));
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
      await store.tell(tx, 'created', project, made.id);
      return made;
    });
    const [shape] = await store.shapesOf(db, addresses, baseAddress(request, config.publicUrl), [row]);
    return shape;
  });

  binder.bind('readBookmark', async ({ id, request }) => {
    const row = await store.readBookmark(db, id);
    const [shape] = await store.shapesOf(db, addresses, baseAddress(request, config.publicUrl), [row]);
    return shape;
  });

  binder.bind('updateBookmark', async ({ id, project, body, request }) => {
    const { name, description, viewState, thumbnailPng } = body;
    const thumbnailKey = await store.keepPicture(db, blobs, thumbnailPng);
    const row = await inTransaction(db, async (tx) => {
      const picture = thumbnailKey === undefined ? {} : { thumbnailKey };
      const changed = await store.updateBookmark(tx, id, { name, description, viewState, ...picture });
      await store.tell(tx, 'updated', project, id);
      return changed;
    });
    const [shape] = await store.shapesOf(db, addresses, baseAddress(request, config.publicUrl), [row]);
    return shape;
  });

  binder.bind('deleteBookmark', ({ id, project, caller }) =>
    inTransaction(db, async (tx) => {
      const { name } = await store.readBookmark(tx, id);
      await store.deleteBookmark(tx, id);
      await writeAudit(tx, caller, audited(project, 'deleteBookmark', id, name));
      await store.tell(tx, 'deleted', project, id);
    }),
  );

  binder.bind('listBookmarkComments', async ({ id, query, request }) => {
    const { count, results } = await store.listComments(db, id, query);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, results);
  });

  binder.bind('createBookmarkComment', ({ id, project, caller, body }) =>
    inTransaction(db, async (tx) => {
      const author = { id: caller.userId, email: caller.email, name: caller.name };
      const comment = await store.insertComment(tx, id, author, body.text);
      await store.tell(tx, 'updated', project, id);
      await store.tellOfComment(tx, project, id, author, body.text);
      return comment;
    }),
  );

  binder.bind('listBookmarkRenders', async ({ id, query, request }) => {
    const { count, rows } = await renders.listRenders(db, id, query);
    const base = baseAddress(request, config.publicUrl);
    const shapes = rows.map((row) => renders.renderShape(addresses, base, row));
    return pageOfResults(request, base, query, count, shapes);
  });

  binder.bind('createBookmarkRender', async ({ id, project, caller, body, request }) => {
    const made = body.png === undefined ? null : await renders.keepRender(db, blobs, body.png, body);
    const row = await inTransaction(db, async (tx) => {
      const { width, height, viewState } = body;
      const asked = { bookmarkId: id, width, height, viewState, createdBy: caller.userId };
      const inserted = await renders.insertRender(tx, queue, asked, made);
      await store.tell(tx, 'updated', project, id);
      return inserted;
    });
    return renders.renderShape(addresses, baseAddress(request, config.publicUrl), row);
  });
};
