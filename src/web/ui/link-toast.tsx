import { Button, CopyButton, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** Shows a toast with a created link, ready to copy. */
export function notifyWithLink(text: string, link: string): void {
  notifications.show({
    autoClose: 15_000,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{text}</Text>
        <CopyButton value={link}>
          {({ copied, copy }) => (
            <Button variant="default" size="compact-sm" flex="none" onClick={copy}>
              {copied ? 'Copied' : 'Copy link'}
            </Button>
          )}
        </CopyButton>
      </Group>
    ),
  });
}
