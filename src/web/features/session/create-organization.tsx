import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { explain } from '../../api/errors.ts';
import { createOrganizationMutation, readMeOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { SubmitButton } from '../../ui/submit-button.tsx';
import { rememberOrganization } from './organizations.ts';

/** Asks for the name of a new organization and opens it. */
export function CreateOrganization({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="New organization">
      <CreateForm onClose={onClose} />
    </Modal>
  );
}

function CreateForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const create = useMutation({
    ...createOrganizationMutation(),
    onSuccess: async ({ id }) => {
      rememberOrganization(id);
      await queryClient.invalidateQueries({ queryKey: readMeOptions().queryKey });
      onClose();
      await navigate({ to: '/projects', search: { organization: id } });
    },
  });
  const problem = create.isError ? explain(create.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') create.mutate({ body: { name: name.trim() } });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="You become its manager and can invite others."
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem === null ? undefined : (problem.fields['name'] ?? problem.detail)}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton loading={create.isPending} disabled={name.trim() === ''}>
            Create organization
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
