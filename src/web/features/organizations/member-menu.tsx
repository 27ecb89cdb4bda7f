import { ActionIcon, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { MemberPatch } from '#contract/shapes/organization.ts';
import type { Member, MemberPasswordReset } from '#web/api/generated/types.gen.ts';
import { ActionMenu, type MenuAction } from '#web/ui/action-menu.tsx';
import { confirmByName } from '#web/ui/confirm-by-name.tsx';
import { Form } from '#web/ui/form.tsx';
import { ShownOnce } from '#web/ui/shown-once.tsx';
import { useOrganizationMutations } from './mutations.ts';

interface MemberMenuProps {
  organizationId: string;
  member: Member;
  isSelf: boolean;
}

/** A manager's actions on a member's name and account; a disabled action states the reason. */
export function MemberMenu({ organizationId, member, isSelf }: MemberMenuProps) {
  const { patchMember, resetPassword, deleteAccount } = useOrganizationMutations();
  const [renaming, { open: openRename, close: closeRename }] = useDisclosure(false);
  const [link, setLink] = useState<MemberPasswordReset | null>(null);
  const path = { id: organizationId, memberId: member.id };
  const name = member.name || member.email;
  const reason = isSelf
    ? 'Change your own account on the account page'
    : member.isManagedHere
      ? null
      : 'The account belongs to another organization too';
  const askDisable = () =>
    confirmByName({
      title: `Disable the account of ${name}?`,
      name: member.email,
      confirmLabel: 'Disable the account',
      children: (
        <Text>
          {name} is signed out everywhere and can't sign in. Access tokens are revoked. You can enable the
          account again.
        </Text>
      ),
      onConfirm: () => patchMember.mutate({ path, body: { isDisabled: true } }),
    });
  const askDelete = () =>
    confirmByName({
      title: `Delete the account of ${name}?`,
      name: member.email,
      confirmLabel: 'Delete the account',
      children: <Text>Projects and comments stay. This can't be undone.</Text>,
      onConfirm: () =>
        deleteAccount.mutate(
          { path },
          { onSuccess: () => notifications.show({ message: 'Account deleted' }) },
        ),
    });
  const items: MenuAction[] = [
    { label: 'Rename…', run: openRename },
    {
      label: 'Reset password…',
      reason: reason ?? (member.isDisabled ? 'Enable the account first' : null),
      run: () => resetPassword.mutate({ path }, { onSuccess: setLink }),
    },
    member.isDisabled
      ? {
          label: 'Enable account',
          reason,
          run: () => patchMember.mutate({ path, body: { isDisabled: false } }),
        }
      : { label: 'Disable account…', reason, run: askDisable },
    { label: 'Delete account…', reason, run: askDelete, color: 'var(--sw-danger)' },
  ];
  return (
    <>
      <ActionMenu actions={items} width={270}>
        <ActionIcon variant="default" size="md" aria-label={`More actions for ${name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </ActionMenu>
      <Modal opened={renaming} onClose={closeRename} title={`Rename ${name}`}>
        <Form
          initial={{ name: member.name }}
          schema={MemberPatch}
          toInput={({ name }) => ({ name: name.trim() || null })}
          mutation={patchMember}
          onSubmit={(body) => patchMember.mutate({ path, body }, { onSuccess: closeRename })}
          submitLabel="Rename"
          onCancel={closeRename}
        >
          {(form) => (
            <TextInput
              label="Name in this organization"
              description="Leave empty to use the account's name."
              data-autofocus
              {...form.getInputProps('name')}
            />
          )}
        </Form>
      </Modal>
      <Modal
        opened={link !== null}
        onClose={() => setLink(null)}
        title="Password reset link"
        closeOnClickOutside={false}
      >
        {link !== null && <ResetLink email={member.email} link={link} onClose={() => setLink(null)} />}
      </Modal>
    </>
  );
}

const mailWords: Record<MemberPasswordReset['mail'], string> = {
  sent: 'The link was emailed. You can also pass it on yourself.',
  failed: 'The email could not be sent. Pass the link on yourself.',
  notSetUp: 'Pass this link on to the member.',
};

function ResetLink({
  email,
  link,
  onClose,
}: {
  email: string;
  link: MemberPasswordReset;
  onClose: () => void;
}) {
  return (
    <Stack gap="md">
      <Text>
        {mailWords[link.mail]} It works once, for a day, and <b>is not shown again</b>. The old password works
        until then.
      </Text>
      <ShownOnce
        title={email}
        value={`${window.location.origin}/reset-password#${link.token}`}
        testId="reset-link"
      />
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
