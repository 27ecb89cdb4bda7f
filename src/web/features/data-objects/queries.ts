import { queryOptions } from '@tanstack/react-query';
import {
  listProjectDataOptions,
  readDataResolutionOptions,
  readOperationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { readExportFile } from '#web/api/generated/sdk.gen.ts';

/** The project's data objects, newest first. */
export const projectDataOptions = (projectId: string) =>
  listProjectDataOptions({ path: { id: projectId }, query: { page_size: 200 } });

export const resolutionOptions = (volumeId: string) =>
  queryOptions({
    ...readDataResolutionOptions({ path: { id: volumeId } }),
    // The content of a data object never changes once it is written.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The operation that created a data object, with its parameters and provenance. */
export const makingOptions = (operationId: string) => readOperationOptions({ path: { id: operationId } });

/** A fresh address of one file; it works without further headers and expires. */
export async function fileAddress(dataObjectId: string, fileName: string, signal?: AbortSignal) {
  const { data } = await readExportFile({ path: { id: dataObjectId, fileName }, signal });
  return data;
}
