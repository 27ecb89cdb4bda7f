import { Button, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  endOtherSessionsMutation,
  endSessionMutation,
  listSessionsOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { OpenSession } from '#web/api/generated/types.gen.ts';
import { keyMatches } from '#web/api/live-event-queries.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { PlainList } from '#web/ui/plain-list.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { nameProgram } from './name-program.ts';

const shownAtMost = 200;

const useRefresh = () => {
  const queryClient = useQueryClient();
  return () =>
    queryClient.invalidateQueries({
      predicate: ({ queryKey }) => keyMatches(queryKey, { operation: 'listSessions' }),
    });
};

/** Where the user is signed in, each of which can be ended. */
export function SessionsList() {
  const sessions = useQuery(listSessionsOptions({ query: { page_size: shownAtMost } }));
  const refresh = useRefresh();
  const endOthers = useMutation({ ...endOtherSessionsMutation(), onSettled: refresh });
  if (sessions.isError) return <ProblemAlert query={sessions} />;
  const all = sessions.data?.results;
  return (
    <Stack gap="sm" align="flex-start">
      <ProblemAlert error={endOthers.error} />
      <PlainList
        caption="Sessions"
        isPending={sessions.isPending}
        goesOn
        headings={[
          { title: 'Browser or program' },
          { title: 'Address', width: 140 },
          { title: 'Last used', width: 120 },
          { title: 'Signed in', width: 120 },
          { title: 'Actions', width: 110, hidden: true },
        ]}
      >
        {all?.map((session) => (
          <SessionRow key={session.id} session={session} onEnded={refresh} />
        ))}
      </PlainList>
      {(all?.length ?? 0) > 1 && (
        <ActionButton variant="default" onClick={() => endOthers.mutate({})} loading={endOthers.isPending}>
          Sign out other sessions
        </ActionButton>
      )}
    </Stack>
  );
}

function SessionRow({ session, onEnded }: { session: OpenSession; onEnded: () => void }) {
  const end = useMutation({ ...endSessionMutation(), onSettled: onEnded });
  const name = nameProgram(session.userAgent);
  return (
    <Table.Tr>
      <Table.Td title={session.userAgent ?? undefined}>{name}</Table.Td>
      <Table.Td>{session.address ?? 'unknown'}</Table.Td>
      <Table.Td>
        {session.lastUsedAt === null ? 'not yet' : <RelativeTime value={session.lastUsedAt} />}
      </Table.Td>
      <Table.Td>
        <RelativeTime value={session.createdAt} />
      </Table.Td>
      <Table.Td ta="right">
        {session.isCurrent ? (
          <Text size="sm" c="dimmed">
            This session
          </Text>
        ) : (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`End the session of ${name} from ${session.address ?? 'an unknown address'}`}
            onClick={() => end.mutate({ path: { id: session.id } })}
            loading={end.isPending}
          >
            End
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
