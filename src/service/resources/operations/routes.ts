/** Requests analyses, and reads, cancels and retries their operations. */

import { type AnalysisKind, analyses, isAnalysisKind, type StatusKey } from '#contract/analyses/registry.ts';
import type { ProjectStatus } from '#contract/shapes/status.ts';
import { findMemberWorkspaces } from '#storage/access/access.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { mapPage } from '#storage/db/page.ts';
import { requireModules } from '../../access/modules.ts';
import { invalidField, Problem } from '../../http/problem.ts';
import type { BindRoutes } from '../../services.ts';
import { exportShape } from '../../shapes/export-shape.ts';
import { invocationShapes } from '../../shapes/invocation-shape.ts';
import { type OperationRow, operationShape } from '../../shapes/operation-shape.ts';
import { resolveInputs } from './rules.ts';
import * as store from './store.ts';

/** The analyses of a pipeline's steps; empty for anything else. */
const listStepKinds = ({ steps }: Record<string, unknown>): AnalysisKind[] =>
  Array.isArray(steps) ? (steps as { operation: AnalysisKind }[]).map(({ operation }) => operation) : [];

/** The newest operation of each analysis, by status key. */
function listAnalysisStates(newest: OperationRow[]): ProjectStatus['analyses'] {
  const states = analyses.map(({ key, statusKey }): [StatusKey, ProjectStatus['analyses'][StatusKey]] => {
    const row = newest.find(({ operation }) => operation === key);
    return [statusKey, row ? operationShape(row) : { status: 'notStarted' }];
  });
  return Object.fromEntries(states) as ProjectStatus['analyses'];
}

/** Fields that can replace a missing one, such as a corrected unit instead of confirming the size. */
const otherAnswers: Record<string, string[]> = {
  sizeConfirmed: ['unit', 'voxelSizeMm', 'dimensions'],
  unit: ['voxelSizeMm'],
};

export const bindOperations: BindRoutes = (binder, { db, addresses }) => {
  for (const { key: kind } of analyses) {
    binder.bind(
      kind,
      async ({ project, body, caller }) => {
        const given = body as unknown as Record<string, unknown>;
        await requireModules(db, project.organizationId, listStepKinds(given));
        const { userId } = caller;
        const place = { projectId: project.id, organizationId: project.organizationId, userId };
        const analysis = { kind, ...(await resolveInputs(db, place, kind, given)) };
        return operationShape(
          await inTransaction(db, (tx) => store.runAnalysis(tx, caller, project.id, analysis)),
        );
      },
      async ({ target }) => {
        if (target.project) await requireModules(db, target.project.organizationId, [kind]);
      },
    );
  }

  binder.bind('readProjectStatus', async ({ project, caller, request }) => {
    const rows = await store.statusRows(db, project.id);
    return {
      projectId: project.id,
      state: project.state,
      isProcessing: rows.isProcessing,
      analyses: listAnalysisStates(rows.newest),
      exports: rows.exports.map((row) => exportShape(row, addresses.for(caller, request))),
      recipeInvocations: await invocationShapes(db, rows.invocations),
    };
  });

  binder.bindList('listProjectOperations', ({ project, query }) =>
    mapPage(store.listOperations(db, { projectId: project.id }, query, query), (rows) =>
      rows.map(operationShape),
    ),
  );

  binder.bindList('listOperations', async ({ caller, query }) => {
    const workspaceIds = (await findMemberWorkspaces(db, caller.userId)).map(({ id }) => id);
    return mapPage(store.listOperations(db, { workspaceIds }, query, query), (rows) =>
      rows.map(operationShape),
    );
  });

  binder.bind('readOperation', async ({ id }) => operationShape(await store.readOperation(db, id)));

  binder.bind('cancelOperation', async ({ id, project, caller }) =>
    operationShape(await inTransaction(db, (tx) => store.cancelOperation(tx, caller, project, id))),
  );

  binder.bind('retryOperation', async ({ id, project, caller, body }) => {
    const before = await store.readOperation(db, id);
    if (isAnalysisKind(before.operation)) {
      await requireModules(db, project.organizationId, [
        before.operation,
        ...listStepKinds(before.parameters),
      ]);
      const [field] = Object.keys(body);
      if (field !== undefined) throw invalidField(field, 'only the retry of an import accepts fields');
    } else if (before.status === 'failed') {
      const missing = before.error?.['missing'];
      const lacking = (Array.isArray(missing) ? missing.map(String) : []).filter(
        (field) => ![field, ...(otherAnswers[field] ?? [])].some((name) => name in body),
      );
      if (lacking.length > 0) {
        throw new Problem(
          'VALIDATION_FAILED',
          `the file does not state ${lacking.join(', ')}: send it with the retry`,
          {
            field: lacking[0],
            errors: lacking.map((field) => ({ field, detail: 'is missing', code: 'VALIDATION_FAILED' })),
          },
        );
      }
    }
    return operationShape(
      await inTransaction(db, (tx) => store.retryOperation(tx, caller, project.id, id, body)),
    );
  });
};
