import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Member, Workspace } from '#web/api/generated/types.gen.ts';
import { useOrganizationMutations } from './mutations.ts';
import { asList, type Roles, WorkspaceRoles } from './workspace-roles.tsx';

interface MemberRolesDialogProps {
  organizationId: string;
  member: Member | null;
  workspaces: Workspace[];
  onClose: () => void;
}

function RolesForm({
  organizationId,
  member,
  workspaces,
  onClose,
}: MemberRolesDialogProps & { member: Member }) {
  const { patchMember } = useOrganizationMutations();
  const [roles, setRoles] = useState<Roles>(
    Object.fromEntries(member.workspaces.map(({ id, role }) => [id, role])),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    patchMember.mutate(
      { path: { id: organizationId, memberId: member.id }, body: { workspaces: asList(roles) } },
      { onSuccess: onClose },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <WorkspaceRoles workspaces={workspaces} roles={roles} onChange={setRoles} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={patchMember.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function MemberRolesDialog(props: MemberRolesDialogProps) {
  const { member, onClose } = props;
  return (
    <Modal
      opened={member !== null}
      onClose={onClose}
      title={member === null ? '' : `Roles of ${member.name || member.email}`}
    >
      {member !== null && <RolesForm key={member.id} {...props} member={member} />}
    </Modal>
  );
}
