/** Bulk requests: asking for one on each of many projects, following it, stopping, repeating and undoing it. */
import type { OperationId } from '#contract/operations/all.ts';
import type { BulkRequest } from '#contract/shapes/bulk-request.ts';
import { destinationOf, isRefusal } from '#storage/bulk/plan.ts';
import { previewBulk } from '#storage/bulk/preview.ts';
import {
  BulkConflict,
  type BulkRow,
  type BulkType,
  cancelBulk,
  createBulkRequest,
  retryBulk,
  undoBulk,
} from '#storage/bulk/requests.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { findRecipeVersion } from '#storage/recipes/invocations.ts';
import type { Call } from '../../http/binding.ts';
import { baseAddress, pageOfResults } from '../../http/page.ts';
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

export const bindBulk: BindRoutes = (binder, { db, config, addresses, queue }) => {
  const baseOf = ({ request }: Pick<Call, 'request'>) => baseAddress(request, config.publicUrl);

  async function answer(call: Pick<Call, 'request'>, row: BulkRow): Promise<BulkRequest> {
    const [shape] = await store.bulkShapes(db, addresses, baseOf(call), [row]);
    return shape;
  }

  /** The workspace that all go to. @throws Problem NOT_FOUND or PERMISSION_DENIED */
  async function requireDestination(userId: string, workspaceId: string) {
    const found = await destinationOf(db, userId, workspaceId.toLowerCase());
    if (!isRefusal(found)) return found;
    const field = 'destinationWorkspaceId';
    throw found.code === 'NOT_FOUND'
      ? notFound('workspace', field)
      : new Problem('PERMISSION_DENIED', found.detail, { field });
  }

  /** The version that runs on all of them, the newest when none is named. @throws Problem NOT_FOUND */
  async function requireRecipe(userId: string, recipePk: string, recipeVersionId: string | undefined) {
    const recipe = await store.visibleRecipe(db, userId, recipePk.toLowerCase());
    const organizationId = recipe?.organizationId;
    const newest = organizationId && (await findRecipeVersion(db, organizationId, recipePk));
    if (!newest) throw notFound('recipe', 'recipePk');
    if (recipeVersionId === undefined) return newest;
    const named = await findRecipeVersion(db, newest.organizationId, recipePk, recipeVersionId);
    if (!named) throw notFound('version of this recipe', 'recipeVersionId');
    return named;
  }

  function bindRequest(
    id: Extract<OperationId, `bulk${string}`>,
    type: BulkType,
    parametersOf: (body: Body) => Record<string, unknown> = () => ({}),
  ): void {
    binder.bind(id, async (call) => {
      const body = call.body as Body;
      const { caller } = call;
      const parameters = parametersOf(body);
      if (body.destinationWorkspaceId !== undefined) {
        const { id: workspaceId } = await requireDestination(caller.userId, body.destinationWorkspaceId);
        parameters['destinationWorkspaceId'] = workspaceId;
      }
      if (type === 'runRecipe' && body.recipePk !== undefined) {
        const version = await requireRecipe(caller.userId, body.recipePk, body.recipeVersionId);
        parameters['recipePk'] = version.recipeId;
        parameters['recipeVersionId'] = version.id;
        parameters['recipeName'] = version.name;
        parameters['recipeVersion'] = version.version;
      } else if (body.recipePk !== undefined) {
        // Its results stay when the recipe itself is put away.
        const recipePk = body.recipePk.toLowerCase();
        if (!(await store.visibleRecipe(db, caller.userId, recipePk))) throw notFound('recipe', 'recipePk');
        parameters['recipePk'] = recipePk;
      }
      const { projectIds } = body;
      const row = await inTransaction(db, (tx) =>
        createBulkRequest(tx, queue, caller, { type, parameters, projectIds }),
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
      throw invalidField('recipeVersionId', 'names a version of a recipe: send its recipePk too');
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
      recipeOrganizationId: recipe?.organizationId,
      recipeSteps: recipe?.steps,
    });
  });

  binder.bind('listBulkRequests', async (call) => {
    const { caller, query, request } = call;
    const { count, rows } = await store.listBulkRequests(db, caller.userId, query, query);
    const shapes = await store.bulkShapes(db, addresses, baseOf(call), rows);
    return pageOfResults(request, baseOf(call), query, count, shapes);
  });

  binder.bind('readBulkRequest', async (call) => answer(call, await store.readBulkRequest(db, call.id)));

  binder.bind('listBulkItems', async (call) => {
    const { caller, query, request } = call;
    const { count, rows } = await store.listBulkItems(db, call.id, query);
    const shapes = await store.itemShapes(db, caller.userId, rows);
    return pageOfResults(request, baseOf(call), query, count, shapes);
  });

  binder.bind('cancelBulkRequest', async (call) => {
    const isStopped = await inTransaction(db, (tx) => cancelBulk(tx, queue, call.id));
    const row = await store.readBulkRequest(db, call.id);
    if (!isStopped) throw new Problem('ALREADY_FINISHED', `the bulk request is ${row.status} already`);
    return answer(call, row);
  });

  /** @throws Problem NOT_FOUND or CONFLICT */
  async function again(work: (tx: Transaction) => Promise<BulkRow | undefined>): Promise<BulkRow> {
    try {
      const row = await inTransaction(db, work);
      if (!row) throw notFound('bulk request');
      return row;
    } catch (error) {
      if (error instanceof BulkConflict) throw new Problem('CONFLICT', error.message);
      throw error;
    }
  }

  binder.bind('retryBulkRequest', async (call) =>
    answer(call, await again((tx) => retryBulk(tx, queue, call.id))),
  );
  binder.bind('undoBulkRequest', async (call) =>
    answer(call, await again((tx) => undoBulk(tx, queue, call.caller, call.id))),
  );
};
