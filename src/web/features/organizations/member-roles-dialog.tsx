import { Modal } from '@mantine/core';
import { MemberPatch } from '#contract/shapes/organization.ts';
import type { Member } from '#web/api/generated/types.gen.ts';
import { Form } from '#web/ui/form.tsx';
import type { AddMemberDialogProps } from './add-member-dialog.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { asList, type Roles, WorkspaceRoles } from './workspace-roles.tsx';

interface MemberRolesDialogProps extends Omit<AddMemberDialogProps, 'opened'> {
  member: Member | null;
}

function RolesForm({
  organizationId,
  member,
  workspaces,
  onClose,
}: MemberRolesDialogProps & { member: Member }) {
  const { patchMember } = useOrganizationMutations();
  return (
    <Form
      initial={{ roles: Object.fromEntries(member.workspaces.map(({ id, role }) => [id, role])) as Roles }}
      schema={MemberPatch}
      toInput={({ roles }) => ({ workspaces: asList(roles) })}
      mutation={patchMember}
      onSubmit={(body) =>
        patchMember.mutate(
          { path: { id: organizationId, memberId: member.id }, body },
          { onSuccess: onClose },
        )
      }
      submitLabel="Save"
      onCancel={onClose}
    >
      {({ values, setFieldValue }) => (
        <WorkspaceRoles
          workspaces={workspaces}
          roles={values.roles}
          onChange={(roles) => setFieldValue('roles', roles)}
        />
      )}
    </Form>
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
