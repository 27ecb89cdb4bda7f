import type { z } from 'zod';
import {
  BulkDestination,
  BulkDownloadResults,
  BulkItemListQuery,
  BulkItemPage,
  BulkPreview,
  BulkPreviewInput,
  BulkProjects,
  BulkRequest,
  BulkRequestListQuery,
  BulkRequestPage,
  BulkRunRecipe,
  BulkTags,
} from '../shapes/bulk-request.ts';
import type { WorkspaceRole } from '../shapes/organization.ts';
import { type Access, declare, type Untagged } from './operation.ts';

const own: Access = { kind: 'own', of: 'bulkRequest' };

const onProjects = <Body extends z.ZodType>(
  path: string,
  summary: string,
  body: Body,
  { role = 'editor', extension = false }: { role?: WorkspaceRole; extension?: boolean } = {},
) =>
  ({
    route: `POST /api/v2/bulkProjects/${path}`,
    summary,
    access: { kind: 'workspace', role, of: 'eachProject' },
    body,
    response: { status: 202, schema: BulkRequest },
    problems: ['IDEMPOTENCY_MISMATCH'],
    ...(extension ? { extension } : {}),
  }) as const satisfies Untagged;

export const bulk = declare('Bulk', {
  listBulkRequests: {
    route: 'GET /api/v2/bulkRequests',
    summary: 'List bulk requests',
    access: { kind: 'signedIn' },
    query: BulkRequestListQuery,
    response: { status: 200, schema: BulkRequestPage },
    problems: ['NOT_FOUND'],
  },
  readBulkRequest: {
    route: 'GET /api/v2/bulkRequests/{bulk_request_id}',
    summary: 'Read a bulk request',
    access: own,
    response: { status: 200, schema: BulkRequest },
  },
  cancelBulkRequest: {
    route: 'POST /api/v2/bulkRequests/{bulk_request_id}/cancel',
    summary: 'Cancel a bulk request',
    access: own,
    response: { status: 202, schema: BulkRequest },
    problems: ['ALREADY_FINISHED'],
  },
  listBulkItems: {
    route: 'GET /api/v2/bulkRequests/{bulk_request_id}/items',
    summary: 'List the outcome for each project',
    access: own,
    query: BulkItemListQuery,
    response: { status: 200, schema: BulkItemPage },
    extension: true,
  },
  retryBulkRequest: {
    route: 'POST /api/v2/bulkRequests/{bulk_request_id}/retry',
    summary: 'Retry the failed and cancelled items',
    access: own,
    response: { status: 202, schema: BulkRequest },
    problems: ['CONFLICT'],
    extension: true,
  },
  undoBulkRequest: {
    route: 'POST /api/v2/bulkRequests/{bulk_request_id}/undo',
    summary: 'Undo a bulk request, if possible',
    access: own,
    response: { status: 202, schema: BulkRequest },
    problems: ['CONFLICT'],
    extension: true,
  },
  previewBulk: {
    route: 'POST /api/v2/bulkProjects/preview',
    summary: 'Preview the effect of a bulk request, with refused projects and reasons',
    access: { kind: 'workspace', role: 'viewer', of: 'eachProject' },
    body: BulkPreviewInput,
    response: { status: 200, schema: BulkPreview },
    extension: true,
  },
  bulkArchive: onProjects('archive', 'Bulk archive projects', BulkProjects),
  bulkCopy: onProjects('copy', 'Bulk copy projects', BulkDestination),
  bulkMove: onProjects('move', 'Bulk move projects', BulkDestination),
  bulkDelete: onProjects('delete', 'Bulk delete projects', BulkProjects),
  bulkAddTags: onProjects('addTags', 'Bulk add tags to projects', BulkTags),
  bulkRemoveTags: onProjects('removeTags', 'Bulk remove tags from projects', BulkTags),
  bulkRunRecipe: onProjects('runRecipe', 'Bulk run a recipe', BulkRunRecipe),
  bulkDownloadResults: onProjects('downloadResults', 'Bulk download results', BulkDownloadResults, {
    role: 'viewer',
  }),
  bulkRestore: onProjects('restore', 'Bulk restore projects', BulkProjects, { extension: true }),
});
