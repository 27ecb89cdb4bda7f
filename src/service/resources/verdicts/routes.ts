/** Computed characteristics of a part, and dispositions made by people. */
import { inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { mapPage, pageComputed } from '#storage/db/page.ts';
import { listCharacteristics } from '#storage/verdicts/list-characteristics.ts';
import { lockActive } from '../../access/lock-project.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import { dispositionShape } from '../../shapes/disposition-shape.ts';
import * as store from './store.ts';

export const bindVerdicts: BindRoutes = (binder, { db }) => {
  binder.bindList('listCharacteristics', async ({ project, query }) => {
    const { outdated } = query;
    const found = await listCharacteristics(db, [project.id], { onlyCurrent: outdated === false });
    const all = found.get(project.id)?.characteristics ?? [];
    const wanted = outdated === undefined ? all : all.filter((each) => each.outdated === outdated);
    return pageComputed(wanted, query, 'worst');
  });

  binder.bindList('listDispositions', ({ project, query }) =>
    mapPage(store.listDispositions(db, project.id, query), (rows) => rows.map(dispositionShape)),
  );

  binder.bind('createDisposition', async ({ project, caller, body }) =>
    inTransaction(db, async (tx) => {
      const { organizationId, id: projectId, workspaceId } = await lockActive(tx, project.id);
      const id = await store.insertDisposition(tx, projectId, caller.userId, body);
      const event = { organizationId, action: `${body.decision}Part`, resource: 'disposition' };
      await writeAudit(tx, caller, {
        ...event,
        resourceId: id,
        projectId,
        detail: { reason: body.reason },
      });
      const place = { projectId, organizationId, workspaceId };
      await notify(tx, { type: 'updated', resource: 'project', id: projectId, ...place });
      return dispositionShape(await store.readDisposition(tx, id));
    }),
  );
};
