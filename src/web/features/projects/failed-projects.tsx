import { Button, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import type { Project } from '#contract/shapes/project.ts';
import { explain } from '../../api/errors.ts';
import type { Outcome } from './run-on-each.ts';

interface FailedProjectsProps {
  failed: Outcome<Project, unknown>[];
  onRetry?: () => void;
}

/** Each project that an action failed for, and why. */
export function FailedProjects({ failed, onRetry }: FailedProjectsProps) {
  return (
    <Stack gap="sm">
      <ScrollArea.Autosize mah="50vh">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Project</Table.Th>
              <Table.Th>Why</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {failed.map(({ item, error }) => {
              const { title, detail } = explain(error);
              return (
                <Table.Tr key={item.id}>
                  <Table.Td>{item.name}</Table.Td>
                  <Table.Td>
                    <Text size="sm">{title}</Text>
                    <Text size="sm" c="dimmed">
                      {detail}
                    </Text>
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {onRetry !== undefined && (
        <Group justify="flex-end">
          <Button onClick={onRetry}>Try these again</Button>
        </Group>
      )}
    </Stack>
  );
}
