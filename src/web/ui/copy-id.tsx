import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

interface CopyIdProps {
  value: string;
  /** what it is, for the label of the button: `project id` */
  what: string;
  /** number of leading characters to show; all by default */
  shown?: number;
}

/** A shortened id, hash or path, with a button that copies the full text. */
export function CopyId({ value, what, shown }: CopyIdProps) {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      <Text span inherit className="mono" title={value}>
        {shown === undefined || value.length <= shown ? value : `${value.slice(0, shown)}…`}
      </Text>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon size="xs" onClick={copy} aria-label={copied ? 'Copied' : `Copy ${what}`}>
              {copied ? <IconCheck size={12} aria-hidden /> : <IconCopy size={12} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
