import {
  Destination,
  Project,
  ProjectIds,
  ProjectIdsQuery,
  ProjectInput,
  ProjectListQuery,
  ProjectPage,
  ProjectPatch,
  ProjectUpdate,
} from '../shapes/project.ts';
import { SharedViewInput } from '../shapes/shared-view.ts';
import { type Access, declare } from './operation.ts';

const viewer: Access = { kind: 'workspace', role: 'viewer', of: 'project' };
const editor = { kind: 'workspace', role: 'editor', of: 'project' } as const satisfies Access;

export const projects = declare('Projects', {
  listProjects: {
    route: 'GET /api/v2/projects',
    summary: 'List projects',
    access: { kind: 'signedIn' },
    query: ProjectListQuery,
    response: { status: 200, schema: ProjectPage },
    problems: ['NOT_FOUND', 'INVALID_UUID'],
  },
  listProjectIds: {
    route: 'GET /api/v2/projectIds',
    summary: 'List the ids of all projects that match the filters, for bulk requests',
    access: { kind: 'signedIn' },
    query: ProjectIdsQuery,
    response: { status: 200, schema: ProjectIds },
    extension: true,
  },
  createProject: {
    route: 'POST /api/v2/projects',
    summary: 'Create a project',
    access: { kind: 'workspace', role: 'editor', of: 'workspace', from: 'body' },
    body: ProjectInput,
    response: { status: 201, schema: Project },
    problems: ['IDEMPOTENCY_MISMATCH'],
    etag: true,
  },
  readProject: {
    route: 'GET /api/v2/projects/{id}',
    summary: 'Read a project',
    access: viewer,
    response: { status: 200, schema: Project },
    etag: true,
  },
  updateProject: {
    route: 'PUT /api/v2/projects/{id}',
    summary: 'Update all writable fields',
    access: editor,
    body: ProjectUpdate,
    response: { status: 200, schema: Project },
    problems: ['PROJECT_ARCHIVED', 'PRECONDITION_FAILED'],
    etag: true,
  },
  patchProject: {
    route: 'PATCH /api/v2/projects/{id}',
    summary: 'Update some fields',
    access: editor,
    body: ProjectPatch,
    response: { status: 200, schema: Project },
    problems: ['PROJECT_ARCHIVED', 'PRECONDITION_FAILED'],
    etag: true,
  },
  deleteProject: {
    route: 'DELETE /api/v2/projects/{id}',
    summary:
      'Move a project to the trash, from where it can be restored for 30 days; running work continues and keeps its results',
    access: editor,
    response: { status: 204 },
    problems: ['PRECONDITION_FAILED'],
  },
  archiveProject: {
    route: 'POST /api/v2/projects/{id}/archive',
    summary: 'Archive a project: keeps everything and makes it read-only',
    access: editor,
    response: { status: 200, schema: Project },
    etag: true,
  },
  restoreProject: {
    route: 'POST /api/v2/projects/{id}/restore',
    summary: 'Restore a project from the archive or trash',
    access: { ...editor, inTrash: true },
    response: { status: 200, schema: Project },
    etag: true,
  },
  copyProject: {
    route: 'POST /api/v2/projects/{id}/copy',
    summary: 'Copy a project to another workspace; stored files are shared, not duplicated',
    access: editor,
    body: Destination,
    response: { status: 201, schema: Project },
    problems: ['IDEMPOTENCY_MISMATCH'],
    etag: true,
  },
  moveProject: {
    route: 'POST /api/v2/projects/{id}/move',
    summary: 'Move a project to another workspace',
    access: editor,
    body: Destination,
    response: { status: 200, schema: Project },
    problems: ['PROJECT_ARCHIVED'],
    etag: true,
  },
  shareView: {
    route: 'POST /api/v2/projects/{id}/sharedView',
    summary: 'Send the caller’s current view to presenter and followers of the project; nothing is stored',
    access: { kind: 'workspace', role: 'viewer', of: 'project' },
    body: SharedViewInput,
    rateLimit: { count: 360, seconds: 60 },
    response: { status: 204 },
    extension: true,
  },
});
