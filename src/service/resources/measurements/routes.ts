/** Measurements made by users on a part. */
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { lockActive } from '../../access/lock-project.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import * as store from './store.ts';

type Place = Awaited<ReturnType<typeof lockActive>>;
const announce = (
  tx: Transaction,
  type: 'created' | 'updated' | 'deleted',
  { id: projectId, organizationId, workspaceId }: Place,
  id: string,
) => notify(tx, { type, resource: 'measurement', id, projectId, organizationId, workspaceId });

const audited = (
  { id: projectId, organizationId }: Place,
  action: string,
  resourceId: string,
  name: string,
) => ({
  organizationId,
  action,
  resource: 'measurement',
  resourceId,
  projectId,
  detail: { name },
});

export const bindMeasurements: BindRoutes = (binder, { db }) => {
  binder.bindList('listMeasurements', ({ project, query }) => store.listMeasurements(db, project.id, query));

  binder.bind('createMeasurement', ({ project, caller, body }) =>
    inTransaction(db, async (tx) => {
      const place = await lockActive(tx, project.id);
      const id = await store.insertMeasurement(tx, project.id, caller.userId, body);
      await writeAudit(tx, caller, audited(place, 'createMeasurement', id, body.name));
      await announce(tx, 'created', place, id);
      return store.readMeasurement(tx, id);
    }),
  );

  binder.bind('readMeasurement', ({ id }) => store.readMeasurement(db, id));

  binder.bind('patchMeasurement', ({ id, project, body }) =>
    inTransaction(db, async (tx) => {
      const place = await lockActive(tx, project.id);
      await store.patchMeasurement(tx, id, body);
      await announce(tx, 'updated', place, id);
      return store.readMeasurement(tx, id);
    }),
  );

  binder.bind('deleteMeasurement', ({ id, project, caller }) =>
    inTransaction(db, async (tx) => {
      const place = await lockActive(tx, project.id);
      const { name } = await store.readMeasurement(tx, id);
      await store.deleteMeasurement(tx, id);
      await writeAudit(tx, caller, audited(place, 'deleteMeasurement', id, name));
      await announce(tx, 'deleted', place, id);
    }),
  );
};
