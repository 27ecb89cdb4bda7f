import { ActionIcon, Button, FileButton, Group, Progress, Text, Title, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Upload } from '#web/api/generated/types.gen.ts';
import { formatBytes, formatDuration, formatProgress } from '#web/ui/quantity.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { describeCost, fileFacts } from './file-facts.ts';
import { ImportFieldsForm } from './import-fields-form.tsx';
import { IngestState } from './ingest-state.tsx';
import { unfinishedUploadsOptions } from './queries.ts';
import { type QueuedUpload, uploadQueue } from './upload-queue.ts';
import { can, estimateRestSeconds, isUnderWay, measureSpeed } from './upload-state.ts';
import classes from './uploads-panel.module.css';

interface UploadsPanelProps {
  projectId: string;
  /** whether the user may upload here: only then are incomplete uploads from earlier visits shown */
  mayUpload: boolean;
  onShowDataObject: (dataObjectId: string) => void;
}

/** The uploads of this project, including those left incomplete by an earlier visit. */
export function UploadsPanel({ projectId, mayUpload, onShowDataObject }: UploadsPanelProps) {
  const queue = uploadQueue();
  const all = useSyncExternalStore(queue.subscribe, queue.snapshot);
  const own = all.filter(({ item }) => item.projectId === projectId);
  const unfinished = useQuery({ ...unfinishedUploadsOptions(projectId), enabled: mayUpload });
  const known = new Set(own.map(({ item }) => `${item.fileName}\t${item.sizeBytes}`));
  const left = (unfinished.data?.results ?? []).filter(
    ({ operationId, fileName, sizeBytes, offset }) =>
      operationId === null && offset < sizeBytes && !known.has(`${fileName}\t${sizeBytes}`),
  );
  if (own.length === 0 && left.length === 0) return null;
  if (left.length === 0 && own.every(({ item }) => item.phase === 'read'))
    return <DoneLine uploads={own} onShowDataObject={onShowDataObject} />;
  return (
    <section className={classes.panel} aria-labelledby="uploads-title">
      <Title order={2} size="h3" id="uploads-title">
        Uploads
      </Title>
      {own.map((upload) => (
        <UploadRow
          key={upload.item.id}
          upload={upload}
          projectId={projectId}
          onShowDataObject={onShowDataObject}
        />
      ))}
      {left.map((upload) => (
        <UnfinishedRow key={upload.id} upload={upload} projectId={projectId} />
      ))}
    </section>
  );
}

/** Shown when all files are imported: a single line until it is dismissed. */
function DoneLine({
  uploads,
  onShowDataObject,
}: Pick<UploadsPanelProps, 'onShowDataObject'> & { uploads: readonly QueuedUpload[] }) {
  const queue = uploadQueue();
  const names = uploads.map(({ item }) => item.fileName).join(', ');
  const [first] = uploads;
  return (
    <section className={classes.line} aria-label="Uploads">
      <StatusBadge
        status="completed"
        label={uploads.length === 1 ? 'In the project' : `${uploads.length} files in the project`}
      />
      <Text size="sm" c="dimmed" truncate title={names} flex={1}>
        {names}
      </Text>
      {uploads.length === 1 && first && <ShowButton upload={first} onShowDataObject={onShowDataObject} />}
      <Tooltip label="Remove from list">
        <ActionIcon
          onClick={() => {
            for (const { item } of uploads) queue.remove(item.id);
          }}
          aria-label={`Remove from list: ${names}`}
        >
          <IconX size={15} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </section>
  );
}

function ShowButton({
  upload: { item, dataObjectId },
  onShowDataObject,
}: Pick<UploadsPanelProps, 'onShowDataObject'> & { upload: QueuedUpload }) {
  if (dataObjectId === null) return null;
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      onClick={() => onShowDataObject(dataObjectId)}
      aria-label={`Show ${item.fileName}`}
    >
      Show
    </Button>
  );
}

interface UploadRowProps {
  upload: QueuedUpload;
  projectId: string;
  onShowDataObject: (dataObjectId: string) => void;
}

function UploadRow({ upload, projectId, onShowDataObject }: UploadRowProps) {
  const queue = uploadQueue();
  const { item, estimate } = upload;
  const hasArrived = item.phase === 'sent' || item.phase === 'read';
  return (
    <div className={classes.row}>
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={500} truncate title={item.fileName}>
          {item.fileName}
        </Text>
        <Text size="xs" c="dimmed" className="numbers">
          {[formatBytes(item.sizeBytes), ...(estimate ? fileFacts(estimate) : [])].join(' · ')}
        </Text>
      </div>
      {item.phase === 'sent' && item.uploadId !== null ? (
        <IngestState
          uploadId={item.uploadId}
          fileName={item.fileName}
          sizeBytes={item.sizeBytes}
          projectId={projectId}
          onRead={(dataObjectId) => queue.settle(item.id, dataObjectId)}
        />
      ) : item.phase === 'read' ? (
        <Group gap="sm">
          <StatusBadge status="completed" label="In the project" />
          <ShowButton upload={upload} onShowDataObject={onShowDataObject} />
        </Group>
      ) : (
        <Sending upload={upload} />
      )}
      <Group gap={4} wrap="nowrap" justify="flex-end">
        {can(item, 'pause') && (
          <Tooltip label="Pause">
            <ActionIcon onClick={() => queue.pause(item.id)} aria-label={`Pause ${item.fileName}`}>
              <IconPlayerPause size={15} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        {can(item, 'start') && (
          <Tooltip label={item.phase === 'paused' ? 'Resume' : 'Try now'}>
            <ActionIcon onClick={() => queue.start(item.id)} aria-label={`Resume ${item.fileName}`}>
              <IconPlayerPlay size={15} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        <Tooltip label={hasArrived ? 'Remove from list' : 'Cancel the upload'}>
          <ActionIcon
            onClick={() => queue.remove(item.id)}
            aria-label={`${hasArrived ? 'Remove from list:' : 'Cancel'} ${item.fileName}`}
          >
            <IconX size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
      {item.phase === 'incomplete' && (
        <div className={classes.wide}>
          <ImportFieldsForm
            fileName={item.fileName}
            sizeBytes={item.sizeBytes}
            missing={upload.asked}
            suggested={upload.suggested}
            submitLabel="Continue"
            // A stack of slices and a stack of projections can't be distinguished by their files.
            key={upload.asked.join()}
            onRadiographs={
              estimate?.content === 'volume' && !upload.isRadiographs
                ? () => queue.readAsRadiographs(item.id)
                : undefined
            }
            onSubmit={(values) => queue.answer(item.id, values)}
          />
        </div>
      )}
      {estimate && !hasArrived && (
        <Text size="xs" c="dimmed" className={classes.wide}>
          {[`${describeCost(estimate)}.`, ...estimate.warnings].join(' ')}
        </Text>
      )}
    </div>
  );
}

const phaseWords: Partial<Record<QueuedUpload['item']['phase'], string>> = {
  checking: 'Reading its header…',
  incomplete: 'Needs more information before the upload',
  queued: 'Waiting for the others',
};

/** Bytes sent, as a bar and as text. */
function Sending({ upload: { item } }: { upload: QueuedUpload }) {
  if (item.phase === 'refused' || item.phase === 'failed')
    return (
      <Text size="sm" c="danger" role="alert" style={{ overflowWrap: 'anywhere' }}>
        {item.reason}
      </Text>
    );
  if (phaseWords[item.phase] !== undefined)
    return (
      <Text size="sm" c="dimmed">
        {phaseWords[item.phase]}
      </Text>
    );
  const share = item.sizeBytes === 0 ? 1 : item.sentBytes / item.sizeBytes;
  const speed = measureSpeed(item);
  const rest = estimateRestSeconds(item);
  const words = [
    formatProgress(share),
    `${formatBytes(item.sentBytes)} of ${formatBytes(item.sizeBytes)}`,
    ...(item.phase === 'paused' ? ['paused'] : []),
    ...(item.phase === 'interrupted' ? [item.reason ?? 'no connection'] : []),
    ...(speed !== null && isUnderWay(item) ? [`${formatBytes(speed)}/s`] : []),
    ...(rest !== null ? [`${formatDuration(rest)} to go`] : []),
  ];
  return (
    <div>
      <Progress
        value={share * 100}
        size="sm"
        color={item.phase === 'sending' ? undefined : 'gray'}
        aria-label={`Upload of ${item.fileName}`}
      />
      <Text size="xs" c="dimmed" className="numbers" mt={2}>
        {words.join(' · ')}
      </Text>
    </div>
  );
}

/** An upload left by an earlier visit: the service has a part of it, but the browser no longer has the file. */
function UnfinishedRow({ upload, projectId }: { upload: Upload; projectId: string }) {
  const share = upload.sizeBytes === 0 ? 0 : upload.offset / upload.sizeBytes;
  const continueWith = (file: File | null) => {
    if (file === null) return;
    if (file.name !== upload.fileName || file.size !== upload.sizeBytes) {
      notifications.show({
        color: 'danger',
        title: 'This is another file',
        message: `Choose ${upload.fileName} with ${formatBytes(upload.sizeBytes)} (${upload.sizeBytes} bytes); ${file.name} has ${file.size} bytes.`,
        autoClose: 12_000,
      });
      return;
    }
    uploadQueue().resume(projectId, file, upload.id, upload.offset);
  };
  return (
    <div className={classes.row}>
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={500} truncate>
          {upload.fileName}
        </Text>
        <Text size="xs" c="dimmed" className="numbers">
          {formatBytes(upload.sizeBytes)} · begun <RelativeTime value={upload.createdAt} />
        </Text>
      </div>
      <div>
        <Progress
          value={share * 100}
          size="sm"
          color="gray"
          aria-label={`Upload of ${upload.fileName}, not finished`}
        />
        <Text size="xs" c="dimmed" className="numbers" mt={2}>
          {formatProgress(share)} arrived; choose the same file again to resume
        </Text>
      </div>
      <FileButton onChange={continueWith}>
        {(props) => (
          <Button variant="default" {...props} aria-label={`Choose ${upload.fileName} again`}>
            Choose the file
          </Button>
        )}
      </FileButton>
    </div>
  );
}
