import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  endOtherSessionsMutation,
  endSessionMutation,
  listSessionsOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { OpenSession } from '#web/api/generated/types.gen.ts';
import { useRefresh } from '#web/api/refresh.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { createdColumn } from '#web/ui/created-column.tsx';
import { actionsColumn, type DataTableColumn } from '#web/ui/data-table.tsx';
import { List, wholeAtMost } from '#web/ui/list-page.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { nameProgram } from './name-program.ts';

/** The user's sessions, each with a button that ends it. */
export function SessionsList() {
  const sessions = useQuery(listSessionsOptions({ query: { page_size: wholeAtMost } }));
  const endOthers = useMutation({ ...endOtherSessionsMutation(), onSettled: useRefresh('listSessions') });
  return (
    <Stack gap="sm">
      <ProblemAlert error={endOthers.error} />
      <List
        caption="Sessions"
        list={sessions}
        columns={columns}
        empty={{ title: 'No sessions', order: 3 }}
        isWhole
        isNarrow
        goesOn
      />
      {(sessions.data?.count ?? 0) > 1 && (
        <ActionButton
          variant="default"
          onClick={() => endOthers.mutate({})}
          loading={endOthers.isPending}
          style={{ alignSelf: 'flex-start' }}
        >
          Sign out other sessions
        </ActionButton>
      )}
    </Stack>
  );
}

function EndSession({ session }: { session: OpenSession }) {
  const end = useMutation({ ...endSessionMutation(), onSettled: useRefresh('listSessions') });
  const { id, userAgent, address, isCurrent } = session;
  if (isCurrent)
    return (
      <Text span inherit c="dimmed">
        This session
      </Text>
    );
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`End the session of ${nameProgram(userAgent)} from ${address ?? 'an unknown address'}`}
      onClick={() => end.mutate({ path: { id } })}
      loading={end.isPending}
    >
      End
    </Button>
  );
}

const columns: DataTableColumn<OpenSession>[] = [
  {
    key: 'program',
    title: 'Browser or program',
    render: ({ userAgent }) => <span title={userAgent ?? undefined}>{nameProgram(userAgent)}</span>,
  },
  { key: 'address', title: 'Address', width: 140, render: ({ address }) => address ?? 'unknown' },
  {
    key: 'used',
    title: 'Last used',
    width: 120,
    render: ({ lastUsedAt }) => (lastUsedAt === null ? 'not yet' : <RelativeTime value={lastUsedAt} />),
  },
  { ...createdColumn, title: 'Signed in' },
  { ...actionsColumn, width: 120, render: (session) => <EndSession session={session} /> },
];
