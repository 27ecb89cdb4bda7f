import { Button, FileButton, Text, Title } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { ActionButton } from '#web/ui/action-button.tsx';
import { acceptedFormats } from './file-facts.ts';
import { uploadQueue } from './upload-queue.ts';
import { isAwaited } from './upload-state.ts';
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

/** Opens the dialog of files. */
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

/** What a new project shows: where to drop a scan, and what is read; once one is on its way, no more than that. */
export function FirstUpload({ projectId, reason }: DropTargetProps) {
  const queue = uploadQueue();
  const all = useSyncExternalStore(queue.subscribe, queue.snapshot);
  if (isAwaited(all, projectId))
    return (
      <Text c="dimmed" py="md" role="status">
        Nothing to show until the scan is read.
      </Text>
    );
  return (
    <section className={classes.zone} aria-labelledby="first-upload">
      <Title order={2} size="h2" id="first-upload">
        Drop a scan here
      </Title>
      <Text c="dimmed" mt={4} mb="md">
        A volume to measure, or a mesh to compare with. Uploads can be paused and go on after a lost
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
