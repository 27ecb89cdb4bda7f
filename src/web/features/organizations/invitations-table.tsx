import { Button, Stack, Table, Text, Title } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQuery } from '@tanstack/react-query';
import type { Invitation, Workspace } from '#web/api/generated/types.gen.ts';
import { PlainList } from '#web/ui/plain-list.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { holdsWords } from '#web/ui/search-field.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { invitationOptions } from './queries.ts';

interface InvitationsTableProps {
  organizationId: string;
  workspaces: Workspace[];
  search: string | undefined;
}

/** Who was asked to join and has not answered yet; nothing when there is nobody, or nobody that is searched for. */
export function InvitationsTable({ organizationId, workspaces, search }: InvitationsTableProps) {
  const list = useQuery(invitationOptions(organizationId));
  const { revokeInvitation } = useOrganizationMutations();
  if (list.isError) return <ProblemAlert query={list} />;
  if (list.data === undefined || list.data.results.length === 0) return null;
  const names = new Map(workspaces.map(({ id, name }) => [id, name]));
  const rolesOf = ({ isManager, workspaces: grants }: Invitation) =>
    [
      ...(isManager ? ['manager'] : []),
      ...grants.map(({ id, role }) => `${names.get(id) ?? 'another workspace'} (${role})`),
    ].join(', ') || 'none yet';
  const found = list.data.results.filter((invitation) =>
    holdsWords([invitation.email, invitation.invitedBy, rolesOf(invitation)], search),
  );
  if (found.length === 0) return null;
  const ask = ({ id, email }: Invitation) =>
    modals.openConfirmModal({
      title: `Revoke the invitation of ${email}?`,
      children: <Text>The link that was sent stops working at once. You can invite {email} again.</Text>,
      labels: { confirm: 'Take it back', cancel: 'Cancel' },
      confirmProps: { color: 'danger' },
      onConfirm: () => revokeInvitation.mutate({ path: { id: organizationId, invitationId: id } }),
    });
  return (
    <Stack gap="xs" mt="md">
      <Title order={2} size="h3">
        Open invitations
      </Title>
      <PlainList
        caption="Open invitations"
        isPending={false}
        goesOn
        headings={[
          { title: 'E-mail', width: 260 },
          { title: 'Will be' },
          { title: 'Invited by', width: 200 },
          { title: 'Ends', width: 120 },
          { title: 'Actions', width: 130, hidden: true },
        ]}
      >
        {found.map((invitation) => (
          <Table.Tr key={invitation.id}>
            <Table.Td fw={500}>{invitation.email}</Table.Td>
            <Table.Td>{rolesOf(invitation)}</Table.Td>
            <Table.Td>{invitation.invitedBy ?? '–'}</Table.Td>
            <Table.Td>
              <RelativeTime value={invitation.expiresAt} />
            </Table.Td>
            <Table.Td ta="right">
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Revoke the invitation of ${invitation.email}`}
                onClick={() => ask(invitation)}
              >
                Revoke…
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </PlainList>
    </Stack>
  );
}
