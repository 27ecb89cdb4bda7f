import { Checkbox, Text, TextInput } from '@mantine/core';
import { MemberInput } from '#contract/shapes/organization.ts';
import type { AddedMember, Workspace } from '#web/api/generated/types.gen.ts';
import { Form } from '#web/ui/form.tsx';
import { ShownOnce } from '#web/ui/shown-once.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { ShownOnceDialog } from './shown-once-dialog.tsx';
import { asList, type Roles, WorkspaceRoles } from './workspace-roles.tsx';

export interface AddMemberDialogProps {
  organizationId: string;
  workspaces: Workspace[];
  opened: boolean;
  onClose: () => void;
}

function AddMemberForm({
  organizationId,
  workspaces,
  onClose,
  onAdded,
}: Omit<AddMemberDialogProps, 'opened'> & { onAdded: (member: AddedMember) => void }) {
  const { addMember } = useOrganizationMutations();
  return (
    <Form
      initial={{ email: '', name: '', isManager: false, roles: {} as Roles }}
      schema={MemberInput}
      toInput={({ roles, name, email, ...rest }) => ({
        ...rest,
        email: email.trim(),
        name: name.trim() || undefined,
        workspaces: asList(roles),
      })}
      mutation={addMember}
      onSubmit={(body) => addMember.mutate({ path: { id: organizationId }, body }, { onSuccess: onAdded })}
      submitLabel="Add the member"
      onCancel={onClose}
    >
      {(form) => (
        <>
          <TextInput label="Email" type="email" required data-autofocus {...form.getInputProps('email')} />
          <TextInput label="Name" {...form.getInputProps('name')} />
          <WorkspaceRoles
            workspaces={workspaces}
            roles={form.values.roles}
            onChange={(roles) => form.setFieldValue('roles', roles)}
          />
          <Checkbox
            label="Manager: sees all workspaces, adds members, switches modules"
            {...form.getInputProps('isManager', { type: 'checkbox' })}
          />
        </>
      )}
    </Form>
  );
}

function Added({ email, initialPassword, token }: AddedMember) {
  return (
    <>
      <Text>
        Send one of these to the new member within 14 days; <b>they are not shown again</b>. People without an
        account sign in with the first password; people who have one open the link.
      </Text>
      <ShownOnce
        title={`First password of ${email}`}
        value={initialPassword ?? ''}
        testId="initial-password"
      />
      <ShownOnce
        title="Link"
        value={`${window.location.origin}/invitation#${token}`}
        testId="invitation-link"
      />
    </>
  );
}

export function AddMemberDialog({ opened, onClose, ...rest }: AddMemberDialogProps) {
  return (
    <ShownOnceDialog<AddedMember>
      {...{ opened, onClose }}
      title={(added) => (added === null ? 'Add a member' : `${added.name || added.email} can join`)}
      form={(close, onAdded) => <AddMemberForm {...rest} onClose={close} onAdded={onAdded} />}
      result={(added) => <Added {...added} />}
    />
  );
}
