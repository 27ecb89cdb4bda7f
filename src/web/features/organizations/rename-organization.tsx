import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { explain } from '#web/api/errors.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';
import { useOrganizationMutations } from './mutations.ts';

interface RenameOrganizationProps {
  organizationId: string;
  name: string;
  isManager: boolean;
}

export function RenameOrganization({ organizationId, name, isManager }: RenameOrganizationProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <ActionButton
        variant="default"
        leftSection={<IconPencil size={14} aria-hidden />}
        aria-label="Rename the organization"
        reason={isManager ? null : 'Only a manager can rename the organization'}
        onClick={open}
      >
        Rename…
      </ActionButton>
      <Modal opened={opened} onClose={close} title="Rename the organization">
        <NameForm organizationId={organizationId} name={name} onClose={close} />
      </Modal>
    </>
  );
}

function NameForm({
  organizationId,
  name,
  onClose,
}: {
  organizationId: string;
  name: string;
  onClose: () => void;
}) {
  const { renameOrganization } = useOrganizationMutations();
  const [text, setText] = useState(name);
  const problem = renameOrganization.isError ? explain(renameOrganization.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    renameOrganization.mutate(
      { path: { id: organizationId }, body: { name: text.trim() } },
      { onSuccess: onClose },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem === null ? undefined : (problem.fields['name'] ?? problem.detail)}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton loading={renameOrganization.isPending} disabled={text.trim() === ''}>
            Rename
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
