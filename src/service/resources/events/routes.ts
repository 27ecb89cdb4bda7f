/** Server-sent events, and shared views sent through them. */
import { accessibleProjects } from '#storage/access/access.ts';
import { memberName } from '#storage/access/accounts.ts';
import { notify } from '#storage/db/events.ts';
import { invalidField } from '../../http/problem.ts';
import type { BindRoutes } from '../../services.ts';
import { EventHub } from './hub.ts';

export const bindEvents: BindRoutes = (binder, { connection, db, log }) => {
  const hub = new EventHub(connection, (err) => log.warn({ err }, 'events'));
  binder.onReady(() => hub.start());
  binder.onEnding(() => hub.stop());

  binder.bind('shareView', async ({ project, caller, body }) => {
    const { place, isLeaving } = body;
    const presenterId = body.presenterId.toLowerCase();
    if (!(await accessibleProjects(db, presenterId, [project.id])).has(project.id))
      throw invalidField('presenterId', 'is not a user with access to this project');
    if (place !== null && presenterId !== caller.userId)
      throw invalidField('place', 'must be null unless the caller is the presenter');
    const name = await memberName(db, project.organizationId, caller.userId);
    await notify(db, {
      type: 'updated',
      resource: 'sharedView',
      id: presenterId,
      projectId: project.id,
      organizationId: project.organizationId,
      workspaceId: project.workspaceId,
      sharedView: {
        presenterId,
        user: { id: caller.userId, email: caller.email, name },
        place,
        isLeaving,
      },
    });
  });

  binder.bindRaw('listenToEvents', async ({ caller, reply }) => {
    const { raw } = reply;
    const { userId, tokenId, expiresAt } = caller;
    const remove = await hub.add({
      userId,
      tokenId,
      expiresAt,
      write: (text) => raw.write(text),
      waitingBytes: () => raw.writableLength,
      end: () => raw.end(),
    });
    const untilEnd =
      expiresAt === null
        ? undefined
        : setTimeout(() => raw.end(), Math.min(expiresAt.getTime() - Date.now(), 2 ** 31 - 1));
    raw.once('close', () => {
      clearTimeout(untilEnd);
      remove();
    });
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      connection: 'keep-alive',
    });
    raw.write('retry: 2000\n\n');
  });
};
