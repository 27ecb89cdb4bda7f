/** Exports of projects: asking for one, its state and address, all of them, stopping one. */

import { workspacesOf } from '#storage/access/access.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { baseAddress, pageOfResults } from '../../http/page.ts';
import type { BindRoutes } from '../../services.ts';
import { exportShape } from '../../shapes/export-shape.ts';
import { estimateExport } from './estimate.ts';
import * as store from './store.ts';

export const bindExports: BindRoutes = (binder, { db, config, queue, addresses }) => {
  binder.bind('requestProjectExport', async ({ project, caller, body, request }) => {
    const row = await inTransaction(db, (tx) =>
      store.requestExport(tx, queue, caller, project, body.config, body.sendToRequester),
    );
    return exportShape(row, addresses, baseAddress(request, config.publicUrl));
  });
  binder.bind('readProjectExport', async ({ project, request }) =>
    exportShape(await store.newestExport(db, project.id), addresses, baseAddress(request, config.publicUrl)),
  );
  binder.bind('listExports', async ({ caller, query, request }) => {
    const workspaceIds = (await workspacesOf(db, caller.userId)).map(({ id }) => id);
    const { count, results } = await store.listExports(db, workspaceIds, query, query);
    const base = baseAddress(request, config.publicUrl);
    const shapes = results.map((row) => exportShape(row, addresses, base));
    return pageOfResults(request, base, query, count, shapes);
  });
  binder.bind('estimateProjectExport', ({ project, query }) =>
    estimateExport(db, project.id, query.volumeFormat, query.meshFormats),
  );
  binder.bind('cancelExport', async ({ id, request }) => {
    const row = await inTransaction(db, (tx) => store.cancelExport(tx, id));
    return exportShape(row, addresses, baseAddress(request, config.publicUrl));
  });
};
