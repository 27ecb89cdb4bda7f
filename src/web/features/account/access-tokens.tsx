import {
  Alert,
  Button,
  Group,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { AccessTokenInput } from '#contract/shapes/account.ts';
import {
  createAccessTokenMutation,
  listAccessTokensOptions,
  revokeAccessTokenMutation,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { AccessToken } from '#web/api/generated/types.gen.ts';
import { keyMatches } from '#web/api/live-event-queries.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { confirmByName } from '#web/ui/confirm-by-name.tsx';
import { CopyId } from '#web/ui/copy-id.tsx';
import { Form } from '#web/ui/form.tsx';
import { PlainList } from '#web/ui/plain-list.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { holdsWords, SearchField } from '#web/ui/search-field.tsx';

const useRefresh = () => {
  const queryClient = useQueryClient();
  return () =>
    queryClient.invalidateQueries({
      predicate: ({ queryKey }) => keyMatches(queryKey, { operation: 'listAccessTokens' }),
    });
};

interface AccessTokensProps {
  /** what names and scopes are searched for */
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
}

/** as many as the service gives at once */
const shownAtMost = 200;
/** from so many on one looks for a token rather than at them all */
const searchedFrom = 6;

export function AccessTokens({ search, onSearch }: AccessTokensProps) {
  const tokens = useQuery(listAccessTokensOptions({ query: { page_size: shownAtMost } }));
  const [creating, { open, close }] = useDisclosure(false);
  if (tokens.isError) return <ProblemAlert query={tokens} />;
  const all = tokens.data?.results;
  const found = all?.filter(({ name, scope }) => holdsWords([name, scope], search));
  return (
    <Stack gap="sm" align="flex-start">
      {(search !== undefined || (all?.length ?? 0) >= searchedFrom) && (
        <SearchField
          label="Search access tokens"
          placeholder="Name or scope"
          value={search}
          onValue={onSearch}
        />
      )}
      {found?.length === 0 && all?.length !== 0 && (
        <Text c="dimmed" role="status">
          No token matches “{search}”.
        </Text>
      )}
      {tokens.data?.results.length === 0 ? (
        <Text c="dimmed">None yet.</Text>
      ) : (
        <PlainList
          caption="Access tokens"
          isPending={tokens.isPending}
          headings={[
            { title: 'Name' },
            { title: 'May', width: 90 },
            { title: 'Last used', width: 120 },
            { title: 'Ends', width: 120 },
            { title: 'Actions', width: 90, hidden: true },
          ]}
        >
          {found?.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </PlainList>
      )}
      <ActionButton variant="default" leftSection={<IconKey size={14} aria-hidden />} onClick={open}>
        New access token
      </ActionButton>
      <Modal opened={creating} onClose={close} title="New access token" closeOnClickOutside={false}>
        <TokenForm onClose={close} />
      </Modal>
    </Stack>
  );
}

function TokenRow({ token }: { token: AccessToken }) {
  const refresh = useRefresh();
  const revoke = useMutation({ ...revokeAccessTokenMutation(), onSettled: refresh });
  const ask = () =>
    confirmByName({
      title: `Revoke “${token.name}”?`,
      name: token.name,
      confirmLabel: 'Revoke the token',
      children: <Text>Programs that use it are refused from now on. This can't be undone.</Text>,
      onConfirm: () => revoke.mutate({ path: { id: token.id } }),
    });
  return (
    <Table.Tr>
      <Table.Td fw={500}>{token.name}</Table.Td>
      <Table.Td>{token.scope}</Table.Td>
      <Table.Td>{token.lastUsedAt === null ? 'never' : <RelativeTime value={token.lastUsedAt} />}</Table.Td>
      <Table.Td>{token.expiresAt === null ? 'never' : <RelativeTime value={token.expiresAt} />}</Table.Td>
      <Table.Td ta="right">
        <Button
          variant="default"
          size="compact-sm"
          onClick={ask}
          loading={revoke.isPending}
          aria-label={`Revoke ${token.name}`}
        >
          Revoke…
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
];
const dayMs = 86_400_000;

function TokenForm({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh();
  const create = useMutation({ ...createAccessTokenMutation(), onSettled: refresh });
  if (create.data !== undefined)
    return (
      <Stack gap="md">
        <Text>
          Copy the token now; <b>it is not shown again</b>.
        </Text>
        <Alert color="accent" variant="light">
          <CopyId value={create.data.token} what="token" />
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  return (
    <Form
      initial={{ name: '', scope: 'read' as 'read' | 'write', days: '90' as string | null }}
      schema={AccessTokenInput}
      toInput={({ days, ...rest }) => ({
        ...rest,
        expiresAt: days === null ? undefined : new Date(Date.now() + Number(days) * dayMs).toISOString(),
      })}
      mutation={create}
      onSubmit={(body) => create.mutate({ body })}
      submitLabel="Create token"
      onCancel={onClose}
    >
      {(form) => (
        <>
          <TextInput
            label="Name"
            placeholder="What it is for"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Stack gap={4}>
            <Text size="sm" fw={500} id="scope-label">
              It may
            </Text>
            <SegmentedControl
              aria-labelledby="scope-label"
              data={[
                { value: 'read', label: 'Read' },
                { value: 'write', label: 'Read and write' },
              ]}
              {...form.getInputProps('scope')}
            />
          </Stack>
          <Select
            label="Ends after"
            data={lifetimes}
            placeholder="never"
            clearable
            {...form.getInputProps('days')}
          />
        </>
      )}
    </Form>
  );
}
