import type { z } from 'zod';
import type { ExportInput } from '#contract/shapes/export.ts';
import {
  cancelExport,
  requestProjectExport,
  requestProjectReport,
  retryExport,
} from '#web/api/generated/sdk.gen.ts';
import { type Stale, useChange } from '#web/api/refresh.ts';

const listStale = (projectId: string): Stale[] => [
  'listExports',
  { operation: 'readProjectStatus', path: { project_id: projectId } },
];

export const useRequestExport = (projectId: string) =>
  useChange(
    (body: z.infer<typeof ExportInput>) => requestProjectExport({ path: { project_id: projectId }, body }),
    ...listStale(projectId),
  );

/** Requests an inspection report as PDF; it is listed with the exports. */
export const useRequestReport = (projectId: string) =>
  useChange(() => requestProjectReport({ path: { id: projectId } }), ...listStale(projectId));

/** Stops an export, or retries one that failed or was stopped. */
export const useChangeExport = (projectId: string) =>
  useChange(
    ({ id, change }: { id: string; change: 'cancel' | 'retry' }) =>
      (change === 'cancel' ? cancelExport : retryExport)({ path: { id } }),
    ...listStale(projectId),
  );
