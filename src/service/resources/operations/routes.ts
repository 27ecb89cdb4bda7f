/** Asking for analyses, and looking after the operations that carry them out. */
import { type AnalysisKind, analysisFacts, analysisKinds } from '#contract/analyses/kinds.ts';
import type { ProjectStatus, StatusKey } from '#contract/shapes/status.ts';
import { workspacesOf } from '#storage/access/access.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { requireModules } from '../../access/modules.ts';
import { baseAddress, pageOfResults } from '../../http/page.ts';
import { invalidField, Problem } from '../../http/problem.ts';
import type { BindRoutes } from '../../services.ts';
import { exportShape } from '../../shapes/export-shape.ts';
import { invocationShapes } from '../../shapes/invocation-shape.ts';
import { type OperationRow, operationShape } from '../../shapes/operation-shape.ts';
import { inputsOf, requireImplemented } from './rules.ts';
import * as store from './store.ts';

const isAnalysis = (operation: string): operation is AnalysisKind =>
  (analysisKinds as readonly string[]).includes(operation);

type Inputs = { sourceDataObjectId?: string; referenceDataObjectId?: string; groupBy?: string };

/** The analyses of a pipeline's steps; none for anything else. */
const stepKindsOf = ({ steps }: Record<string, unknown>): AnalysisKind[] =>
  Array.isArray(steps) ? (steps as { operation: AnalysisKind }[]).map(({ operation }) => operation) : [];

/** The newest operation of each analysis, under the name that the status gives it. */
function analysesOf(newest: OperationRow[]): ProjectStatus['analyses'] {
  const states = analysisKinds.map((kind): [StatusKey, ProjectStatus['analyses'][StatusKey]] => {
    const row = newest.find(({ operation }) => operation === kind);
    return [analysisFacts[kind].statusKey, row ? operationShape(row) : { status: 'notStarted' }];
  });
  return Object.fromEntries(states) as ProjectStatus['analyses'];
}

export const bindOperations: BindRoutes = (binder, { db, config, queue, addresses }) => {
  for (const kind of analysisKinds) {
    binder.bind(
      kind,
      async ({ project, body, caller }) => {
        const parameters = body as unknown as Record<string, unknown>;
        await requireModules(db, project.organizationId, stepKindsOf(parameters));
        const inputs = await inputsOf(db, project.id, kind, parameters as Inputs);
        const analysis = { kind, parameters, inputs };
        return operationShape(
          await inTransaction(db, (tx) => store.runAnalysis(tx, queue, caller, project.id, analysis)),
        );
      },
      async ({ target }) => {
        requireImplemented(kind);
        if (target.project) await requireModules(db, target.project.organizationId, [kind]);
      },
    );
  }

  binder.bind('readProjectStatus', async ({ project, request }) => {
    const base = baseAddress(request, config.publicUrl);
    const rows = await store.statusRows(db, project.id);
    return {
      projectId: project.id,
      state: project.state,
      isProcessing: rows.isProcessing,
      analyses: analysesOf(rows.newest),
      exports: rows.exports.map((row) => exportShape(row, addresses, base)),
      recipeInvocations: await invocationShapes(db, rows.invocations),
    };
  });

  binder.bind('listProjectOperations', async ({ project, query, request }) => {
    const { count, results } = await store.listOperations(db, { projectId: project.id }, query, query);
    const base = baseAddress(request, config.publicUrl);
    return pageOfResults(request, base, query, count, results.map(operationShape));
  });

  binder.bind('listOperations', async ({ caller, query, request }) => {
    const workspaceIds = (await workspacesOf(db, caller.userId)).map(({ id }) => id);
    const { count, results } = await store.listOperations(db, { workspaceIds }, query, query);
    const base = baseAddress(request, config.publicUrl);
    return pageOfResults(request, base, query, count, results.map(operationShape));
  });

  binder.bind('readOperation', async ({ id }) => operationShape(await store.readOperation(db, id)));

  binder.bind('cancelOperation', async ({ id, project, caller }) =>
    operationShape(await inTransaction(db, (tx) => store.cancelOperation(tx, queue, caller, project, id))),
  );

  binder.bind('retryOperation', async ({ id, project, caller, body }) => {
    const before = await store.readOperation(db, id);
    if (isAnalysis(before.operation)) {
      await requireModules(db, project.organizationId, [before.operation, ...stepKindsOf(before.parameters)]);
      const [field] = Object.keys(body);
      if (field !== undefined) throw invalidField(field, 'only the retry of an ingest takes fields');
    } else if (before.status === 'failed') {
      const missing = before.error?.['missing'];
      const lacking = (Array.isArray(missing) ? missing.map(String) : []).filter((field) => !(field in body));
      if (lacking.length > 0) {
        throw new Problem(
          'VALIDATION_FAILED',
          `the file does not say ${lacking.join(', ')}: send it with the retry`,
          {
            field: lacking[0],
            errors: lacking.map((field) => ({ field, detail: 'is missing', code: 'VALIDATION_FAILED' })),
          },
        );
      }
    }
    return operationShape(
      await inTransaction(db, (tx) => store.retryOperation(tx, queue, caller, project.id, id, body)),
    );
  });
};
