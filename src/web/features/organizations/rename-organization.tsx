import { Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil } from '@tabler/icons-react';
import { WorkspaceInput } from '#contract/shapes/organization.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { NameForm } from '#web/ui/form.tsx';
import { useOrganizationMutations } from './mutations.ts';

interface RenameOrganizationProps {
  organizationId: string;
  name: string;
  isManager: boolean;
}

export function RenameOrganization({ organizationId, name, isManager }: RenameOrganizationProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const { renameOrganization } = useOrganizationMutations();
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
        <NameForm
          name={name}
          schema={WorkspaceInput}
          mutation={renameOrganization}
          onSubmit={(body) =>
            renameOrganization.mutate({ path: { id: organizationId }, body }, { onSuccess: close })
          }
          submitLabel="Rename"
          onCancel={close}
        />
      </Modal>
    </>
  );
}
