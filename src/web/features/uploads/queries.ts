import {
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
