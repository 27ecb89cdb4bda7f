/** Exports of projects: requesting, reading, listing, cancelling and retrying them. */

import { findMemberWorkspaces } from '#storage/access/access.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { mapPage } from '#storage/db/page.ts';
import type { BindRoutes } from '../../services.ts';
import { exportShape } from '../../shapes/export-shape.ts';
import { estimateExport } from './estimate.ts';
import * as store from './store.ts';

const reportOnly = {
  exportMeshes: false,
  exportVolumes: false,
  exportRadiographs: false,
  report: true,
} as const;

export const bindExports: BindRoutes = (binder, { db, addresses }) => {
  binder.bind('requestProjectExport', async ({ project, caller, body, request }) => {
    const row = await inTransaction(db, (tx) =>
      store.requestExport(tx, caller, project, body.config, body.sendToRequester),
    );
    return exportShape(row, addresses.for(caller, request));
  });
  binder.bind('requestProjectReport', async ({ project, caller, request }) => {
    const row = await inTransaction(db, (tx) => store.requestExport(tx, caller, project, reportOnly, false));
    return exportShape(row, addresses.for(caller, request));
  });
  binder.bind('readProjectExport', async ({ project, caller, request }) =>
    exportShape(await store.newestExport(db, project.id), addresses.for(caller, request)),
  );
  binder.bindList('listExports', async ({ caller, query, request }) => {
    const workspaceIds = (await findMemberWorkspaces(db, caller.userId)).map(({ id }) => id);
    return mapPage(store.listExports(db, workspaceIds, query, query), (rows) =>
      rows.map(({ row, projectName }) => ({
        ...exportShape(row, addresses.for(caller, request)),
        projectName,
      })),
    );
  });
  binder.bind('estimateProjectExport', ({ project, query }) =>
    estimateExport(db, project.id, query.volumeFormat, query.meshFormats),
  );
  for (const [operation, change] of [
    ['cancelExport', store.cancelExport],
    ['retryExport', store.retryExport],
  ] as const) {
    binder.bind(operation, async ({ id, caller, request }) => {
      const row = await inTransaction(db, (tx) => change(tx, id));
      return exportShape(row, addresses.for(caller, request));
    });
  }
};
