import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** Shows what was done, with Undo for ten seconds. */
export function notifyWithUndo(text: string, undo: () => void): void {
  const id = notifications.show({
    autoClose: 10_000,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{text}</Text>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
}
