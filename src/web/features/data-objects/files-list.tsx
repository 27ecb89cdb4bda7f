import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { CopyId } from '#web/ui/copy-id.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import classes from './data-objects.module.css';
import { downloadFile } from './download-file.ts';

/** Files with size, checksum and download. */
export function FilesList({ dataObject }: { dataObject: DataObject }) {
  if (dataObject.files.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Stored as a multiscale volume, without files.
      </Text>
    );
  return (
    <div>
      {dataObject.files.map(({ fileName, sizeBytes, sha256 }) => (
        <div key={fileName} className={classes.file}>
          <Text span inherit truncate title={fileName}>
            {fileName}
          </Text>
          <Text span inherit c="dimmed" className="numbers">
            {formatBytes(sizeBytes)}
          </Text>
          <Tooltip label={`Download ${formatBytes(sizeBytes)}`}>
            <ActionIcon
              size="sm"
              onClick={() => void downloadFile(dataObject.id, fileName)}
              aria-label={`Download ${fileName}, ${formatBytes(sizeBytes)}`}
            >
              <IconDownload size={14} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Group gap={6} className={classes.sum} wrap="nowrap">
            SHA-256 <CopyId value={sha256} what={`SHA-256 of ${fileName}`} shown={16} />
          </Group>
        </div>
      ))}
    </div>
  );
}
