import { Box, Button, FileButton, Text, Title } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useSyncExternalStore } from 'react';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { Operation } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { WorkProgress } from '#web/ui/work.tsx';
import { FailedImports, readFileName } from './failed-imports.tsx';
import { acceptedFormats } from './file-facts.ts';
import { firstIngestsOptions } from './queries.ts';
import { uploadQueue } from './upload-queue.ts';
import { isAwaited, isUnderWay } from './upload-state.ts';
import classes from './uploads-panel.module.css';

interface DropTargetProps {
  projectId: string;
  /** why nothing can be uploaded; null = it can */
  reason: string | null;
}

interface UploadButtonProps extends DropTargetProps {
  variant?: string;
  size?: string;
  children?: ReactNode;
}

/** Opens the browser's file dialog. */
export function UploadButton({ projectId, reason, variant = 'default', size, children }: UploadButtonProps) {
  const icon = <IconUpload size={14} aria-hidden />;
  if (reason !== null)
    return (
      <ActionButton variant={variant} size={size} leftSection={icon} reason={reason}>
        {children ?? 'Upload'}
      </ActionButton>
    );
  return (
    <FileButton multiple onChange={(files) => uploadQueue().add(projectId, files)}>
      {(props) => (
        <Button variant={variant} size={size} leftSection={icon} {...props}>
          {children ?? 'Upload'}
        </Button>
      )}
    </FileButton>
  );
}

/** Imports that failed, unless a newer import of a file with the same name exists. */
function listFailed(ingests: readonly Operation[]): Operation[] {
  const newest = new Map<string, Operation>();
  for (const ingest of ingests) {
    const key = readFileName(ingest) ?? ingest.id;
    if (!newest.has(key)) newest.set(key, ingest);
  }
  return [...newest.values()].filter(({ status }) => status === 'failed');
}

/**
 * The upload area of a project without data: a drop zone, the accepted formats and failed imports; once a file is on
 * its way, its progress.
 */
export function FirstUpload({ projectId, reason }: DropTargetProps) {
  // Uploads by others, or from before this page was loaded.
  const ingests = useQuery(firstIngestsOptions(projectId));
  const queue = uploadQueue();
  const all = useSyncExternalStore(queue.subscribe, queue.snapshot);
  const own = all.filter(({ item }) => item.projectId === projectId);
  const others = ingests.data?.results ?? [];
  const reading = others.find(({ status }) => isUnfinished(status));
  // The import is complete, but the project cached by this page does not include it yet.
  const isRead =
    own.some(({ item }) => item.phase === 'read') || others.some(({ status }) => status === 'completed');
  const failed = listFailed(others);
  const failedNames = new Set(failed.map(readFileName));
  // The list of uploads reports files that arrived but can't be read; no data will come from them.
  const isExpected = isAwaited(
    own.filter(({ item }) => item.phase !== 'sent' || !failedNames.has(item.fileName)),
    projectId,
  );
  if (isExpected || reading || isRead)
    return (
      <section className={classes.zone} role="status" data-busy>
        <Title order={2} size="h2">
          {own.some(({ item }) => isUnderWay(item)) ? 'Uploading the scan…' : 'Reading the scan…'}
        </Title>
        <Text c="dimmed" mt={4}>
          Slices and the volume in 3D appear here after the import.
        </Text>
        {own.length === 0 && reading && (
          <Box display="inline-block" mt="md">
            <WorkProgress name="the import" progress={reading.progress} stage={reading.stage} width={180} />
          </Box>
        )}
      </section>
    );
  if (ingests.isPending) return null;
  const ownNames = new Set(own.map(({ item }) => item.fileName));
  return (
    <>
      <FailedImports
        operations={failed.filter((ingest) => !ownNames.has(readFileName(ingest) ?? ''))}
        projectId={projectId}
        reason={reason}
      />
      <DropZone projectId={projectId} reason={reason} />
    </>
  );
}

function DropZone({ projectId, reason }: DropTargetProps) {
  return (
    <section className={classes.zone} aria-labelledby="first-upload">
      <Title order={2} size="h2" id="first-upload">
        Drop a scan here
      </Title>
      <Text c="dimmed" mt={4} mb="md">
        A volume to measure, or a mesh to compare with. Uploads can be paused and resume after a lost
        connection.
      </Text>
      <UploadButton projectId={projectId} reason={reason} variant="filled">
        Choose files
      </UploadButton>
      <div>
        <dl className={classes.formats}>
          {acceptedFormats.map(({ name, detail }) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{detail}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
