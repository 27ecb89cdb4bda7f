import { Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { WorkspaceInput } from '#contract/shapes/organization.ts';
import { createOrganizationMutation, readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { NameForm } from '#web/ui/form.tsx';
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
  const create = useMutation({
    ...createOrganizationMutation(),
    onSuccess: async ({ id }) => {
      rememberOrganization(id);
      await queryClient.invalidateQueries({ queryKey: readMeOptions().queryKey });
      onClose();
      await navigate({ to: '/projects', search: { organization: id } });
    },
  });
  return (
    <NameForm
      description="You become its manager and can invite others."
      schema={WorkspaceInput}
      mutation={create}
      onSubmit={(body) => create.mutate({ body })}
      submitLabel="Create organization"
      onCancel={onClose}
    />
  );
}
