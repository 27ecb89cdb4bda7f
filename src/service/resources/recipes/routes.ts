/** Recipes and scan recipes of an organization, and invocations on projects. */

import { and, eq, isNull } from 'drizzle-orm';
import type { AnalysisKind } from '#contract/analyses/registry.ts';
import { reasonAgainstRelease } from '#contract/shapes/organization.ts';
import { findMemberWorkspaces, type OrganizationAccess } from '#storage/access/access.ts';
import { type Executor, inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { mapPage, pageComputed } from '#storage/db/page.ts';
import { workspaceMembers, workspaces } from '#storage/db/schema-accounts.ts';
import { takeRow } from '#storage/db/take-row.ts';
import {
  cancelInvocation,
  createInvocation,
  findUnfinishedRun,
  retryInvocation,
} from '#storage/recipes/invocations.ts';
import { changeRelease, findRecipeRelease } from '#storage/recipes/release.ts';
import { listVersionEffects } from '#storage/recipes/version-effects.ts';
import { lockActive } from '../../access/lock-project.ts';
import { requireModules } from '../../access/modules.ts';
import { requireVersion } from '../../access/require-version.ts';
import type { Call, Rule } from '../../binding/binding.ts';
import { notFound, Problem } from '../../http/problem.ts';
import type { Caller } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import { type InvocationRow, invocationShapes } from '../../shapes/invocation-shape.ts';
import * as results from './results.ts';
import type { ReleaseContext } from './shapes.ts';
import * as store from './store.ts';

/**
 * Recipes belong to the whole organization, so editors of any of its workspaces may write them.
 *
 * @throws Problem PERMISSION_DENIED for members with only viewer roles
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
    'this needs the editor role in a workspace of the organization; you are a viewer',
  );
}

const listStepKinds = ({ definition }: Pick<InvocationRow, 'definition'>): AnalysisKind[] =>
  definition.steps.map(({ operation }) => operation as AnalysisKind);

export const bindRecipes: BindRoutes = (binder, services) => {
  bindVersions(binder, services);
  bindInvocations(binder, services);
};

const bindVersions: BindRoutes = (binder, { db }) => {
  const requireRecipeEditor: Rule = async ({ target, caller }) => {
    if (target.organization) await requireEditor(db, target.organization, caller.userId);
  };
  const releaseContext = async (
    tx: Executor,
    { organization, caller }: { organization: OrganizationAccess; caller: Caller },
  ): Promise<ReleaseContext> => ({
    release: await findRecipeRelease(tx, organization.id),
    isManager: organization.isManager,
    userId: caller.userId,
  });

  binder.bindList('listRecipeVersions', async (call) =>
    store.listVersions(db, call.organization.id, call.query, await releaseContext(db, call)),
  );

  /** @throws Problem PERMISSION_DENIED when the caller may not release in this organization */
  const releaseOrWithdraw = (
    call: Call<'releaseRecipeVersion' | 'withdrawRecipeVersion'>,
    releases: boolean,
  ) =>
    inTransaction(db, async (tx) => {
      const { organization, caller, params } = call;
      const organizationId = organization.id;
      const context = await releaseContext(tx, call);
      const read = () => store.readVersion(tx, organizationId, params['version_id'], context);
      const before = await read();
      const isAuthor = releases && before.createdBy === caller.userId;
      const reason = reasonAgainstRelease(context.release, { isManager: organization.isManager, isAuthor });
      if (reason !== null) throw new Problem('PERMISSION_DENIED', reason);
      if (before.status === (releases ? 'released' : 'draft')) return before;
      await changeRelease(tx, before.id, releases ? caller.userId : null);
      const action = releases ? 'releaseRecipe' : 'withdrawRecipe';
      const event = { organizationId, action, resource: 'recipe', resourceId: before.recipePk };
      await writeAudit(tx, caller, { ...event, detail: { name: before.name, version: before.version } });
      await notify(tx, { type: 'updated', resource: 'recipe', id: before.recipePk, organizationId });
      return read();
    });
  binder.bind('releaseRecipeVersion', (call) => releaseOrWithdraw(call, true), requireRecipeEditor);
  binder.bind('withdrawRecipeVersion', (call) => releaseOrWithdraw(call, false), requireRecipeEditor);

  binder.bind(
    'createRecipeVersion',
    (call) =>
      inTransaction(db, async (tx) => {
        const { organization, caller, body } = call;
        const organizationId = organization.id;
        const made = await store.insertVersion(tx, organizationId, await releaseContext(tx, call), body);
        const action = made.version === 1 ? 'createRecipe' : 'reviseRecipe';
        const event = { organizationId, action, resource: 'recipe', resourceId: made.recipePk };
        const { name, version, status } = made;
        await writeAudit(tx, caller, { ...event, detail: { name, version, status } });
        await notify(tx, { type: 'created', resource: 'recipe', id: made.recipePk, organizationId });
        return made;
      }),
    requireRecipeEditor,
  );

  binder.bindList('listVersionEffects', async (call) => {
    const { organization, caller, params, query } = call;
    const context = await releaseContext(db, call);
    const after = await store.readVersion(db, organization.id, params['version_id'], context);
    const against = query.against ?? (await store.findVersionBefore(db, after));
    if (against === undefined)
      throw new Problem('NOT_FOUND', 'there is no previous version: give another one as against', {
        field: 'against',
      });
    const before = await store.readVersion(db, organization.id, against, context);
    if (before.recipePk !== after.recipePk) throw notFound('version of this recipe', 'against');
    const workspaceIds = (await findMemberWorkspaces(db, caller.userId)).map(({ id }) => id);
    const { effects, summary } = await listVersionEffects(db, { before, after }, workspaceIds);
    const wanted = effects
      .filter(({ isChanged }) => isChanged || !query.onlyChanged)
      .map((effect) => ({ ...effect, id: effect.projectId }));
    const page = await mapPage(pageComputed(wanted, query, 'effects'), (rows) =>
      rows.map(({ id: _, ...effect }) => effect),
    );
    return { ...page, summary };
  });

  binder.bindList('listScanRecipeRevisions', ({ organization, query }) =>
    store.listRevisions(db, organization.id, query),
  );

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
    requireRecipeEditor,
  );
};

const bindInvocations: BindRoutes = (binder, { db, addresses }) => {
  const readShape = async (row: InvocationRow) => takeRow(await invocationShapes(db, [row]));

  binder.bindList('listProjectRecipeInvocations', ({ project, query }) =>
    mapPage(store.listInvocations(db, project.id, query), (rows) => invocationShapes(db, rows)),
  );

  binder.bindList('listRecipeInvocations', async ({ caller, query }) => {
    const workspaceIds = (await findMemberWorkspaces(db, caller.userId)).map(({ id }) => id);
    return mapPage(store.listWorkspaceInvocations(db, workspaceIds, query), async (found) => {
      const rows = found.map(({ row }) => row);
      const shapes = await invocationShapes(db, rows);
      return shapes.map((shape, index) => ({
        ...shape,
        projectName: found[index]?.projectName ?? '',
        bulkRequestId: found[index]?.bulkRequestId ?? null,
      }));
    });
  });

  binder.bind('runRecipe', async ({ project, caller, body }) => {
    const { organizationId } = project;
    const row = await inTransaction(db, async (tx) => {
      const place = await lockActive(tx, project.id);
      const { recipePk, recipeVersionId } = body;
      const version = await requireVersion(tx, organizationId, recipePk, recipeVersionId);
      const same = await findUnfinishedRun(tx, project.id, version.id);
      if (same) return same;
      const { steps, gates } = version;
      await requireModules(tx, organizationId, listStepKinds({ definition: { steps, gates } }));
      const made = await createInvocation(tx, {
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
    return readShape(row);
  });

  binder.bind('readRecipeInvocation', async ({ id }) => readShape(await store.readInvocation(db, id)));

  binder.bind('readRecipeInvocationResults', async ({ id, caller, request }) => {
    const row = await store.readInvocation(db, id);
    return results.describeResults(db, row, addresses.for(caller, request));
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
      return (await cancelInvocation(tx, id)) ?? before;
    });
    return readShape(row);
  });

  binder.bind('retryRecipeInvocation', async ({ id, project, caller }) => {
    const { organizationId } = project;
    const row = await inTransaction(db, async (tx) => {
      await lockActive(tx, project.id);
      const before = await store.readInvocation(tx, id);
      await requireModules(tx, organizationId, listStepKinds(before));
      const again = await retryInvocation(tx, id);
      if (!again)
        throw new Problem(
          'CONFLICT',
          `only a failed or cancelled run can go on; this one is ${before.status}`,
        );
      const event = { organizationId, action: 'retryRecipeInvocation', resource: 'recipeInvocation' };
      await writeAudit(tx, caller, { ...event, resourceId: id, projectId: project.id });
      return again;
    });
    return readShape(row);
  });
};
