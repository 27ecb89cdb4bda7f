import { Alert, Button, Checkbox, CopyButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { MemberInput } from '#contract/shapes/organization.ts';
import { explain } from '#web/api/errors.ts';
import type { AddedMember, Workspace } from '#web/api/generated/types.gen.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { asList, type Roles, WorkspaceRoles } from './workspace-roles.tsx';

interface AddMemberDialogProps {
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
  const [roles, setRoles] = useState<Roles>({});
  const form = useForm({
    initialValues: { email: '', name: '', isManager: false },
    validateInputOnBlur: true,
    validate: {
      email: (value) =>
        MemberInput.shape.email.safeParse(value.trim()).success
          ? null
          : 'An e-mail address, like name@company.com',
      name: (value) => (value.length > 200 ? 'At most 200 characters' : null),
    },
  });
  const submit = form.onSubmit(({ email, name, isManager }) =>
    addMember.mutate(
      {
        path: { id: organizationId },
        body: { email: email.trim(), name: name.trim() || undefined, isManager, workspaces: asList(roles) },
      },
      { onSuccess: onAdded, onError: (error) => form.setErrors(explain(error).fields) },
    ),
  );
  const problem = addMember.isError ? explain(addMember.error) : null;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {problem !== null && Object.keys(problem.fields).length === 0 && <ProblemAlert {...problem} />}
        <TextInput label="E-mail" type="email" required data-autofocus {...form.getInputProps('email')} />
        <TextInput label="Name" {...form.getInputProps('name')} />
        <WorkspaceRoles workspaces={workspaces} roles={roles} onChange={setRoles} />
        <Checkbox
          label="Manager: sees all workspaces, adds members, switches modules"
          {...form.getInputProps('isManager', { type: 'checkbox' })}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton loading={addMember.isPending}>Add the member</SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}

/** The first password is shown here and never again. */
function Added({ member, onClose }: { member: AddedMember; onClose: () => void }) {
  const { email, initialPassword } = member;
  return (
    <Stack gap="md">
      {initialPassword === null ? (
        <Text>{email} had an account already and signs in with the password that it has.</Text>
      ) : (
        <>
          <Text>
            A new account was made. Pass this first password on; <b>it is not shown again</b>. It can be
            changed on the account page.
          </Text>
          <Alert color="accent" variant="light" title={email}>
            <Group justify="space-between" wrap="nowrap">
              <Text span className="mono" data-testid="initial-password" style={{ overflowWrap: 'anywhere' }}>
                {initialPassword}
              </Text>
              <CopyButton value={initialPassword}>
                {({ copied, copy }) => (
                  <Button
                    variant="default"
                    onClick={copy}
                    leftSection={
                      copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />
                    }
                  >
                    {copied ? 'Copied' : 'Copy'}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </Alert>
        </>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}

export function AddMemberDialog({ opened, onClose, ...rest }: AddMemberDialogProps) {
  const [added, setAdded] = useState<AddedMember | null>(null);
  const close = () => {
    onClose();
    setAdded(null);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={added === null ? 'Add a member' : `${added.name || added.email} is a member`}
      closeOnClickOutside={added === null}
    >
      {added === null ? (
        <AddMemberForm {...rest} onClose={close} onAdded={setAdded} />
      ) : (
        <Added member={added} onClose={close} />
      )}
    </Modal>
  );
}
