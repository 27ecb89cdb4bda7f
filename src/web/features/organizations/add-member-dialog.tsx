import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { MemberInput } from '#contract/shapes/organization.ts';
import { explain } from '#web/api/errors.ts';
import type { AddedMember, Workspace } from '#web/api/generated/types.gen.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { ShownOnce } from '#web/ui/shown-once.tsx';
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

/** First password and link are shown here and never again. */
function Added({ member, onClose }: { member: AddedMember; onClose: () => void }) {
  const { email, initialPassword, token } = member;
  return (
    <Stack gap="md">
      <Text>
        Pass one of these on within 14 days; <b>they are not shown again</b>. Who has no account yet signs in
        with the first password. Who has one opens the link.
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
      title={added === null ? 'Add a member' : `${added.name || added.email} can join`}
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
