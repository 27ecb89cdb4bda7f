import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface PageHeaderProps {
  title: ReactNode;
  /** beside the title, quieter: a count, a verdict */
  aside?: ReactNode;
  /** under the title: what this page is for */
  description?: ReactNode;
  actions?: ReactNode;
}

/** Title of a page, what stands beside it, and what can be done. */
export function PageHeader({ title, aside, description, actions }: PageHeaderProps) {
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap" gap="md" mih={32}>
      <div style={{ minWidth: 0 }}>
        <Group gap="sm" align="baseline" wrap="nowrap">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {aside !== undefined && (
            <Text c="dimmed" className="numbers" component="div">
              {aside}
            </Text>
          )}
        </Group>
        {description !== undefined && (
          <Text c="dimmed" className="measure" mt={2}>
            {description}
          </Text>
        )}
      </div>
      {actions !== undefined && (
        <Group gap="xs" wrap="nowrap">
          {actions}
        </Group>
      )}
    </Group>
  );
}
