import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { InvitationInput } from '#contract/shapes/organization.ts';
import { explain } from '#web/api/errors.ts';
import type { CreatedInvitation, Workspace } from '#web/api/generated/types.gen.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { ShownOnce } from '#web/ui/shown-once.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { asList, type Roles, WorkspaceRoles } from './workspace-roles.tsx';

interface InviteDialogProps {
  organizationId: string;
  workspaces: Workspace[];
  opened: boolean;
  onClose: () => void;
}

function InviteForm({
  organizationId,
  workspaces,
  onClose,
  onInvited,
}: Omit<InviteDialogProps, 'opened'> & { onInvited: (invitation: CreatedInvitation) => void }) {
  const { invite } = useOrganizationMutations();
  const [email, setEmail] = useState('');
  const [isManager, setManager] = useState(false);
  const [sendMail, setSendMail] = useState(true);
  const [roles, setRoles] = useState<Roles>({});
  const [isChecked, setChecked] = useState(false);
  const isAddress = InvitationInput.shape.email.safeParse(email.trim()).success;
  const problem = invite.isError ? explain(invite.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!isAddress) return;
    const body = { email: email.trim(), isManager, sendMail, workspaces: asList(roles) };
    invite.mutate({ path: { id: organizationId }, body }, { onSuccess: onInvited });
  };
  return (
    <form onSubmit={submit} noValidate aria-label="Invitation">
      <Stack gap="md">
        {problem !== null && problem.fields['email'] === undefined && <ProblemAlert {...problem} />}
        <TextInput
          label="E-mail"
          type="email"
          required
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          onBlur={() => setChecked(email !== '')}
          error={
            problem?.fields['email'] ??
            (isChecked && !isAddress ? 'An e-mail address, like name@company.com' : undefined)
          }
        />
        <WorkspaceRoles workspaces={workspaces} roles={roles} onChange={setRoles} />
        <Checkbox
          label="Manager: sees all workspaces, invites members, switches modules"
          checked={isManager}
          onChange={(event) => setManager(event.currentTarget.checked)}
        />
        <Checkbox
          label="Email the link"
          description="If mail is set up. The link is also shown here."
          checked={sendMail}
          onChange={(event) => setSendMail(event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton loading={invite.isPending}>Invite</SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}

const mailWords: Record<CreatedInvitation['mail'], string> = {
  sent: 'The link was mailed. You can also pass it on yourself:',
  failed: 'The mail could not be sent; the service’s log says why. Pass the link on yourself:',
  notSetUp: 'No mail was sent. Pass the link on yourself:',
};

/** The link is shown here and never again. */
function Invited({ invitation, onClose }: { invitation: CreatedInvitation; onClose: () => void }) {
  const link = `${window.location.origin}/invitation#${invitation.token}`;
  return (
    <Stack gap="md">
      <Text>
        {mailWords[invitation.mail]} it works once, for 14 days, and <b>is not shown again</b>.
      </Text>
      <ShownOnce title={invitation.email} value={link} testId="invitation-link" />
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}

export function InviteDialog({ opened, onClose, ...rest }: InviteDialogProps) {
  const [invited, setInvited] = useState<CreatedInvitation | null>(null);
  const close = () => {
    onClose();
    setInvited(null);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={invited === null ? 'Invite a member' : `${invited.email} is invited`}
      closeOnClickOutside={invited === null}
    >
      {invited === null ? (
        <InviteForm {...rest} onClose={close} onInvited={setInvited} />
      ) : (
        <Invited invitation={invited} onClose={close} />
      )}
    </Modal>
  );
}
