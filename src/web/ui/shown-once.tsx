import { Alert, Button, CopyButton, Group, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

interface ShownOnceProps {
  /** whose or what it is */
  title: string;
  value: string;
  testId?: string;
}

/** A link or password that is shown only once, with a button that copies it. */
export function ShownOnce({ title, value, testId }: ShownOnceProps) {
  return (
    <Alert color="accent" variant="light" title={title}>
      <Group justify="space-between" wrap="nowrap">
        <Text span size="sm" className="mono" data-testid={testId} style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Text>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              miw={90}
              data-autofocus
              onClick={copy}
              leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Alert>
  );
}
