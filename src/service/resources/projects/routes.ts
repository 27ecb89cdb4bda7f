/** The ten operations on projects. */

import type { OperationId } from '#contract/operations/all.ts';
import { maxProjectIds, type Project } from '#contract/shapes/project.ts';
import { findMemberWorkspaces } from '#storage/access/access.ts';
import { inOneSnapshot, inTransaction, type Transaction } from '#storage/db/connection.ts';
import { mapPage } from '#storage/db/page.ts';
import { takeRow } from '#storage/db/take-row.ts';
import type { Call } from '../../binding/binding.ts';
import type { BindRoutes } from '../../services.ts';
import { findProjects } from './list.ts';
import { type ProjectRow, projectRows, readSurroundings } from './project-rows.ts';
import { formatEtag, requireDestination } from './rules.ts';
import { projectShapes } from './shapes.ts';
import * as store from './store.ts';

export const bindProjects: BindRoutes = (binder, { db, addresses }) => {
  /** Response of all operations that return a single project. */
  async function answer<Id extends OperationId>(
    call: Call<Id>,
    row: ProjectRow,
    role: 'viewer' | 'editor',
  ): Promise<Project> {
    call.setEtag(formatEtag(row));
    const around = await readSurroundings(db, [row.id], [row.organizationId]);
    return takeRow(
      projectShapes({ sign: addresses.for(call.caller, call.request), findRole: () => role }, [row], around),
    );
  }

  async function change<Id extends OperationId>(
    call: Call<Id>,
    work: (tx: Transaction) => Promise<ProjectRow>,
  ): Promise<Project> {
    return answer(call, await inTransaction(db, work), 'editor');
  }

  binder.bindList('listProjects', async (call) => {
    const visible = await findMemberWorkspaces(db, call.caller.userId);
    const page = await findProjects(db, call.query, call.query, visible);
    const organizationIds = [...new Set(visible.map(({ organizationId }) => organizationId))];
    const roles = new Map(visible.map(({ id, role }) => [id, role]));
    const sign = addresses.for(call.caller, call.request);
    const context = { sign, findRole: (id: string) => roles.get(id) ?? 'viewer' };
    return mapPage(page, async (ids) => {
      const around = await readSurroundings(db, ids, organizationIds);
      return projectShapes(context, await projectRows(db, ids), around);
    });
  });

  binder.bind('listProjectIds', ({ caller, query }) =>
    inOneSnapshot(db, async () => {
      const visible = await findMemberWorkspaces(db, caller.userId);
      const all = { page: 1, page_size: maxProjectIds };
      const { count, isEstimate, results } = await findProjects(db, query, all, visible);
      return { count, ...(isEstimate ? { countIsEstimate: true } : {}), projectIds: results };
    }),
  );

  binder.bind('createProject', (call) =>
    change(call, (tx) => store.insertProject(tx, call.caller, call.workspace, call.body)),
  );

  binder.bind('readProject', async (call) => {
    const row = takeRow(await projectRows(db, [call.project.id]));
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
