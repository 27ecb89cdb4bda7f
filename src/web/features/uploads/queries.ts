import {
  listProjectOperationsOptions,
  listProjectUploadsOptions,
  readOperationOptions,
  readUploadOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';

/** Incomplete uploads of the project, which can be resumed after a reload. */
export const unfinishedUploadsOptions = (projectId: string) =>
  listProjectUploadsOptions({ path: { id: projectId }, query: { page_size: 200 } });

export const uploadOptions = (uploadId: string) => readUploadOptions({ path: { id: uploadId } });

/** The import operation of an upload. */
export const ingestOptions = (operationId: string) => readOperationOptions({ path: { id: operationId } });

/** The newest imports of a project without data, uploaded by any user. */
export const firstIngestsOptions = (projectId: string) =>
  listProjectOperationsOptions({
    path: { project_id: projectId },
    query: { operation: 'ingest', page_size: 10 },
  });
