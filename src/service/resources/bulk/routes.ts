/** Bulk requests: creating, reading, cancelling, retrying and undoing them. */

import type { OperationId } from '#contract/operations/all.ts';
import type { BulkRequest } from '#contract/shapes/bulk-request.ts';
import { findDestination, isRefusal } from '#storage/bulk/plan.ts';
import { previewBulk } from '#storage/bulk/preview.ts';
import {
  BulkConflict,
  type BulkRow,
  type BulkType,
  createBulkRequest,
  lockBulk,
  retryBulk,
  undoBulk,
} from '#storage/bulk/requests.ts';
import { type Database, inTransaction, type Transaction } from '#storage/db/connection.ts';
import { mapPage } from '#storage/db/page.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { findRecipeVersion } from '#storage/recipes/invocations.ts';
import { cancelWork } from '#storage/work/life.ts';
import { requireVersion } from '../../access/require-version.ts';
import type { Call } from '../../binding/binding.ts';
import { invalidField, notFound, Problem } from '../../http/problem.ts';
import type { BindRoutes } from '../../services.ts';
import * as store from './store.ts';

interface Body {
  projectIds: string[];
  destinationWorkspaceId?: string | undefined;
  tags?: string[] | undefined;
  recipePk?: string | undefined;
  recipeVersionId?: string | undefined;
}

const nameVersion = ({ id, name, version }: { id: string; name: string; version: number }) => ({
  recipeVersionId: id,
  recipeName: name,
  recipeVersion: version,
});

/** @throws Problem NOT_FOUND or CONFLICT */
async function again(
  db: Database,
  work: (tx: Transaction) => Promise<BulkRow | undefined>,
): Promise<BulkRow> {
  try {
    const row = await inTransaction(db, work);
    if (!row) throw notFound('bulk request');
    return row;
  } catch (error) {
    if (error instanceof BulkConflict) throw new Problem('CONFLICT', error.message);
    throw error;
  }
}

export const bindBulk: BindRoutes = (binder, { db, addresses }) => {
  async function answer(call: Pick<Call, 'request' | 'caller'>, row: BulkRow): Promise<BulkRequest> {
    const sign = addresses.for(call.caller, call.request);
    const shape = takeRow(await store.bulkShapes(db, call.caller.userId, sign, [row]));
    return shape;
  }

  /** The destination workspace of all projects. @throws Problem NOT_FOUND or PERMISSION_DENIED */
  async function requireDestination(userId: string, workspaceId: string) {
    const found = await findDestination(db, userId, workspaceId.toLowerCase());
    if (!isRefusal(found)) return found;
    const field = 'destinationWorkspaceId';
    throw found.code === 'NOT_FOUND'
      ? notFound('workspace', field)
      : new Problem('PERMISSION_DENIED', found.detail, { field });
  }

  /** The recipe version to run on all projects, by default the newest. @throws Problem NOT_FOUND */
  async function requireRecipe(userId: string, recipePk: string, recipeVersionId: string | undefined) {
    const recipe = await store.visibleRecipe(db, userId, recipePk.toLowerCase());
    if (!recipe) throw notFound('recipe', 'recipePk');
    return requireVersion(db, recipe.organizationId, recipePk, recipeVersionId);
  }

  function bindRequest(
    id: Extract<OperationId, `bulk${string}`>,
    type: BulkType,
    readParameters: (body: Body) => Record<string, unknown> = () => ({}),
  ): void {
    binder.bind(id, async (call) => {
      const body = call.body as Body;
      const { caller } = call;
      const parameters = readParameters(body);
      if (body.destinationWorkspaceId !== undefined) {
        const { id: workspaceId } = await requireDestination(caller.userId, body.destinationWorkspaceId);
        parameters['destinationWorkspaceId'] = workspaceId;
      }
      if (type === 'runRecipe' && body.recipePk !== undefined) {
        const version = await requireRecipe(caller.userId, body.recipePk, body.recipeVersionId);
        Object.assign(parameters, { recipePk: version.recipeId, ...nameVersion(version) });
      } else if (body.recipePk !== undefined) {
        // Results remain available when the recipe itself is archived.
        const recipePk = body.recipePk.toLowerCase();
        if (!(await store.visibleRecipe(db, caller.userId, recipePk))) throw notFound('recipe', 'recipePk');
        parameters['recipePk'] = recipePk;
        if (body.recipeVersionId !== undefined) {
          const version = await findRecipeVersion(db, recipePk, body.recipeVersionId);
          if (!version) throw notFound('version of this recipe', 'recipeVersionId');
          Object.assign(parameters, nameVersion(version));
        }
      } else if (body.recipeVersionId !== undefined) {
        throw invalidField('recipeVersionId', 'must be sent with the recipePk of its recipe');
      }
      const { projectIds } = body;
      const row = await inTransaction(db, (tx) =>
        createBulkRequest(tx, caller, { type, parameters, projectIds }),
      );
      return answer(call, row);
    });
  }

  bindRequest('bulkArchive', 'archive');
  bindRequest('bulkRestore', 'restore');
  bindRequest('bulkDelete', 'delete');
  bindRequest('bulkCopy', 'copy');
  bindRequest('bulkMove', 'move');
  bindRequest('bulkAddTags', 'addTags', ({ tags }) => ({ tags }));
  bindRequest('bulkRunRecipe', 'runRecipe');
  bindRequest('bulkDownloadResults', 'downloadResults');
  bindRequest('bulkRemoveTags', 'removeTags', ({ tags }) => ({ tags }));

  binder.bind('previewBulk', async ({ caller, body }) => {
    const { operationType: type, projectIds, tags, destinationWorkspaceId, recipePk } = body;
    if (body.recipeVersionId !== undefined && recipePk === undefined)
      throw invalidField('recipeVersionId', 'must be sent with the recipePk of its recipe');
    const recipe =
      recipePk === undefined ? undefined : await requireRecipe(caller.userId, recipePk, body.recipeVersionId);
    const destination =
      destinationWorkspaceId === undefined
        ? undefined
        : await requireDestination(caller.userId, destinationWorkspaceId);
    return previewBulk(db, caller.userId, {
      type,
      projectIds,
      tags,
      destination,
      recipeId: recipe?.recipeId,
      recipeVersionId: body.recipeVersionId,
      recipeOrganizationId: recipe?.organizationId,
      recipeSteps: recipe?.steps,
    });
  });

  binder.bindList('listBulkRequests', ({ caller, query, request }) =>
    mapPage(store.listBulkRequests(db, caller.userId, query, query), (rows) =>
      store.bulkShapes(db, caller.userId, addresses.for(caller, request), rows),
    ),
  );

  binder.bind('readBulkRequest', async (call) => answer(call, await store.readBulkRequest(db, call.id)));

  binder.bindList('listBulkItems', ({ id, caller, query }) =>
    mapPage(store.listBulkItems(db, id, query, query), (rows) => store.itemShapes(db, caller.userId, rows)),
  );

  binder.bind('cancelBulkRequest', async (call) => {
    await inTransaction(db, async (tx) => {
      const before = await lockBulk(tx, call.id);
      if (before && before.finishedAt !== null)
        throw new Problem('ALREADY_FINISHED', `the bulk request is already ${before.status}`);
      await cancelWork(tx, 'bulk', call.id);
    });
    return answer(call, await store.readBulkRequest(db, call.id));
  });

  binder.bind('retryBulkRequest', async (call) =>
    answer(call, await again(db, (tx) => retryBulk(tx, call.id))),
  );
  binder.bind('undoBulkRequest', async (call) =>
    answer(call, await again(db, (tx) => undoBulk(tx, call.caller, call.id))),
  );
};
