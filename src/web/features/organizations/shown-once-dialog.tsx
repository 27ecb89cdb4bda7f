import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface ShownOnceDialogProps<Made> {
  opened: boolean;
  onClose: () => void;
  /** @param made null = the form is shown */
  title: (made: Made | null) => string;
  form: (onClose: () => void, onMade: (made: Made) => void) => ReactNode;
  result: (made: Made) => ReactNode;
}

/**
 * A form, followed by the value it created. The value is shown only once, so clicking outside does not close the
 * dialog.
 */
export function ShownOnceDialog<Made>({ opened, onClose, title, form, result }: ShownOnceDialogProps<Made>) {
  const [made, setMade] = useState<Made | null>(null);
  const close = () => {
    onClose();
    setMade(null);
  };
  return (
    <Modal opened={opened} onClose={close} title={title(made)} closeOnClickOutside={made === null}>
      {made === null ? (
        form(close, setMade)
      ) : (
        <Stack gap="md">
          {result(made)}
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
