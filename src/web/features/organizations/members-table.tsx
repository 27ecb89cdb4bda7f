import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member, Workspace } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { confirmByName } from '#web/ui/confirm-by-name.tsx';
import { PlainList } from '#web/ui/plain-list.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { ReasonedSwitch } from '#web/ui/reasoned-switch.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { holdsWords, SearchField } from '#web/ui/search-field.tsx';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { InvitationsTable } from './invitations-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberMenu } from './member-menu.tsx';
import { MemberRolesDialog } from './member-roles-dialog.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { NothingFound, ShownOf } from './nothing-found.tsx';
import { memberOptions, workspaceOptions } from './queries.ts';

interface MembersTableProps {
  organizationId: string;
  isManager: boolean;
  userEmail: string;
  /** what names, addresses and workspaces are searched for */
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
}

/** `Foundry A (editor), Incoming (viewer)`. */
const rolesInWords = (member: Member, names: Map<string, string>): string =>
  member.workspaces.map(({ id, role }) => `${names.get(id) ?? 'another workspace'} (${role})`).join(', ');

export function MembersTable({ organizationId, isManager, userEmail, search, onSearch }: MembersTableProps) {
  const members = useQuery(memberOptions(organizationId));
  const workspaces = useQuery(workspaceOptions(organizationId)).data?.results ?? [];
  const [adding, { open, close }] = useDisclosure(false);
  const [inviting, { open: openInvite, close: closeInvite }] = useDisclosure(false);
  const [editing, setEditing] = useState<Member | null>(null);
  if (members.isError) return <ProblemAlert query={members} />;
  const names = new Map(workspaces.map(({ id, name }) => [id, name]));
  const found = members.data?.results.filter((member) =>
    holdsWords(
      [
        member.name,
        member.email,
        rolesInWords(member, names),
        member.isManager ? 'manager' : '',
        member.isDisabled ? 'disabled' : '',
      ],
      search,
    ),
  );
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text c="dimmed" className="measure">
          Members see the workspaces that they have a role in: a viewer reads and comments, an editor does all
          else.
        </Text>
        <Group gap="xs" wrap="nowrap" style={{ flex: 'none' }}>
          <SearchField
            label="Search members"
            placeholder="Name, address, role or workspace"
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
      <ShownOf shown={members.data?.results.length} count={members.data?.count} what="members" />
      {found?.length === 0 ? (
        <NothingFound search={search} what="member" onShowAll={() => onSearch(undefined)} />
      ) : (
        <PlainList
          caption="Members"
          isPending={members.isPending}
          headings={[
            { title: 'Name', width: 260 },
            { title: 'Manager', width: 90 },
            { title: 'Workspaces' },
            { title: 'Since', width: 130 },
            { title: 'Actions', width: 230, hidden: true },
          ]}
        >
          {found?.map((member) => (
            <MemberRow
              key={member.id}
              organizationId={organizationId}
              member={member}
              workspaces={workspaces}
              isManager={isManager}
              isSelf={member.email === userEmail}
              onEdit={() => setEditing(member)}
            />
          ))}
        </PlainList>
      )}
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

interface MemberRowProps {
  organizationId: string;
  member: Member;
  workspaces: Workspace[];
  isManager: boolean;
  isSelf: boolean;
  onEdit: () => void;
}

function MemberRow({ organizationId, member, workspaces, isManager, isSelf, onEdit }: MemberRowProps) {
  const { patchMember, removeMember } = useOrganizationMutations();
  const path = { id: organizationId, memberId: member.id };
  const names = new Map(workspaces.map(({ id, name }) => [id, name]));
  const name = member.name || member.email;
  const whyFixed = isSelf
    ? 'You can’t take this from yourself'
    : isManager
      ? null
      : 'Only a manager can change this';
  const askRemove = () =>
    confirmByName({
      title: `Remove ${name}?`,
      name: member.email,
      confirmLabel: 'Remove the member',
      children: (
        <Text>
          {name} loses sight of every project of this organization at once. What they made stays. To undo
          this, they have to be added again with all their roles.
        </Text>
      ),
      onConfirm: () => removeMember.mutate({ path }),
    });
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500}>
          {name}
          {isSelf && (
            <Text span c="dimmed" fw={400}>
              {' '}
              (you)
            </Text>
          )}
          {member.isDisabled && (
            <Text span c="dimmed" fw={400}>
              {' '}
              (disabled)
            </Text>
          )}
        </Text>
        {member.name !== '' && (
          <Text size="xs" c="dimmed">
            {member.email}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <ReasonedSwitch
          aria-label={`${name} is a manager`}
          checked={member.isManager}
          reason={whyFixed}
          onChange={(isManagerNow) => patchMember.mutate({ path, body: { isManager: isManagerNow } })}
        />
      </Table.Td>
      <Table.Td>
        {member.workspaces.length === 0 ? (
          <Text span size="sm" c="dimmed">
            {member.isManager ? 'all, as a manager' : 'none'}
          </Text>
        ) : (
          rolesInWords(member, names)
        )}
      </Table.Td>
      <Table.Td>
        <RelativeTime value={member.createdAt} />
      </Table.Td>
      <Table.Td>
        {isManager && (
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
        )}
      </Table.Td>
    </Table.Tr>
  );
}
