import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** what the list is for, and the first step to take */
  children?: ReactNode;
  action?: ReactNode;
  /** heading level */
  order?: 1 | 2 | 3 | 4;
}

/** An empty list: what it is for and what to do. */
export function EmptyState({ icon, title, children, action, order = 2 }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={64} px="md" ta="center">
      {icon !== undefined && <Text c="dimmed">{icon}</Text>}
      <Title order={order} size="h2">
        {title}
      </Title>
      {children !== undefined && (
        <Text c="dimmed" maw="56ch" component="div">
          {children}
        </Text>
      )}
      {action !== undefined && <div style={{ marginTop: 8 }}>{action}</div>}
    </Stack>
  );
}
