import { Button, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Invitation, InvitationPage, Workspace } from '#web/api/generated/types.gen.ts';
import { askFirst } from '#web/ui/ask-first.tsx';
import { actionsColumn, type DataTableColumn, wrapClass } from '#web/ui/data-table.tsx';
import { List } from '#web/ui/list-page.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { holdsWords } from '#web/ui/search-field.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { invitationOptions } from './queries.ts';
import { formatRoles } from './workspace-roles.tsx';

interface InvitationsTableProps {
  organizationId: string;
  workspaces: Workspace[];
  search: string | undefined;
}

/** Pending invitations; empty if there are none, or none match the search. */
export function InvitationsTable({ organizationId, workspaces, search }: InvitationsTableProps) {
  const describeRoles = ({ isManager, workspaces: grants }: Invitation) =>
    [...(isManager ? ['manager'] : []), formatRoles(grants, workspaces)].filter(Boolean).join(', ') ||
    'none yet';
  const list = useQuery({
    ...invitationOptions(organizationId),
    select: (page: InvitationPage) => ({
      ...page,
      results: page.results.filter((each) =>
        holdsWords([each.email, each.invitedBy, describeRoles(each)], search),
      ),
    }),
  });
  const { revokeInvitation } = useOrganizationMutations();
  if (!list.isError && !list.data?.results.length) return null;
  const ask = ({ id, email }: Invitation) =>
    askFirst({
      title: `Revoke the invitation of ${email}?`,
      children: <>The link that was sent stops working at once. You can invite {email} again.</>,
      confirmLabel: 'Revoke',
      onConfirm: () => revokeInvitation.mutate({ path: { id: organizationId, invitationId: id } }),
    });
  const columns: DataTableColumn<Invitation>[] = [
    {
      key: 'email',
      title: 'Email',
      width: 260,
      render: ({ email }) => <b className={wrapClass}>{email}</b>,
    },
    {
      key: 'roles',
      title: 'Will be',
      render: (invitation) => <span className={wrapClass}>{describeRoles(invitation)}</span>,
    },
    { key: 'by', title: 'Invited by', width: 200, room: 'some', render: ({ invitedBy }) => invitedBy ?? '–' },
    {
      key: 'ends',
      title: 'Ends',
      width: 120,
      render: ({ expiresAt }) => <RelativeTime value={expiresAt} />,
    },
    {
      ...actionsColumn,
      width: 130,
      render: (invitation) => (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Revoke the invitation of ${invitation.email}`}
          onClick={() => ask(invitation)}
        >
          Revoke…
        </Button>
      ),
    },
  ];
  return (
    <Stack gap="xs" mt="md">
      <Title order={2} size="h3">
        Open invitations
      </Title>
      <List
        caption="Open invitations"
        list={list}
        columns={columns}
        empty={{ title: 'No open invitations' }}
        isWhole
        goesOn
      />
    </Stack>
  );
}
