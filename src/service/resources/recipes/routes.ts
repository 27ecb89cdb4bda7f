/** Recipes of an organization, scan recipes beside them, and their invocations on projects. */
import { and, eq, isNull } from 'drizzle-orm';
import type { AnalysisKind } from '#contract/analyses/kinds.ts';
import { type OrganizationAccess, workspacesOf } from '#storage/access/access.ts';
import { type Executor, inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { workspaceMembers, workspaces } from '#storage/db/schema-accounts.ts';
import {
  cancelInvocation,
  createInvocation,
  findRecipeVersion,
  retryInvocation,
} from '#storage/recipes/invocations.ts';
import { lockActive } from '../../access/lock-project.ts';
import { requireModules } from '../../access/modules.ts';
import { baseAddress, pageOfResults } from '../../http/page.ts';
import { notFound, Problem } from '../../http/problem.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import { type InvocationRow, invocationShapes } from '../../shapes/invocation-shape.ts';
import * as results from './results.ts';
import * as store from './store.ts';

/**
 * Recipes are of the whole organization: who may change things somewhere in it may write them.
 *
 * @throws Problem PERMISSION_DENIED for who may only look
 */
async function requireEditor(db: Executor, organization: OrganizationAccess, userId: string): Promise<void> {
  if (organization.isManager) return;
  const [row] = await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .innerJoin(workspaceMembers, eq(workspaceMembers.workspaceId, workspaces.id))
    .where(
      and(
        eq(workspaces.organizationId, organization.id),
        isNull(workspaces.archivedAt),
        eq(workspaceMembers.userId, userId),
        eq(workspaceMembers.role, 'editor'),
      ),
    )
    .limit(1);
  if (row) return;
  throw new Problem(
    'PERMISSION_DENIED',
    'this needs the role editor in a workspace of the organization; you are a viewer',
  );
}

const kindsOf = ({ definition }: Pick<InvocationRow, 'definition'>): AnalysisKind[] =>
  definition.steps.map(({ operation }) => operation as AnalysisKind);

export const bindRecipes: BindRoutes = (binder, { db, config, queue, addresses }) => {
  const shapeOf = async (row: InvocationRow) => (await invocationShapes(db, [row]))[0];

  binder.bind('listRecipeVersions', async ({ organization, query, request }) => {
    const { count, results: found } = await store.listVersions(db, organization.id, query);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, found);
  });

  binder.bind(
    'createRecipeVersion',
    ({ organization, caller, body }) =>
      inTransaction(db, async (tx) => {
        const organizationId = organization.id;
        const made = await store.insertVersion(tx, organizationId, caller.userId, body);
        const action = made.version === 1 ? 'createRecipe' : 'reviseRecipe';
        const event = { organizationId, action, resource: 'recipe', resourceId: made.recipePk };
        await writeAudit(tx, caller, { ...event, detail: { name: made.name, version: made.version } });
        await notify(tx, { type: 'created', resource: 'recipe', id: made.recipePk, organizationId });
        return made;
      }),
    async ({ target, caller }) => {
      if (target.organization) await requireEditor(db, target.organization, caller.userId);
    },
  );

  binder.bind('listScanRecipeRevisions', async ({ organization, query, request }) => {
    const { count, results: found } = await store.listRevisions(db, organization.id, query);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, found);
  });

  binder.bind(
    'createScanRecipeRevision',
    ({ organization, caller, body }) =>
      inTransaction(db, async (tx) => {
        const organizationId = organization.id;
        const made = await store.insertRevision(tx, organizationId, caller.userId, body);
        const action = made.revision === 1 ? 'createScanRecipe' : 'reviseScanRecipe';
        const event = { organizationId, action, resource: 'scanRecipe', resourceId: made.scanRecipePk };
        await writeAudit(tx, caller, { ...event, detail: { name: made.name, revision: made.revision } });
        await notify(tx, { type: 'created', resource: 'recipe', id: made.scanRecipePk, organizationId });
        return made;
      }),
    async ({ target, caller }) => {
      if (target.organization) await requireEditor(db, target.organization, caller.userId);
    },
  );

  binder.bind('listProjectRecipeInvocations', async ({ project, query, request }) => {
    const { count, results: rows } = await store.listInvocations(db, project.id, query);
    const base = baseAddress(request, config.publicUrl);
    return pageOfResults(request, base, query, count, await invocationShapes(db, rows));
  });

  binder.bind('listRecipeInvocations', async ({ caller, query, request }) => {
    const workspaceIds = (await workspacesOf(db, caller.userId)).map(({ id }) => id);
    const { count, results: found } = await store.listInvocationsOf(db, workspaceIds, query);
    const shapes = await invocationShapes(
      db,
      found.map(({ row }) => row),
    );
    const named = shapes.map((shape, index) => ({ ...shape, projectName: found[index].projectName }));
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, named);
  });

  binder.bind('runRecipe', async ({ project, caller, body }) => {
    const { organizationId } = project;
    const row = await inTransaction(db, async (tx) => {
      const place = await lockActive(tx, project.id);
      const { recipePk, recipeVersionId } = body;
      const recipe = await findRecipeVersion(tx, organizationId, recipePk);
      if (!recipe) throw notFound('recipe', 'recipePk');
      const version =
        recipeVersionId === undefined
          ? recipe
          : await findRecipeVersion(tx, organizationId, recipePk, recipeVersionId);
      if (!version) throw notFound('version of this recipe', 'recipeVersionId');
      const { steps, gates } = version;
      await requireModules(tx, organizationId, kindsOf({ definition: { steps, gates } }));
      const made = await createInvocation(tx, queue, {
        project: place,
        steps,
        gates,
        recipe: { recipeId: version.recipeId, recipeVersionId: version.id },
        createdBy: caller.userId,
      });
      const event = {
        organizationId,
        action: 'runRecipe',
        resource: 'recipeInvocation',
        resourceId: made.id,
      };
      const detail = { recipe: version.name, version: version.version };
      await writeAudit(tx, caller, { ...event, projectId: project.id, detail });
      return made;
    });
    return shapeOf(row);
  });

  binder.bind('readRecipeInvocation', async ({ id }) => shapeOf(await store.readInvocation(db, id)));

  binder.bind('readRecipeInvocationResults', async ({ id, request }) => {
    const row = await store.readInvocation(db, id);
    return results.resultsOf(db, row, addresses, baseAddress(request, config.publicUrl));
  });

  binder.bind('cancelRecipeInvocation', async ({ id, project, caller }) => {
    const row = await inTransaction(db, async (tx) => {
      const before = await store.readInvocation(tx, id);
      if (before.finishedAt !== null)
        throw new Problem(
          'ALREADY_FINISHED',
          `the run is ${before.status} already; there is nothing to stop`,
        );
      const { organizationId } = project;
      const event = { organizationId, action: 'cancelRecipeInvocation', resource: 'recipeInvocation' };
      await writeAudit(tx, caller, { ...event, resourceId: id, projectId: project.id });
      return (await cancelInvocation(tx, queue, id)) ?? before;
    });
    return shapeOf(row);
  });

  binder.bind('retryRecipeInvocation', async ({ id, project, caller }) => {
    const { organizationId } = project;
    const row = await inTransaction(db, async (tx) => {
      await lockActive(tx, project.id);
      const before = await store.readInvocation(tx, id);
      await requireModules(tx, organizationId, kindsOf(before));
      const again = await retryInvocation(tx, queue, id);
      if (!again)
        throw new Problem(
          'CONFLICT',
          `only a failed or cancelled run can go on; this one is ${before.status}`,
        );
      const event = { organizationId, action: 'retryRecipeInvocation', resource: 'recipeInvocation' };
      await writeAudit(tx, caller, { ...event, resourceId: id, projectId: project.id });
      return again;
    });
    return shapeOf(row);
  });
};
