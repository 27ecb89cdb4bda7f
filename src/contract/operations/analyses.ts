import { type AnalysisKind, analyses as declarations } from '../analyses/registry.ts';
import { Operation, OperationListQuery, OperationPage, RetryInput } from '../shapes/operation.ts';
import { ProjectStatus } from '../shapes/status.ts';
import { type Access, declare, type Untagged } from './operation.ts';

const editor: Access = { kind: 'workspace', role: 'editor', of: 'project' };

const runs = Object.fromEntries(
  declarations.map(({ key, purpose, parameters }): [AnalysisKind, Untagged] => [
    key,
    {
      route: `POST /api/v2/projects/{project_id}/${key}`,
      summary: purpose,
      access: editor,
      body: parameters,
      bodyOptional: true,
      response: { status: 202, schema: Operation },
      problems: ['PROJECT_ARCHIVED', 'MODULE_NOT_ENABLED', 'MISSING_INPUT', 'IDEMPOTENCY_MISMATCH'],
    },
  ]),
) as Record<AnalysisKind, Untagged & { response: { status: 202; schema: typeof Operation } }>;

export const analyses = declare('Analyses', {
  ...runs,
  readProjectStatus: {
    route: 'GET /api/v2/projects/{project_id}/status',
    summary: 'Project status including analysis states',
    access: { kind: 'workspace', role: 'viewer', of: 'project' },
    response: { status: 200, schema: ProjectStatus },
  },
  listProjectOperations: {
    route: 'GET /api/v2/projects/{project_id}/operations',
    summary: 'List operations of the project',
    access: { kind: 'workspace', role: 'viewer', of: 'project' },
    query: OperationListQuery,
    response: { status: 200, schema: OperationPage },
    extension: true,
  },
  listOperations: {
    route: 'GET /api/v2/operations',
    summary: 'List operations of all projects, newest first',
    access: { kind: 'signedIn' },
    query: OperationListQuery,
    response: { status: 200, schema: OperationPage },
    problems: ['NOT_FOUND'],
    extension: true,
  },
  readOperation: {
    route: 'GET /api/v2/operations/{id}',
    summary: 'Read an operation',
    access: { kind: 'workspace', role: 'viewer', of: 'operation' },
    response: { status: 200, schema: Operation },
    extension: true,
  },
  cancelOperation: {
    route: 'POST /api/v2/operations/{id}/cancel',
    summary: 'Cancel an operation; partial results are discarded',
    access: { kind: 'workspace', role: 'editor', of: 'operation' },
    response: { status: 202, schema: Operation },
    problems: ['ALREADY_FINISHED'],
    extension: true,
  },
  retryOperation: {
    route: 'POST /api/v2/operations/{id}/retry',
    summary: 'Retry a failed or cancelled operation, optionally with missing information',
    access: { kind: 'workspace', role: 'editor', of: 'operation' },
    body: RetryInput,
    bodyOptional: true,
    response: { status: 202, schema: Operation },
    problems: ['CONFLICT', 'PROJECT_ARCHIVED'],
    extension: true,
  },
});
