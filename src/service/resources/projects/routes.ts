/** The ten operations on projects. */
import type { OperationId } from '#contract/operations/all.ts';
import { maxProjectIds, type Project } from '#contract/shapes/project.ts';
import { workspacesOf } from '#storage/access/access.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import type { Call } from '../../http/binding.ts';
import { baseAddress, offsetOf, pageOfResults } from '../../http/page.ts';
import type { BindRoutes } from '../../services.ts';
import { findProjects } from './list.ts';
import { type ProjectRow, projectRows, surroundingsOf } from './project-rows.ts';
import { etagOf, requireDestination } from './rules.ts';
import { projectShapes } from './shapes.ts';
import * as store from './store.ts';

export const bindProjects: BindRoutes = (binder, { db, config, addresses }) => {
  const baseOf = (call: Call<OperationId>) => baseAddress(call.request, config.publicUrl);

  /** The answer of everything that answers one project. */
  async function answer<Id extends OperationId>(
    call: Call<Id>,
    row: ProjectRow,
    role: 'viewer' | 'editor',
  ): Promise<Project> {
    call.setEtag(etagOf(row));
    const around = await surroundingsOf(db, [row.id], [row.organizationId]);
    const [shape] = projectShapes({ addresses, base: baseOf(call), roleOf: () => role }, [row], around);
    return shape;
  }

  async function change<Id extends OperationId>(
    call: Call<Id>,
    work: (tx: Transaction) => Promise<ProjectRow>,
  ): Promise<Project> {
    return answer(call, await inTransaction(db, work), 'editor');
  }

  binder.bind('listProjects', async (call) => {
    const { caller, query, request } = call;
    const visible = await workspacesOf(db, caller.userId);
    const { count, ids } = await findProjects(
      db,
      query,
      { offset: offsetOf(query), limit: query.page_size },
      visible,
    );
    const organizationIds = [...new Set(visible.map(({ organizationId }) => organizationId))];
    const [rows, around] = await Promise.all([
      projectRows(db, ids),
      surroundingsOf(db, ids, organizationIds),
    ]);
    const roles = new Map(visible.map(({ id, role }) => [id, role]));
    const base = baseOf(call);
    const shapes = projectShapes(
      { addresses, base, roleOf: (id) => roles.get(id) ?? 'viewer' },
      rows,
      around,
    );
    return pageOfResults(request, base, query, count, shapes);
  });

  binder.bind('listProjectIds', async ({ caller, query }) => {
    const visible = await workspacesOf(db, caller.userId);
    const { count, ids } = await findProjects(db, query, { offset: 0, limit: maxProjectIds }, visible);
    return { count, projectIds: ids };
  });

  binder.bind('createProject', (call) =>
    change(call, (tx) => store.insertProject(tx, call.caller, call.workspace, call.body)),
  );

  binder.bind('readProject', async (call) => {
    const [row] = await projectRows(db, [call.project.id]);
    return answer(call, row, call.project.role);
  });

  binder.bind('updateProject', (call) =>
    change(call, (tx) => store.patchProject(tx, call.caller, call.id, call.ifMatch, call.body)),
  );
  binder.bind('patchProject', (call) =>
    change(call, (tx) => store.patchProject(tx, call.caller, call.id, call.ifMatch, call.body)),
  );
  binder.bind('archiveProject', (call) =>
    change(call, (tx) => store.archiveProject(tx, call.caller, call.id)),
  );
  binder.bind('restoreProject', (call) =>
    change(call, (tx) => store.restoreProject(tx, call.caller, call.id)),
  );
  binder.bind('deleteProject', (call) =>
    inTransaction(db, (tx) => store.deleteProject(tx, call.caller, call.id, call.ifMatch)),
  );

  binder.bind('copyProject', async (call) => {
    const { destinationWorkspaceId, name } = call.body;
    const destination = await requireDestination(db, call.caller.userId, destinationWorkspaceId);
    return change(call, (tx) => store.copyProject(tx, call.caller, call.id, destination, name));
  });
  binder.bind('moveProject', async (call) => {
    const { destinationWorkspaceId, name } = call.body;
    const destination = await requireDestination(db, call.caller.userId, destinationWorkspaceId);
    return change(call, (tx) => store.moveProject(tx, call.caller, call.id, destination, name));
  });
};
