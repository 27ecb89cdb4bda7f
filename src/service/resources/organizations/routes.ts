/** Organizations, their workspaces, members, modules and audit log. */
import { createOrganization } from '#storage/access/accounts.ts';
import { brokenConstraint, inTransaction, sqlState } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { mapPage } from '#storage/db/page.ts';
import { notFound, Problem } from '../../http/problem.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import { bindInvitations } from './invitation-routes.ts';
import { bindMembers } from './member-routes.ts';
import { auditShape, moduleShape } from './shapes.ts';
import * as store from './store.ts';

const UNIQUE_VIOLATION = '23505';

/** Reports a duplicate workspace name as a conflict, even with concurrent requests. */
async function refuseSameName<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION || brokenConstraint(error) !== 'workspaces_name_key')
      throw error;
    throw new Problem('CONFLICT', 'there is already a workspace with this name', { field: 'name' });
  }
}

const changed = (id: string) => ({ type: 'updated', resource: 'organization', id, organizationId: id });

export const bindOrganizations: BindRoutes = (binder, services) => {
  const { db } = services;

  binder.bindList('listOrganizations', ({ caller, query }) =>
    store.listOrganizations(db, caller.userId, query),
  );
  binder.bind('createOrganization', async ({ caller, body }) => {
    const { organizationId } = await inTransaction(db, async (tx) => {
      const names = { organization: body.name, workspace: 'Inspection' };
      const made = await createOrganization(tx, caller.userId, names);
      const event = {
        organizationId: made.organizationId,
        action: 'createOrganization',
        resource: 'organization',
        resourceId: made.organizationId,
      };
      await writeAudit(tx, caller, { ...event, detail: { name: body.name } });
      await notify(tx, changed(made.organizationId));
      return made;
    });
    return store.readOrganization(db, organizationId, caller.userId);
  });
  binder.bind('readOrganization', ({ organization, caller }) =>
    store.readOrganization(db, organization.id, caller.userId),
  );
  binder.bindList('listWorkspaces', ({ organization, caller, query }) =>
    store.listWorkspaces(db, organization.id, caller.userId, organization.isManager, query),
  );
  binder.bind('createWorkspace', async ({ organization, caller, body }) => {
    const organizationId = organization.id;
    const id = await refuseSameName(
      inTransaction(db, async (tx) => {
        const made = await store.insertWorkspace(tx, organizationId, body.name, caller.userId);
        const event = { organizationId, action: 'createWorkspace', resource: 'workspace', resourceId: made };
        await writeAudit(tx, caller, { ...event, detail: { name: body.name } });
        await notify(tx, changed(organizationId));
        return made;
      }),
    );
    return store.readWorkspace(db, id, caller.userId);
  });
  binder.bind('patchWorkspace', async ({ organization, caller, body, id }) => {
    const organizationId = organization.id;
    await refuseSameName(
      inTransaction(db, async (tx) => {
        await store.renameWorkspace(tx, id, body.name);
        const event = { organizationId, action: 'renameWorkspace', resource: 'workspace', resourceId: id };
        await writeAudit(tx, caller, { ...event, detail: { name: body.name } });
        await notify(tx, changed(organizationId));
      }),
    );
    return store.readWorkspace(db, id, caller.userId);
  });
  binder.bindList('listAnalysisModules', ({ organization, query }) =>
    mapPage(store.listModules(db, organization.id, query), (rows) => rows.map(moduleShape)),
  );
  binder.bind('patchAnalysisModule', async ({ organization, caller, params, body }) => {
    const organizationId = organization.id;
    return inTransaction(db, async (tx) => {
      const row = await store.setModule(tx, organizationId, params['moduleId'], body.enabled);
      if (!row) throw notFound('analysis module');
      const action = body.enabled ? 'enableModule' : 'disableModule';
      const event = { organizationId, action, resource: 'analysisModule', resourceId: row.id };
      await writeAudit(tx, caller, { ...event, detail: { key: row.key } });
      await notify(tx, changed(organizationId));
      return moduleShape(row);
    });
  });
  binder.bindList('listAuditLog', ({ organization, query }) =>
    mapPage(store.listAudit(db, organization.id, query, query), (rows) => rows.map(auditShape)),
  );
  binder.bind('patchOrganization', async ({ organization, caller, body }) => {
    const { id } = organization;
    await inTransaction(db, async (tx) => {
      await store.patchOrganization(tx, id, body);
      const action = body.name === undefined ? 'changeOrganization' : 'renameOrganization';
      const event = { organizationId: id, action, resource: 'organization', resourceId: id };
      await writeAudit(tx, caller, { ...event, detail: body });
      await notify(tx, changed(id));
    });
    return store.readOrganization(db, id, caller.userId);
  });
  binder.bind('deleteWorkspace', ({ organization, caller, id }) =>
    inTransaction(db, async (tx) => {
      const organizationId = organization.id;
      const name = await store.archiveWorkspace(tx, id);
      const event = { organizationId, action: 'removeWorkspace', resource: 'workspace', resourceId: id };
      await writeAudit(tx, caller, { ...event, detail: { name } });
      await notify(tx, changed(organizationId));
    }),
  );
  bindMembers(binder, services);
  bindInvitations(binder, services);
};
