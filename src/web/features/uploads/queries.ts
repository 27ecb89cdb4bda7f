import {
  listProjectOperationsOptions,
  listProjectUploadsOptions,
  readOperationOptions,
  readUploadOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';

/** Uploads of the project that have not arrived whole: to be gone on with after a reload. */
export const unfinishedUploadsOptions = (projectId: string) =>
  listProjectUploadsOptions({ path: { id: projectId }, query: { page_size: 200 } });

export const uploadOptions = (uploadId: string) => readUploadOptions({ path: { id: uploadId } });

/** The ingest that an upload led to. */
export const ingestOptions = (operationId: string) => readOperationOptions({ path: { id: operationId } });

/** The newest files that were read, or are, in a project that has no data yet, by whomever they were uploaded. */
export const firstIngestsOptions = (projectId: string) =>
  listProjectOperationsOptions({
    path: { project_id: projectId },
    query: { operation: 'ingest', page_size: 10 },
  });
