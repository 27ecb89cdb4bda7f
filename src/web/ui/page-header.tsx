import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './page-header.module.css';

export interface PageHeaderProps {
  title: ReactNode;
  /** beside the title, less prominent: a count, a verdict */
  aside?: ReactNode;
  /** below the title: what the page is for */
  description?: ReactNode;
  actions?: ReactNode;
}

/** Title of a page, content beside it, and the actions. */
export function PageHeader({ title, aside, description, actions }: PageHeaderProps) {
  return (
    <div className={classes.header}>
      <div className={classes.words}>
        <Group gap="0 var(--mantine-spacing-sm)" align="baseline">
          <Title order={1} className={classes.title}>
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
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </div>
  );
}
