import { Progress, Text } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { explain } from '#web/api/errors.ts';
import { refresh } from '#web/api/refresh.ts';
import { formatProgress } from '#web/ui/quantity.ts';
import { toRetryInput } from './import-fields.ts';
import { ImportFieldsForm } from './import-fields-form.tsx';
import { useCompleteIngest } from './mutations.ts';
import { ingestOptions, uploadOptions } from './queries.ts';
import classes from './uploads-panel.module.css';

interface IngestStateProps {
  uploadId: string;
  fileName: string;
  sizeBytes: number;
  projectId: string;
  /** called once when the file has been imported, with its data object */
  onRead: (dataObjectId: string | null) => void;
}

const finished = ['completed', 'failed', 'cancelled'];

/** The state of an upload that has arrived: import progress, then the result. */
export function IngestState({ uploadId, fileName, sizeBytes, projectId, onRead }: IngestStateProps) {
  const queryClient = useQueryClient();
  const upload = useQuery({
    ...uploadOptions(uploadId),
    // The operation is created with the last byte; until it is known there is no event to wait for.
    refetchInterval: ({ state }) => (state.data?.operationId ? false : 1_000),
  });
  const operationId = upload.data?.operationId ?? null;
  const ingest = useQuery({
    ...ingestOptions(operationId ?? ''),
    enabled: operationId !== null,
    refetchInterval: ({ state }) => (state.data && finished.includes(state.data.status) ? false : 5_000),
  });
  const completing = useCompleteIngest(projectId);
  const operation = ingest.data;
  const status = operation?.status;

  useEffect(() => {
    if (operationId === null) return;
    const operations = { operation: 'listProjectOperations', path: { project_id: projectId } } as const;
    void refresh(queryClient, operations, 'listProjectUploads');
  }, [operationId, projectId, queryClient]);
  useEffect(() => {
    if (status !== 'completed') return;
    const path = { id: projectId };
    void refresh(queryClient, { operation: 'listProjectData', path }, { operation: 'readProject', path });
  }, [status, projectId, queryClient]);
  const madeId = operation?.outputDataObjectIds[0] ?? null;
  const reportRead = useCallbackRef(onRead);
  useEffect(() => {
    if (status === 'completed') reportRead(madeId);
  }, [status, madeId, reportRead]);

  const failure = upload.error ?? ingest.error;
  if (failure)
    return (
      <Text size="sm" c="danger">
        {explain(failure).detail}
      </Text>
    );
  if (!operation) return <Text size="sm">Uploaded, waiting for the import</Text>;
  const missing = operation.error?.missing ?? [];
  if (operation.status === 'failed' && missing.length > 0)
    return (
      <div className={classes.wide}>
        <ImportFieldsForm
          fileName={fileName}
          sizeBytes={sizeBytes}
          missing={missing}
          suggested={{ ...operation.error?.suggested, ...operation.parameters }}
          submitLabel="Import"
          isSending={completing.isPending}
          onSubmit={(values, asked) =>
            completing.mutate({ operationId: operation.id, input: toRetryInput(asked, values) })
          }
        />
      </div>
    );
  if (operation.status === 'failed' || operation.status === 'cancelled')
    return (
      <Text size="sm" c={operation.status === 'failed' ? 'danger' : undefined} role="alert">
        {operation.error?.detail ?? 'The import was stopped.'}
      </Text>
    );
  return (
    <div>
      <Progress value={operation.progress * 100} size="sm" aria-label={`Importing ${fileName}`} />
      <Text size="xs" c="dimmed" className="numbers" mt={2}>
        {formatProgress(operation.progress)} · {operation.stage ?? 'waiting for a worker'}
      </Text>
    </div>
  );
}
