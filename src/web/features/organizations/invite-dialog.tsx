import { Alert, Checkbox, Text, TextInput } from '@mantine/core';
import { InvitationInput } from '#contract/shapes/organization.ts';
import type { CreatedInvitation } from '#web/api/generated/types.gen.ts';
import { Form } from '#web/ui/form.tsx';
import { ShownOnce } from '#web/ui/shown-once.tsx';
import type { AddMemberDialogProps } from './add-member-dialog.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { ShownOnceDialog } from './shown-once-dialog.tsx';
import { asList, type Roles, WorkspaceRoles } from './workspace-roles.tsx';

function InviteForm({
  organizationId,
  workspaces,
  onClose,
  onInvited,
}: Omit<AddMemberDialogProps, 'opened'> & { onInvited: (invitation: CreatedInvitation) => void }) {
  const { invite } = useOrganizationMutations();
  return (
    <Form
      label="Invitation"
      initial={{ email: '', isManager: false, sendMail: true, roles: {} as Roles }}
      schema={InvitationInput}
      toInput={({ roles, email, ...rest }) => ({ ...rest, email: email.trim(), workspaces: asList(roles) })}
      mutation={invite}
      onSubmit={(body) => invite.mutate({ path: { id: organizationId }, body }, { onSuccess: onInvited })}
      submitLabel="Invite"
      onCancel={onClose}
    >
      {(form) => (
        <>
          <TextInput label="Email" type="email" required data-autofocus {...form.getInputProps('email')} />
          <WorkspaceRoles
            workspaces={workspaces}
            roles={form.values.roles}
            onChange={(roles) => form.setFieldValue('roles', roles)}
          />
          {Object.keys(form.values.roles).length === 0 && !form.values.isManager && (
            <Alert color="yellow" variant="light" role="status">
              Without a workspace the new member will see no project. Choose at least one above, or add them
              later.
            </Alert>
          )}
          <Checkbox
            label="Manager: sees all workspaces, invites members, switches modules"
            {...form.getInputProps('isManager', { type: 'checkbox' })}
          />
          <Checkbox
            label="Email the link"
            description="If mail is set up. The link is also shown here."
            {...form.getInputProps('sendMail', { type: 'checkbox' })}
          />
        </>
      )}
    </Form>
  );
}

const mailWords: Record<CreatedInvitation['mail'], string> = {
  sent: 'The link was mailed. You can also pass it on yourself:',
  failed: 'The mail could not be sent; the service’s log says why. Pass the link on yourself:',
  notSetUp: 'No mail was sent. Pass the link on yourself:',
};

function Invited({ mail, email, token }: CreatedInvitation) {
  return (
    <>
      <Text>
        {mailWords[mail]} it works once, for 14 days, and <b>is not shown again</b>.
      </Text>
      <ShownOnce
        title={email}
        value={`${window.location.origin}/invitation#${token}`}
        testId="invitation-link"
      />
    </>
  );
}

export function InviteDialog({ opened, onClose, ...rest }: AddMemberDialogProps) {
  return (
    <ShownOnceDialog<CreatedInvitation>
      {...{ opened, onClose }}
      title={(invited) => (invited === null ? 'Invite a member' : `${invited.email} is invited`)}
      form={(close, onInvited) => <InviteForm {...rest} onClose={close} onInvited={onInvited} />}
      result={(invited) => <Invited {...invited} />}
    />
  );
}
