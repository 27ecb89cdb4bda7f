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

/** A form, and after it what it made: shown here and never again, so that no click beside it closes it. */
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
