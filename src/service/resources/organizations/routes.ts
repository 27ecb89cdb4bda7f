/** Organizations, their workspaces, members, modules and audit log. */
import { brokenConstraint, inTransaction, sqlState } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { generatePassword } from '../../first-start.ts';
import { baseAddress, pageOfResults } from '../../http/page.ts';
import { hashPassword } from '../../http/passwords.ts';
import { notFound, Problem } from '../../http/problem.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes, Services } from '../../services.ts';
import { bindInvitations } from './invitation-routes.ts';
import * as members from './members.ts';
import { auditShape, moduleShape } from './shapes.ts';
import * as store from './store.ts';

const UNIQUE_VIOLATION = '23505';

/** A second workspace of the same name is a conflict, whoever was first. */
async function refuseSameName<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION || brokenConstraint(error) !== 'workspaces_name_key')
      throw error;
    throw new Problem('CONFLICT', 'there is a workspace of this name already', { field: 'name' });
  }
}

const changed = (id: string) => ({ type: 'updated', resource: 'organization', id, organizationId: id });

export const bindOrganizations: BindRoutes = (binder, services) => {
  const { db, config } = services;

  binder.bind('listOrganizations', async ({ caller, query, request }) => {
    const { count, results } = await store.listOrganizations(db, caller.userId, query);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, results);
  });
  binder.bind('readOrganization', ({ organization, caller }) =>
    store.readOrganization(db, organization.id, caller.userId),
  );
  binder.bind('listWorkspaces', async ({ organization, caller, query, request }) => {
    const { id, isManager } = organization;
    const { count, results } = await store.listWorkspaces(db, id, caller.userId, isManager, query);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, results);
  });
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
  binder.bind('listAnalysisModules', async ({ organization, query, request }) => {
    const rows = await store.listModules(db, organization.id);
    const from = (query.page - 1) * query.page_size;
    const results = rows.slice(from, from + query.page_size).map(moduleShape);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, rows.length, results);
  });
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
  binder.bind('listAuditLog', async ({ organization, query, request }) => {
    const { count, results } = await store.listAudit(db, organization.id, query, query);
    const shapes = results.map(auditShape);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, shapes);
  });
  binder.bind('patchOrganization', async ({ organization, caller, body }) => {
    const { id } = organization;
    await inTransaction(db, async (tx) => {
      await store.renameOrganization(tx, id, body.name);
      const event = {
        organizationId: id,
        action: 'renameOrganization',
        resource: 'organization',
        resourceId: id,
      };
      await writeAudit(tx, caller, { ...event, detail: { name: body.name } });
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

const bindMembers: BindRoutes = (binder, { db, config }: Services) => {
  binder.bind('listMembers', async ({ organization, query, request }) => {
    const { count, results } = await members.listMembers(db, organization.id, query);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, results);
  });
  binder.bind('addMember', async ({ organization, caller, body }) => {
    const organizationId = organization.id;
    const email = body.email.trim();
    const generated = body.password === undefined ? generatePassword() : null;
    const passwordHash = await hashPassword(body.password ?? generated ?? '');
    return inTransaction(db, async (tx) => {
      const name = body.name ?? email.split('@')[0];
      const user = await members.findOrMakeUser(tx, { email, name, passwordHash });
      const memberId = await members.insertMember(tx, organizationId, user.id, body.isManager);
      await members.setGrants(tx, organizationId, user.id, body.workspaces);
      await members.tellOfRoles(tx, organizationId, user.id, [], caller.name || caller.email);
      const event = { organizationId, action: 'addMember', resource: 'member', resourceId: memberId };
      await writeAudit(tx, caller, { ...event, detail: { member: email, isManager: body.isManager } });
      await notify(tx, changed(organizationId));
      const { userId: _, ...member } = await members.readMember(tx, organizationId, memberId);
      return { ...member, initialPassword: user.isNew ? generated : null };
    });
  });
  binder.bind('patchMember', async ({ organization, caller, params, body }) => {
    const organizationId = organization.id;
    const memberId = params['memberId'];
    return inTransaction(db, async (tx) => {
      const { userId, email, workspaces: before } = await members.readMember(tx, organizationId, memberId);
      if (body.isManager === false) await members.keepAManager(tx, organizationId, memberId);
      if (body.isManager !== undefined) await members.setManager(tx, memberId, body.isManager);
      if (body.name !== undefined) await members.renameUser(tx, userId, body.name);
      if (body.workspaces !== undefined) {
        await members.setGrants(tx, organizationId, userId, body.workspaces);
        if (userId !== caller.userId)
          await members.tellOfRoles(tx, organizationId, userId, before, caller.name || caller.email);
      }
      const event = { organizationId, action: 'changeMember', resource: 'member', resourceId: memberId };
      await writeAudit(tx, caller, { ...event, detail: { member: email, ...body } });
      await notify(tx, changed(organizationId));
      const { userId: _, ...member } = await members.readMember(tx, organizationId, memberId);
      return member;
    });
  });
  binder.bind('removeMember', async ({ organization, caller, params }) => {
    const organizationId = organization.id;
    const memberId = params['memberId'];
    await inTransaction(db, async (tx) => {
      const { userId, email } = await members.readMember(tx, organizationId, memberId);
      await members.keepAManager(tx, organizationId, memberId);
      await members.setGrants(tx, organizationId, userId, []);
      await members.deleteMember(tx, memberId);
      const event = { organizationId, action: 'removeMember', resource: 'member', resourceId: memberId };
      await writeAudit(tx, caller, { ...event, detail: { member: email } });
      await notify(tx, changed(organizationId));
    });
  });
};
