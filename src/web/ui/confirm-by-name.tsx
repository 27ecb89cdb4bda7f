import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type FormEvent, type ReactNode, useState } from 'react';

interface ConfirmByNameOptions {
  title: string;
  /** what will happen and that it can't be undone */
  children: ReactNode;
  /** what has to be typed */
  name: string;
  confirmLabel: string;
  onConfirm: () => void;
}

function Body({
  children,
  name,
  confirmLabel,
  onConfirm,
  close,
}: ConfirmByNameOptions & { close: () => void }) {
  const [typed, setTyped] = useState('');
  const matches = typed.trim() === name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!matches) return;
    close();
    onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text component="div">{children}</Text>
        <TextInput
          label={`Type “${name}” to go on`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" color="danger" disabled={!matches}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Asks by name before something that can't be undone. */
export function confirmByName(options: ConfirmByNameOptions): void {
  const id = modals.open({
    title: options.title,
    children: <Body {...options} close={() => modals.close(id)} />,
  });
}
