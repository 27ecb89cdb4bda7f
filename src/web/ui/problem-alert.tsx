import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface ProblemAlertProps {
  /** what failed, in a few words */
  title?: string;
  /** why, and what to do */
  detail: string;
  onRetry?: () => void;
  children?: ReactNode;
}

/** A problem where its content would stand: what failed, why, and a retry. */
export function ProblemAlert({ title, detail, onRetry, children }: ProblemAlertProps) {
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={title}
      icon={<IconAlertTriangle size={18} aria-hidden />}
      maw={720}
    >
      <Text size="md" className="measure" style={{ overflowWrap: 'anywhere' }}>
        {detail}
      </Text>
      {children}
      {onRetry !== undefined && (
        <Button
          mt="sm"
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          onClick={onRetry}
        >
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** The same as the only content of a page, with its heading. */
export function ProblemPage({ title, ...rest }: ProblemAlertProps) {
  return (
    <Stack p="md" maw={720} gap="sm">
      <Title order={1}>{title}</Title>
      <ProblemAlert {...rest} />
    </Stack>
  );
}
