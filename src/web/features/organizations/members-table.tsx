import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member, MemberPage, Workspace } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { confirmByName } from '#web/ui/confirm-by-name.tsx';
import { createdColumn } from '#web/ui/created-column.tsx';
import { actionsColumn, type DataTableColumn, wrapClass } from '#web/ui/data-table.tsx';
import { List } from '#web/ui/list-page.tsx';
import { ReasonedSwitch } from '#web/ui/reasoned-switch.tsx';
import { holdsWords, SearchField } from '#web/ui/search-field.tsx';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { InvitationsTable } from './invitations-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberMenu } from './member-menu.tsx';
import { MemberRolesDialog } from './member-roles-dialog.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { memberOptions, workspaceOptions } from './queries.ts';
import { formatRoles } from './workspace-roles.tsx';
import type { WorkspacesTableProps } from './workspaces-table.tsx';

interface MembersTableProps extends WorkspacesTableProps {
  userEmail: string;
}

export function MembersTable({ organizationId, isManager, userEmail, search, onSearch }: MembersTableProps) {
  const workspaces = useQuery(workspaceOptions(organizationId)).data?.results ?? [];
  const members = useQuery({
    ...memberOptions(organizationId),
    select: (page: MemberPage) => ({
      ...page,
      results: page.results.filter(({ name, email, isManager, isDisabled, workspaces: grants }) =>
        holdsWords(
          [
            name,
            email,
            formatRoles(grants, workspaces),
            isManager ? 'manager' : '',
            isDisabled ? 'disabled' : '',
          ],
          search,
        ),
      ),
    }),
  });
  const [adding, { open, close }] = useDisclosure(false);
  const [inviting, { open: openInvite, close: closeInvite }] = useDisclosure(false);
  const [editing, setEditing] = useState<Member | null>(null);
  const columns = memberColumns({ organizationId, workspaces, isManager, userEmail, onEdit: setEditing });
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" className="measure" flex="1 1 240px">
          Members see the workspaces that they have a role in: viewers read and comment, editors do everything
          else.
        </Text>
        <Group gap="xs">
          <SearchField
            label="Search members"
            placeholder="Name, email, role or workspace"
            value={search}
            onValue={onSearch}
          />
          <ActionButton
            variant="default"
            reason={isManager ? null : 'Only a manager can add members'}
            onClick={open}
          >
            Add with a first password
          </ActionButton>
          <ActionButton
            leftSection={<IconUserPlus size={14} aria-hidden />}
            reason={isManager ? null : 'Only a manager can invite'}
            onClick={openInvite}
          >
            Invite
          </ActionButton>
        </Group>
      </Group>
      <List
        caption="Members"
        list={members}
        search={{ search }}
        onSearch={({ search: words }) => onSearch(words)}
        columns={columns}
        noMatch={`No member matches “${search}”`}
        empty={{ title: 'No members' }}
        isWhole
      />
      {isManager && (
        <InvitationsTable organizationId={organizationId} workspaces={workspaces} search={search} />
      )}
      <InviteDialog
        organizationId={organizationId}
        workspaces={workspaces}
        opened={inviting}
        onClose={closeInvite}
      />
      <AddMemberDialog
        organizationId={organizationId}
        workspaces={workspaces}
        opened={adding}
        onClose={close}
      />
      <MemberRolesDialog
        organizationId={organizationId}
        member={editing}
        workspaces={workspaces}
        onClose={() => setEditing(null)}
      />
    </Stack>
  );
}

interface MemberColumnsInput extends Omit<MembersTableProps, 'search' | 'onSearch'> {
  workspaces: Workspace[];
  onEdit: (member: Member) => void;
}

const findName = ({ name, email }: Member) => name || email;
const dimmed = (text: string) => (
  <Text span inherit c="dimmed" fw={400}>
    {text}
  </Text>
);

function memberColumns(input: MemberColumnsInput): DataTableColumn<Member>[] {
  const { organizationId, workspaces, isManager, userEmail, onEdit } = input;
  const isSelf = ({ email }: Member) => email === userEmail;
  return [
    {
      key: 'name',
      title: 'Name',
      width: 220,
      render: (member) => (
        <>
          <Text size="sm" fw={500} truncate>
            {findName(member)}
            {isSelf(member) && dimmed(' (you)')}
            {member.isDisabled && dimmed(' (disabled)')}
          </Text>
          {member.name !== '' && (
            <Text size="xs" c="dimmed" truncate>
              {member.email}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'manager',
      title: 'Manager',
      width: 90,
      render: (member) => (
        <ManagerSwitch
          organizationId={organizationId}
          member={member}
          reason={
            isSelf(member)
              ? 'You can’t take this from yourself'
              : isManager
                ? null
                : 'Only a manager can change this'
          }
        />
      ),
    },
    {
      key: 'workspaces',
      title: 'Workspaces',
      render: (member) =>
        member.workspaces.length === 0 ? (
          dimmed(member.isManager ? 'all, as a manager' : 'none')
        ) : (
          <span className={wrapClass}>{formatRoles(member.workspaces, workspaces)}</span>
        ),
    },
    { ...createdColumn, title: 'Since', width: 130, room: 'some' },
    ...(isManager
      ? [
          {
            ...actionsColumn,
            width: 250,
            render: (member: Member) => (
              <MemberActions
                organizationId={organizationId}
                member={member}
                isSelf={isSelf(member)}
                onEdit={() => onEdit(member)}
              />
            ),
          },
        ]
      : []),
  ];
}

interface MemberProps {
  organizationId: string;
  member: Member;
}

function ManagerSwitch({ organizationId, member, reason }: MemberProps & { reason: string | null }) {
  const { patchMember } = useOrganizationMutations();
  const path = { id: organizationId, memberId: member.id };
  return (
    <ReasonedSwitch
      aria-label={`${findName(member)} is a manager`}
      checked={member.isManager}
      reason={reason}
      onChange={(isManager) => patchMember.mutate({ path, body: { isManager } })}
    />
  );
}

function MemberActions(props: MemberProps & { isSelf: boolean; onEdit: () => void }) {
  const { organizationId, member, isSelf, onEdit } = props;
  const { removeMember } = useOrganizationMutations();
  const name = findName(member);
  const askRemove = () =>
    confirmByName({
      title: `Remove ${name}?`,
      name: member.email,
      confirmLabel: 'Remove the member',
      children: (
        <Text>
          {name} loses access to every project of this organization at once. Their work stays. To undo this,
          add them again with all their roles.
        </Text>
      ),
      onConfirm: () => removeMember.mutate({ path: { id: organizationId, memberId: member.id } }),
    });
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button variant="default" size="compact-sm" onClick={onEdit} aria-label={`Roles of ${name}`}>
        Roles…
      </Button>
      <ActionButton
        variant="default"
        size="compact-sm"
        aria-label={`Remove ${name}`}
        reason={isSelf ? 'You can’t remove yourself' : null}
        loading={removeMember.isPending}
        onClick={askRemove}
      >
        Remove…
      </ActionButton>
      <MemberMenu organizationId={organizationId} member={member} isSelf={isSelf} />
    </Group>
  );
}
