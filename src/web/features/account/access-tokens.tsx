import { Alert, Button, Group, Modal, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { AccessTokenInput } from '#contract/shapes/account.ts';
import {
  createAccessTokenMutation,
  listAccessTokensOptions,
  revokeAccessTokenMutation,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { AccessToken, AccessTokenPage } from '#web/api/generated/types.gen.ts';
import { useRefresh } from '#web/api/refresh.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { confirmByName } from '#web/ui/confirm-by-name.tsx';
import { CopyId } from '#web/ui/copy-id.tsx';
import { actionsColumn, type DataTableColumn } from '#web/ui/data-table.tsx';
import { Form } from '#web/ui/form.tsx';
import { List, wholeAtMost } from '#web/ui/list-page.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { holdsWords, SearchField } from '#web/ui/search-field.tsx';

interface AccessTokensProps {
  /** text searched for in names and scopes */
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
}

/** Number of tokens from which the search field is shown. */
const searchedFrom = 6;

export function AccessTokens({ search, onSearch }: AccessTokensProps) {
  const tokens = useQuery({
    ...listAccessTokensOptions({ query: { page_size: wholeAtMost } }),
    select: (page: AccessTokenPage) => ({
      ...page,
      results: page.results.filter(({ name, scope }) => holdsWords([name, scope], search)),
    }),
  });
  const [creating, { open, close }] = useDisclosure(false);
  return (
    <Stack gap="sm">
      {(search !== undefined || (tokens.data?.count ?? 0) >= searchedFrom) && (
        <SearchField
          label="Search access tokens"
          placeholder="Name or scope"
          value={search}
          onValue={onSearch}
        />
      )}
      <List
        caption="Access tokens"
        list={tokens}
        search={{ token: search }}
        onSearch={({ token }) => onSearch(token)}
        columns={columns}
        noMatch={`No token matches “${search}”`}
        empty={{ title: 'No access tokens yet', order: 3 }}
        isWhole
        isNarrow
      />
      <ActionButton
        variant="default"
        leftSection={<IconKey size={14} aria-hidden />}
        onClick={open}
        style={{ alignSelf: 'flex-start' }}
      >
        New access token
      </ActionButton>
      <Modal opened={creating} onClose={close} title="New access token" closeOnClickOutside={false}>
        <TokenForm onClose={close} />
      </Modal>
    </Stack>
  );
}

function RevokeToken({ token }: { token: AccessToken }) {
  const revoke = useMutation({ ...revokeAccessTokenMutation(), onSettled: useRefresh('listAccessTokens') });
  const ask = () =>
    confirmByName({
      title: `Revoke “${token.name}”?`,
      name: token.name,
      confirmLabel: 'Revoke the token',
      children: <Text>Programs that use it lose access at once. This can't be undone.</Text>,
      onConfirm: () => revoke.mutate({ path: { id: token.id } }),
    });
  return (
    <Button
      variant="default"
      size="compact-sm"
      onClick={ask}
      loading={revoke.isPending}
      aria-label={`Revoke ${token.name}`}
    >
      Revoke…
    </Button>
  );
}

const never = (time: string | null) => (time === null ? 'never' : <RelativeTime value={time} />);
const columns: DataTableColumn<AccessToken>[] = [
  { key: 'name', title: 'Name', render: ({ name }) => <b>{name}</b> },
  { key: 'scope', title: 'May', width: 90, render: ({ scope }) => scope },
  { key: 'used', title: 'Last used', width: 120, render: ({ lastUsedAt }) => never(lastUsedAt) },
  { key: 'ends', title: 'Ends', width: 120, render: ({ expiresAt }) => never(expiresAt) },
  { ...actionsColumn, width: 110, render: (token) => <RevokeToken token={token} /> },
];

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
];
const dayMs = 86_400_000;

function TokenForm({ onClose }: { onClose: () => void }) {
  const create = useMutation({ ...createAccessTokenMutation(), onSettled: useRefresh('listAccessTokens') });
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
          <TextInput label="Name" placeholder="Purpose" data-autofocus {...form.getInputProps('name')} />
          <Stack gap={4}>
            <Text size="sm" fw={500} id="scope-label">
              Scope
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
            label="Expires after"
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
